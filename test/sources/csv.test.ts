import { pathToFileURL } from "node:url";
import { gzipSync } from "node:zlib";
import { InvalidInputError } from "@saas-management/sdk";
import { fromCsv, fromJsonl } from "@saas-management/sdk/sources";
import fc from "fast-check";
import { expect, expectTypeOf, test } from "vitest";
import { locationOf } from "../../src/core/record-location.js";
import { all, inPieces, refusalOf } from "../support/source-reading.js";
import { temporaryFolder } from "../support/temporary-folder.js";

const folder = temporaryFolder();
type CsvOptions = Omit<Parameters<typeof fromCsv>[1], "map">;

const row = (cells: Readonly<Record<string, string>>) => ({ ...cells });
const SECRET = "s3cret";
const MEBIBYTE = 1024 * 1024;

async function read(content: string | Uint8Array, options: CsvOptions = {}) {
  return all(fromCsv(await folder.write("users.csv", content), { ...options, map: row }));
}

const refusal = (content: string | Uint8Array, options?: CsvOptions) => refusalOf(read(content, options));

test.each<[string, string, object[]]>([
  [
    "a byte order mark, both line ends, empty lines and no line end at the end",
    "\uFEFFid,name\r\n1,Ann\n\n2,Bo\r\n\r\n3,Cy",
    [
      { id: "1", name: "Ann" },
      { id: "2", name: "Bo" },
      { id: "3", name: "Cy" },
    ],
  ],
  [
    "a byte order mark within the file",
    "\uFEFFid,name\n1,Ann\n\uFEFF2,Bo\n",
    [
      { id: "1", name: "Ann" },
      { id: "\uFEFF2", name: "Bo" },
    ],
  ],
  [
    "quoted empty cells of one column",
    'id\n""\n\na\r\n""\r\n\r\n"" \n',
    [{ id: "" }, { id: "a" }, { id: "" }, { id: "" }],
  ],
])("reads a file with %s the same way however its bytes are chunked", async (_, content, rows) => {
  for (const size of [1, 2, 7, 1000])
    expect(await all(fromCsv(inPieces(content, size), { map: row }))).toEqual(rows);
});

test("accepts a file: URL, another delimiter and a heading called __proto__", async () => {
  const url = pathToFileURL(await folder.write("users.csv", "id;__proto__\n1;x\n"));
  const [only] = await all(fromCsv(url, { map: row, delimiter: ";" }));
  expect(Object.entries(only ?? {})).toEqual([
    ["id", "1"],
    ["__proto__", "x"],
  ]);
});

test.each<[CsvOptions["encoding"], Uint8Array]>([
  ["utf-16le", Buffer.from("\uFEFFid,name\n1,Zoë €\n", "utf16le")],
  ["utf-16be", Buffer.from("\uFEFFid,name\n1,Zoë €\n", "utf16le").swap16()],
  ["windows-1252", Buffer.from("id,name\n1,Zo\xeb \x80\n", "latin1")],
])("decodes %s", async (encoding, bytes) => {
  for (const size of [1, 2, 3, 5, 1000]) {
    expect(await all(fromCsv(inPieces(bytes, size), { map: row, encoding }))).toEqual([
      { id: "1", name: "Zoë €" },
    ]);
  }
});

