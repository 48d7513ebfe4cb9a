import { readdirSync, readlinkSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { platform } from "node:process";
import { setImmediate } from "node:timers/promises";
import { fileURLToPath, pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type CsvLayout, readRecords } from "../../examples/connectors/vendor-export/csv.js";
import type { CsvRow } from "../../examples/connectors/vendor-export/row.js";

type Column = "id" | "name" | "seats" | "active" | "day" | "at";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "csv-test-"));
});
afterAll(async () => {
  await rm(folder, { recursive: true });
});

async function fileOf(content: string | Buffer): Promise<URL> {
  const path = join(folder, "users.csv");
  await writeFile(path, content);
  return pathToFileURL(path);
}

async function read<R>(
  content: string | Buffer,
  toRecord: (row: CsvRow<Column>) => R | undefined,
  layout: Partial<CsvLayout<Column>> = {},
): Promise<R[]> {
  const file = await fileOf(content);
  const records: R[] = [];
  for await (const some of readRecords(file, { columns: ["id", "name"], ...layout }, toRecord))
    records.push(...some);
  return records;
}

const names = (row: CsvRow<Column>) => row.text("name") ?? null;
const all: readonly Column[] = ["id", "name", "seats", "active", "day", "at"];

describe("a CSV file", () => {
  test("may begin with a byte order mark and end its lines in the way of Windows", async () => {
    expect(await read('\uFEFF"id","name"\r\n1,Anna\r\n2,Zoë\r\n', (row) => row.text("id"))).toEqual([
      "1",
      "2",
    ]);
  });

  test("may lack a line end after its last row", async () => {
    expect(await read("id,name\n1,Anna\n2,Zoë", names)).toEqual(["Anna", "Zoë"]);
  });

  test("may hold delimiters, quotes and line breaks in quoted cells", async () => {
    expect(await read('id,name\n1,"O\'Brien, ""Jimmy""\nDublin"\n', names)).toEqual([
      'O\'Brien, "Jimmy"\nDublin',
    ]);
  });

  test("may have its columns in another order, and columns that nobody reads", async () => {
    expect(await read("notes,name,id\nx,Anna,1\n", names)).toEqual(["Anna"]);
  });

  test("may have title rows of other lengths above the heading", async () => {
    expect(await read("Console\nMembers,today\nid,name\n1,Anna\n", names, { titleRows: 2 })).toEqual([
      "Anna",
    ]);
  });

  test("may have semicolons between its cells", async () => {
    expect(await read("id;name\n1;Müller, Anna\n", names, { delimiter: ";" })).toEqual(["Müller, Anna"]);
  });

  test("may hold no row at all below its heading", async () => {
    expect(await read("id,name\n", names)).toEqual([]);
  });

  test("of many rows comes in several arrays, and every row once", async () => {
    const rows = Array.from({ length: 1201 }, (_, index) => `${index},n`);
    const file = await fileOf(`id,name\n${rows.join("\n")}\n`);
    const sizes: number[] = [];
    const ids: (string | undefined)[] = [];
    for await (const some of readRecords(file, { columns: ["id"] }, (row) => row.text("id"))) {
      sizes.push(some.length);
      ids.push(...some);
    }
    expect(sizes).toEqual([500, 500, 201]);
    expect(new Set(ids).size).toBe(1201);
  });
});

describe("a cell", () => {
  test("counts without the white space around it, and not at all when it is empty", async () => {
    expect(await read("id,name\n1,  Anna \n2,   \n3,\n", names)).toEqual(["Anna", null, null]);
  });

  test("is read as what its column holds", async () => {
    const row = "1,Anna,12,no,04/01/2023,2026-03-31T08:00:00+02:00";
    const read1 = (row: CsvRow<Column>) => [
      row.count("seats"),
      row.flag("active", "yes", "no"),
      row.day("day", "MM/DD/YYYY"),
      row.moment("at")?.toISOString(),
    ];
    expect(await read(`${all.join(",")}\n${row}\n`, read1, { columns: all })).toEqual([
      [12, false, "2023-04-01", "2026-03-31T06:00:00.000Z"],
    ]);
  });

  test("that is empty is no value of any kind", async () => {
    const read1 = (row: CsvRow<Column>) => [
      row.count("seats"),
      row.flag("active", "yes", "no"),
      row.day("day", "YYYY-MM-DD"),
      row.moment("at"),
      row.list("name", ";"),
      row.address("name"),
    ];
    expect(await read(`${all.join(",")}\n1,,,,,\n`, read1, { columns: all })).toEqual([
      Array(6).fill(undefined),
    ]);
  });

  test("with several values has no empty ones among them", async () => {
    const read1 = (row: CsvRow<Column>) => row.list("name", /[;\n]/);
    expect(await read('id,name\n1," a@x.example;\n b@x.example;"\n2,;\n', read1)).toEqual([
      ["a@x.example", "b@x.example"],
    ]);
  });
});