test("returns the cells and lines that were written, in any dialect and no matter how the bytes are chunked", async () => {
  const cell = fc.string({
    unit: fc.constantFrom("a", "é", "€", ",", ";", "\t", " ", '"', "\r", "\n", "\r\n", "😀"),
    maxLength: 5,
  });
  const table = fc.array(fc.tuple(cell, cell, cell), { maxLength: 6 });
  const format = fc.record({
    delimiter: fc.constantFrom(",", ";", "\t", " ", "\u00a0"),
    lineEnd: fc.constantFrom("\n", "\r\n"),
    // Blanks that are not the delimiter may follow a closing quote.
    blank: fc.constantFrom("", " ", "\t"),
    quoteAll: fc.boolean(),
    endsWithLine: fc.boolean(),
    size: fc.integer({ min: 1, max: 9 }),
  });
  await fc.assert(
    fc.asyncProperty(table, format, async (rows, { delimiter, lineEnd, blank, quoteAll, ...cut }) => {
      // At the very end of a file, Papa Parse would read blanks as a cell that continues.
      const after = blank === delimiter || !cut.endsWithLine ? "" : blank;
      const written = (text: string) =>
        quoteAll || text.includes(delimiter) || /["\r\n]/.test(text)
          ? `"${text.replaceAll('"', '""')}"${after}`
          : text;
      const lines = [["a", "b", "c"], ...rows].map((cells) => cells.map(written).join(delimiter));
      const text = lines.join(lineEnd) + (cut.endsWithLine ? lineEnd : "");
      const begins: (number | undefined)[] = [];
      const source = fromCsv(inPieces(text, cut.size), {
        map: ({ a, b, c }, { line }) => {
          begins.push(line);
          return [a, b, c];
        },
        delimiter,
        allowEmpty: true,
      });
      expect(await all(source)).toEqual(rows);
      let next = 2;
      expect(begins).toEqual(
        rows.map((cells) => {
          const line = next;
          next += cells.join("").split("\n").length;
          return line;
        }),
      );
    }),
    { numRuns: 200 },
  );
});

test("a row and its type have only the columns of the columns option", async () => {
  const path = await folder.write("users.csv", "notes,name,id\nx,Ann,1\n");
  const source = fromCsv(path, {
    columns: ["id", "name"],
    map: (cells) => {
      expectTypeOf(cells).toEqualTypeOf<Readonly<Record<"id" | "name", string>>>();
      return { ...cells };
    },
  });
  expect(await all(source)).toEqual([{ id: "1", name: "Ann" }]);
});

test.each<[string, string]>([
  ["a doubled one", "id,x,x\n1,a,b\n"],
  ["one without a heading in front", ",id\n0,1\n"],
  ["a trailing one", "id,name,\n1,Ada,\n"],
  ["several of these", "id,,x,,x,\n1,a,b,c,d,\n"],
])("accepts columns that nobody reads: %s", async (_, text) => {
  expect(await read(text, { columns: ["id"] })).toEqual([{ id: "1" }]);
  const path = await folder.write("users.csv", text);
  expect(await all(fromCsv(path, { map: ({ id }) => id }))).toEqual(["1"]);
});

test.each<[string, CsvOptions]>([
  ["sep=;\r\nid;name\r\n1;Ann\r\n", {}],
  ["\uFEFFsep=;\nid;name\n1;Ann\n", { delimiter: ";" }],
  ["SEP=\t\nid\tname\n1\tAnn\n", {}],
  ["sep=,\nid,name\n1,Ann\n", {}],
])("understands the line that Excel adds: %j", async (text, options) => {
  const lines: (number | undefined)[] = [];
  const map = (cells: Readonly<Record<string, string>>, { line }: { readonly line?: number }) => {
    lines.push(line);
    return { ...cells };
  };
  for (const size of [1, 3, 1000])
    expect(await all(fromCsv(inPieces(text, size), { ...options, map }))).toEqual([{ id: "1", name: "Ann" }]);
  expect(lines).toEqual([3, 3, 3]);
});

const HEAD = "id,name\n";
const workbook = Buffer.concat([Buffer.from("PK\x03\x04\x14\0", "latin1"), gzipSync("x".repeat(999))]);

test.each<[string, Uint8Array | string, RegExp]>([
  ["gzip", gzipSync(HEAD), /gzip.*Decompress/],
  ["a workbook of Excel", workbook, /XLSX.*CSV/],
  ["an old workbook", Buffer.from("\xd0\xcf\x11\xe0\xa1\xb1\n", "latin1"), /XLS\)/],
  ["a PDF", "%PDF-1.7\n%âãÏÓ\n", /PDF/],
  ["a page", "<!DOCTYPE html>\n<html><head></head></html>\n", /HTML.*login page/],
  ["a page on one line", "<html><body>502 Bad Gateway</body></html>", /HTML/],
  ["an XML error", '\uFEFF<?xml version="1.0"?>\n<Error/>', /HTML or XML/],
  ["UTF-16", Buffer.from(`\uFEFF${HEAD}`, "utf16le"), /encoding: "utf-16le"/],
  ["UTF-16 of the other order", Buffer.from(`\uFEFF${HEAD}`, "utf16le").swap16(), /encoding: "utf-16be"/],
])("says what kind of file it is instead: %s", async (_, content, message) => {
  for (const options of [{}, { columns: ["id"] }, { encoding: "windows-1252" }] as const)
    expect((await refusal(content, options)).error.message).toMatch(message);
  const lines = fromJsonl(await folder.write("users.jsonl", content));
  expect((await refusalOf(all(lines))).error.message).toMatch(message);
});

test("recognizes UTF-16 in the wrong byte order", async () => {
  const bytes = Buffer.from(`\uFEFF${HEAD}1,a\n`, "utf16le");
  expect((await refusal(bytes, { encoding: "utf-16be" })).error.message).toContain('"utf-16le"');
  bytes.swap16();
  expect((await refusal(bytes, { encoding: "utf-16le" })).error.message).toContain('"utf-16be"');
});

test.each([HEAD, "\uFEFFid,name", "id,name\r\n\r\n", "sep=,\nid,name\n", "Unauthorized"])(
  "rejects a file without a row, %j, unless allowEmpty is set",
  async (text) => {
    const { error } = await refusal(text);
    expect(error.message).toMatch(/^users\.csv has no row after its header\..*allowEmpty/);
    expect(await read(text, { allowEmpty: true })).toEqual([]);
  },
);

test("distinguishes a wrong kind of file from a missing column, and shows no contents of either", async () => {
  const columns = ["id", "email"];
  const other = `${SECRET}: 503 Service Unavailable\n`;
  expect((await refusal(other, { columns })).error.message).toBe(
    'users.csv:1 has none of the columns "id", "email"; the line is 31 characters long. Check the file and the delimiter.',
  );
  expect((await refusal(`id,${SECRET}\n`, { columns })).error.message).toBe(
    'users.csv:1 lacks the columns "email"; it has "id". Check the file and the delimiter.',
  );
});

test.each<[string, string | Uint8Array, string, CsvOptions?]>([
  ["a row with too few cells", `id,name\n1,a\n"x\ny",b\n${SECRET}\n`, "users.csv:5"],
  ["a row with too many cells", `id,name\n1,a,${SECRET}\n`, "users.csv:2"],
  ["a quoted cell that is not closed", `id,name\n1,a\n2,"${SECRET}\n3,c\n`, "users.csv:3"],
  ["a quoted cell that continues", `id,name\n1,"a\nb"\n2,"${SECRET}"x,c\n3,d\n`, "users.csv:4"],
  ["an empty file", "", "users.csv"],
  ["a \\r that ends a row in other programs", `id,name\n1,"a\rb"\n2,${SECRET}\r3,b\n`, "users.csv:3"],
  ["line ends of \\r alone", `id,name\r1,a\r2,${SECRET}\r`, "users.csv:1"],
  ["a byte that is not UTF-8", Buffer.from(`id,name\n1,a\n2,\xeb${SECRET}\n`, "latin1"), "users.csv:3"],
  ["a character that is cut at the end", Buffer.from("id\nZo\u00eb").subarray(0, -1), "users.csv:2"],
  [
    "an odd byte of UTF-16",
    Buffer.from("id\n1\n2\n", "utf16le").subarray(0, -1),
    "users.csv:3",
    { encoding: "utf-16le" },
  ],
  ["zeros alone", new Uint8Array(64), "users.csv:1"],
  ["zeros at the end", Buffer.from(`id\n1\n${SECRET}\0\0`), "users.csv:3"],
  [
    "UTF-16 read as windows-1252",
    Buffer.from("id\n1\n", "utf16le"),
    "users.csv:1",
    { encoding: "windows-1252" },
  ],
  ["a missing column", `${SECRET},x\n`, "users.csv:1", { columns: ["id", "email"] }],
  ["a repeated heading that is read", "id,name,id\n1,a,2\n", "users.csv:1"],
  ["a repeated heading that is asked for", "id,name,id\n1,a,2\n", "users.csv:1", { columns: ["id"] }],
  ["a header in the middle of two joined files", "id,name\n1,a\n\uFEFFid,name\n2,b\n", "users.csv:3"],
  ["a header that is repeated at once", "id , name\r\nid,name\r\n", "users.csv:2"],
])("rejects %s with the line and without the contents", async (_, content, location, options) => {
  const { error, issue } = await refusal(content, options);
  expect(issue).toMatchObject({ location });
  expect(error.message.startsWith(`${location} `)).toBe(true);
  expect(JSON.stringify([error, error.message, error.issues, String(error.cause)])).not.toContain(SECRET);
});

test.each<[string, string, string]>([
  ["a line", "x".repeat(MEBIBYTE), "stream:3"],
  ["a quoted cell", `"${"x\n".repeat(MEBIBYTE / 2)}`, "stream:3"],
])("rejects an endless %s before it fills the memory", async (_, endless, location) => {
  async function* content() {
    yield "id\n1\n";
    for (;;) yield endless;
  }
  expect((await refusalOf(all(fromCsv(content(), { map: row })))).issue).toMatchObject({ location });
});

test.each([
  ["plain letters", "x".repeat(12 * MEBIBYTE)],
  ["doubled quotes", '""'.repeat(6 * MEBIBYTE)],
])("reads a quoted cell of 12 MiB with a \\r in it, of %s", async (_, long) => {
  const [only] = await read(`id,note\n1,"\r${long}"\n`);
  expect(only?.["note"]?.length).toBe(1 + long.replaceAll('""', '"').length);
});

test("counts a row that map skips, and keeps the locations of the others", async () => {
  const path = await folder.write("users.csv", "id\n1\n2\n3\n");
  const source = fromCsv(path, { map: ({ id }) => (id === "2" ? undefined : { id }) });
  for await (const records of source) {
    expect([...records]).toEqual([{ id: "1" }, { id: "3" }]);
    expect(locationOf(records, 1)).toBe("users.csv:4");
  }
  expect(source.stats).toEqual({ read: 3, skipped: 1 });
});

test("rethrows the error of map, which knows the location", async () => {
  const own = new Error("no such department");
  const source = fromCsv(await folder.write("users.csv", "id\n1\n2\n"), {
    map: (_, { location }) => {
      if (location === "users.csv:3") throw own;
      return {};
    },
  });
  await expect(all(source)).rejects.toBe(own);
});

test.each<[string, object]>([
  ["a delimiter of two characters", { delimiter: "||" }],
  ["a quote as the delimiter", { delimiter: '"' }],
  ["an unknown encoding", { encoding: "klingon" }],
  ["columns that are not an array", { columns: "id" }],
  ["an unknown option", { colums: ["id"] }],
])("rejects %s at once", (_, options) => {
  expect(() => Reflect.apply(fromCsv, undefined, ["users.csv", row, options])).toThrow(InvalidInputError);
});