describe("a row that cannot be read fails with its file and line", () => {
  const line3 = "id,name\n1,Anna\n";
  test.each([
    ["with a cell too few", `${line3}2\n`, "users.csv: line 3 has 1 cells, but the heading has 2."],
    ["with a cell too many", `${line3}2,Zoë,x\n`, "users.csv: line 3 has 3 cells, but the heading has 2."],
    ["with nothing in it", `${line3}\n3,Zoë\n`, "users.csv: line 3 has 1 cells, but the heading has 2."],
    [
      "after quoted line breaks",
      'id,name\n1,"A\r\nB\nC"\n2\n',
      "users.csv: line 5 has 1 cells, but the heading has 2.",
    ],
    [
      "with a quote that never ends",
      `${line3}2,"Zoë\n3,Max\n`,
      "users.csv: line 3 is not valid CSV (CSV_QUOTE_NOT_CLOSED).",
    ],
    [
      "with a quote inside a cell",
      `${line3}2,Zoë "Z"\n`,
      "users.csv: line 3 is not valid CSV (INVALID_OPENING_QUOTE).",
    ],
    [
      "in another encoding",
      Buffer.from(`${line3}2,Zoë\n`, "latin1"),
      "users.csv: line 3 is not valid UTF-8.",
    ],
  ])("%s", async (_, content, message) => {
    await expect(read(content, names)).rejects.toThrow(message);
  });

  test.each([
    ["a missing id", ",Anna,1,yes,,", 'should have a value in the column "id"'],
    ["an unreadable count", "1,Anna,1.200,yes,,", 'should have a whole number in the column "seats"'],
    [
      "an unknown word for yes or no",
      "1,Anna,1,perhaps,,",
      'should have "yes" or "no" in the column "active"',
    ],
    [
      "a date in another format",
      "1,Anna,1,yes,01.04.2023,",
      'should have a day as YYYY-MM-DD or MM/DD/YYYY in the column "day"',
    ],
    [
      "a day that is in no calendar",
      "1,Anna,1,yes,2023-02-30,",
      'should have a day as YYYY-MM-DD or MM/DD/YYYY in the column "day"',
    ],
    [
      "a time without an offset",
      "1,Anna,1,yes,,2026-03-31T08:00:00",
      "should have a date and time with an offset",
    ],
    [
      "a time that is in no calendar",
      "1,Anna,1,yes,,2026-02-30T08:00:00Z",
      "should have a date and time with an offset",
    ],
  ])("with %s, without telling the content", async (_, row, problem) => {
    const readAll = (cells: CsvRow<Column>) => [
      cells.required("id"),
      cells.count("seats"),
      cells.requiredFlag("active", "yes", "no"),
      cells.day("day", "YYYY-MM-DD", "MM/DD/YYYY"),
      cells.moment("at"),
    ];
    const failure = read(`${all.join(",")}\n0,Max,5,no,,\n${row}\n`, readAll, { columns: all });
    await expect(failure).rejects.toThrow(`users.csv: line 3 ${problem}`);
    await expect(failure).rejects.not.toThrow(/Anna|1\.200|perhaps|2023-02|01\.04/);
  });
});

describe("a heading", () => {
  test.each([
    [
      "that lacks a column",
      "id,nom\n1,Anna\n",
      'users.csv: line 1 should be the heading, but lacks the column "name".',
    ],
    [
      "with a column twice",
      "id,name,name\n1,A,B\n",
      'users.csv: line 1 has two columns with the heading "name".',
    ],
    ["that is not there", "", "users.csv: line 1 begins a file that has no heading."],
  ])("%s fails", async (_, content, message) => {
    await expect(read(content, names)).rejects.toThrow(message);
  });
});

test("a file that is not there fails as the operating system says", async () => {
  const missing = pathToFileURL(join(folder, "missing.csv"));
  const records = readRecords(missing, { columns: ["id"] }, (row) => row.text("id"));
  await expect(records.next()).rejects.toMatchObject({ code: "ENOENT" });
});

test.runIf(platform === "linux")("a reader who stops early closes the file", async () => {
  const file = await fileOf(`id,name\n${"1,Anna\n".repeat(200_000)}`);
  const isOpen = () =>
    readdirSync("/proc/self/fd").some((fd) => {
      try {
        return readlinkSync(`/proc/self/fd/${fd}`) === fileURLToPath(file);
      } catch {
        return false;
      }
    });
  for await (const some of readRecords(file, { columns: ["id"] }, (row) => row.text("id"))) {
    expect(some).toHaveLength(500);
    expect(isOpen()).toBe(true);
    break;
  }
  for (let turn = 0; turn < 1000 && isOpen(); turn += 1) await setImmediate();
  expect(isOpen()).toBe(false);
});
