import { open } from "node:fs/promises";
import { createInterface } from "node:readline";
import { createInterface as createLines } from "node:readline/promises";
import { Readable } from "node:stream";
import { pathToFileURL } from "node:url";
import {
  type CsvOptions,
  type CsvRow,
  fromCsv,
  fromJsonl,
  InvalidInputError,
  LOCATE,
} from "@saas-management/sdk/sources";
import fc from "fast-check";
import { describe, expect, expectTypeOf, it } from "vitest";
import { all, inPieces, useFiles } from "./files.js";

const files = useFiles();

const row = (cells: CsvRow) => ({ ...cells });

async function read(content: string | Uint8Array, options: CsvOptions = {}) {
  return all(fromCsv(await files.write(content), row, options));
}

/** The error of reading a file with this content. */
async function errorOf(content: string | Uint8Array, options?: CsvOptions): Promise<InvalidInputError> {
  const error: unknown = await read(content, options).catch((reason: unknown) => reason);
  if (!(error instanceof InvalidInputError)) throw new Error("expected an InvalidInputError");
  return error;
}

describe("a CSV file", () => {
  it("gives its rows as objects of strings, by the headings", async () => {
    expect(await read("id,name\n1,Ann\n2,\n")).toEqual([
      { id: "1", name: "Ann" },
      { id: "2", name: "" },
    ]);
  });

  it.each([1, 2, 7, 1000])("keeps a byte order mark within it, cut into pieces of %i bytes", async (size) => {
    const bytes = Buffer.from("\uFEFFid,name\n1,Ann\n\uFEFFid,name\n");
    expect(await all(fromCsv(inPieces(bytes, size), row))).toEqual([
      { id: "1", name: "Ann" },
      { id: "\uFEFFid", name: "name" },
    ]);
  });

  it("may have a byte order mark, line ends of both kinds, empty lines, and none at its end", async () => {
    expect(await read("\uFEFFid,name\r\n1,Ann\n\n2,Bo\r\n\r\n3,Cy")).toEqual([
      { id: "1", name: "Ann" },
      { id: "2", name: "Bo" },
      { id: "3", name: "Cy" },
    ]);
  });

  it("may hold delimiters, quotes and line breaks in quoted cells", async () => {
    expect(await read('id,name\r\n1,"O, ""X""\r\ny"\r\n"2","q"\r\n')).toEqual([
      { id: "1", name: 'O, "X"\r\ny' },
      { id: "2", name: "q" },
    ]);
  });

  it.each([1, 2, 7, 1000])(
    "keeps an empty cell in quotes as a row of one column, cut into %i bytes",
    async (size) => {
      const lines: number[] = [];
      const source = fromCsv(inPieces('id\n""\n\na\r\n""\r\n\r\n"" \n', size), (cells, { line }) => {
        lines.push(line);
        return cells["id"];
      });
      expect(await all(source)).toEqual(["", "a", "", ""]);
      expect(lines).toEqual([2, 4, 5, 7]);
    },
  );

  it.each([1, 2, 7, 1000])("keeps a \\r at the end of a quoted cell, cut into %i bytes", async (size) => {
    const text = 'id,name\n1,"a\r"\n2,"b\r"\r\n3,c\r\n"4\r",d"\r\n"5\n\r","""\r"';
    expect(await all(fromCsv(inPieces(text, size), row))).toEqual([
      { id: "1", name: "a\r" },
      { id: "2", name: "b\r" },
      { id: "3", name: "c" },
      { id: "4\r", name: 'd"' },
      { id: "5\n\r", name: '"\r' },
    ]);
  });

  it("may have another delimiter, and a heading called __proto__", async () => {
    const [only] = await read("id;__proto__\n1;x\n", { delimiter: ";" });
    expect(Object.entries(only ?? {})).toEqual([
      ["id", "1"],
      ["__proto__", "x"],
    ]);
  });

  it("may be named by a file: URL", async () => {
    const url = pathToFileURL(await files.write("id\n1\n"));
    expect(await all(fromCsv(url, row))).toEqual([{ id: "1" }]);
  });

  it.each<[string, CsvOptions["encoding"], Uint8Array]>([
    ["utf-16le", "utf-16le", Buffer.from("\uFEFFid,name\n1,Zoë €\n", "utf16le")],
    ["windows-1252", "windows-1252", Buffer.from("id,name\n1,Zo\xeb \x80\n", "latin1")],
    ["latin1, read as windows-1252", "latin1", Buffer.from("id,name\n1,Zo\xeb \x80\n", "latin1")],
  ])("may be in %s", async (_, encoding, bytes) => {
    expect(await read(bytes, { encoding: encoding ?? "utf-8" })).toEqual([{ id: "1", name: "Zoë €" }]);
    for (const size of [1, 2, 3, 5]) {
      const pieces = fromCsv(inPieces(bytes, size), row, { encoding });
      expect(await all(pieces)).toEqual([{ id: "1", name: "Zoë €" }]);
    }
  });

  it("gives the same rows and lines however its bytes are cut", async () => {
    const cell = fc.string({
      unit: fc.constantFrom("a", "ü", "€", ",", '"', "\n", "\r\n", " ", "😀"),
      maxLength: 6,
    });
    const table = fc.array(fc.tuple(cell, cell), { maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(table, fc.integer({ min: 1, max: 9 }), async (rows, size) => {
        const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`;
        const lines = rows.map(([a, b]) => `${quoted(a)},${quoted(b)}`);
        const places: number[] = [];
        const source = fromCsv(inPieces(["a,b", ...lines].join("\r\n"), size), (cells, { line }) => {
          places.push(line);
          return [cells["a"], cells["b"]];
        });
        expect(await all(source)).toEqual(rows);
        let line = 2;
        const expected = rows.map((cells) => {
          const begins = line;
          line += 1 + cells.join("").split("\n").length - 1;
          return begins;
        });
        expect(places).toEqual(expected);
      }),
      { numRuns: 150 },
    );
  });
});

describe("any delimiter", () => {
  it.each(["\t", " ", "\u00a0", ";"])(
    "%j keeps an empty last cell empty, after a quoted \\r too",
    async (delimiter) => {
      const lines = ["a,b,c", '1,"x\ry",', "2,z,", '"","",', '3,"""",""', ""];
      const rows = await read(lines.join("\r\n").replaceAll(",", delimiter), { delimiter });
      expect(rows.map(({ a, b, c }) => [a, b, c])).toEqual([
        ["1", "x\ry", ""],
        ["2", "z", ""],
        ["", "", ""],
        ["3", '"', ""],
      ]);
    },
  );

  it("gives the cells that were written, with either line end, in quotes or not, however it is cut", async () => {
    const cell = fc.string({
      unit: fc.constantFrom("a", "é", ",", ";", "\t", " ", '"', "\r", "\n", "😀"),
      maxLength: 4,
    });
    const table = fc.array(fc.tuple(cell, cell, cell), { maxLength: 6 });
    const format = fc.record({
      delimiter: fc.constantFrom(",", ";", "\t", " "),
      lineEnd: fc.constantFrom("\n", "\r\n"),
      // Blanks that are not the delimiter may stand after a closing quote.
      blank: fc.constantFrom("", " ", "\t"),
      quoteAll: fc.boolean(),
      endsWithLine: fc.boolean(),
      size: fc.integer({ min: 1, max: 9 }),
    });
    await fc.assert(
      fc.asyncProperty(table, format, async (rows, { delimiter, lineEnd, blank, quoteAll, ...cut }) => {
        // At the very end of a file Papa Parse takes them for a cell that goes on.
        const after = blank === delimiter || !cut.endsWithLine ? "" : blank;
        const written = (text: string) =>
          quoteAll || text.includes(delimiter) || /["\r\n]/.test(text)
            ? `"${text.replaceAll('"', '""')}"${after}`
            : text;
        const lines = [["a", "b", "c"], ...rows].map((cells) => cells.map(written).join(delimiter));
        const text = lines.join(lineEnd) + (cut.endsWithLine ? lineEnd : "");
        const source = fromCsv(inPieces(text, cut.size), ({ a, b, c }) => [a, b, c], { delimiter });
        expect(await all(source)).toEqual(rows);
      }),
      { numRuns: 300 },
    );
  });
});

describe("the columns of a row", () => {
  it("are those that were asked for, and typed", async () => {
    const path = await files.write("notes,name,id\nx,Ann,1\n");
    const source = fromCsv(
      path,
      (cells) => {
        expectTypeOf(cells).toEqualTypeOf<CsvRow<"id" | "name">>();
        return { ...cells };
      },
      { columns: ["id", "name"] },
    );
    expect(await all(source)).toEqual([{ id: "1", name: "Ann" }]);
  });

  it("may not be missing in the file: the error names them, and never shows the header", async () => {
    const { message, issues } = await errorOf("secret@example.com,x\n", { columns: ["id", "email"] });
    expect(message).toMatch(/^users\.csv:1 is not a header with the columns "id", "email"/);
    expect(JSON.stringify([message, issues])).not.toContain("secret");
  });

  it.each([
    ["twice", "id,name,id\n1,a,2\n", /users\.csv:1 has the same heading in columns 1 and 3/],
    ["without a heading", "id,,name\n1,a,2\n", /users\.csv:1 has no heading in column 2/],
  ])("may not be there %s", async (_, content, expected) => {
    expect((await errorOf(content)).message).toMatch(expected);
  });

  it("may be there twice, or without a heading, where they are not asked for", async () => {
    expect(await read("id,,x,x\n1,a,b,c\n", { columns: ["id"] })).toEqual([{ id: "1" }]);
  });
});

describe("refused with the line, and without the contents, is", () => {
  const secret = "s3cret";
  it.each<[string, string | Uint8Array, RegExp]>([
    [
      "a row with too few cells",
      `id,name\n1,a\n"x\ny",b\n${secret}\n`,
      /^users\.csv:5 has 1 cells, but the header has 2/,
    ],
    [
      "a row with too many cells",
      `id,name\n1,a,${secret}\n`,
      /^users\.csv:2 has 3 cells, but the header has 2/,
    ],
    [
      "a file that ends in a quoted cell",
      `id,name\n1,a\n2,"${secret}\n3,c\n`,
      /^users\.csv:3 begins a row with a quoted cell that is not closed.*truncated/,
    ],
    [
      "a quoted cell that goes on",
      `id,name\n1,"a\nb"\n2,"${secret}"x,c\n3,d\n`,
      /^users\.csv:4 begins a row with a quoted cell that goes on/,
    ],
    ["a file without a byte", "", /^users\.csv is empty/],
    [
      "a row that another program would end at a \\r",
      `id,name\n1,"a\rb"\n2,${secret}\r3,b\n`,
      /^users\.csv:3 has line ends of one \\r/,
    ],
    [
      "a file with lines of \\r alone",
      `id,name\r1,a\r2,${secret}\r`,
      /^users\.csv:1 has line ends of one \\r/,
    ],
    [
      "a byte that is not UTF-8",
      Buffer.from(`id,name\n1,a\n2,\xeb${secret}\n`, "latin1"),
      /^users\.csv:3 is not valid UTF-8/,
    ],
    [
      "a character that is cut at the end",
      Buffer.from("id\nZo\u00eb").subarray(0, -1),
      /^users\.csv:2 is not valid UTF-8/,
    ],
  ])("%s", async (_, content, expected) => {
    const error = await errorOf(content);
    expect(error.message).toMatch(expected);
    expect(error.issues[0]?.location).toMatch(/^users\.csv(:\d+)?$/);
    expect(JSON.stringify([error, error.issues, String(error.cause)])).not.toContain(secret);
  });

  it("a file in UTF-16 with an odd number of bytes", async () => {
    const bytes = Buffer.from("id\n1\n2\n", "utf16le").subarray(0, -1);
    expect((await errorOf(bytes, { encoding: "utf-16le" })).message).toMatch(
      /^users\.csv:3 is not valid UTF-16LE/,
    );
  });

  it("a row that grows without end because of a quote", async () => {
    async function* endless() {
      yield 'id,name\n1,a\n2,"';
      for (let i = 0; i < 600; i += 1) yield `${"x".repeat(32_000)}\n${"y".repeat(32_000)}\n`;
    }
    const source = fromCsv(endless(), row, { name: "users.csv" });
    await expect(all(source)).rejects.toThrow(/^users\.csv:3 is longer than/);
  });

  it.each([
    ["plain letters", "x".repeat(12 * 1024 * 1024)],
    ["doubled quotes", '""'.repeat(6 * 1024 * 1024)],
  ])("is no quoted cell of 12 MiB with a \\r in it, of %s", async (_, long) => {
    const [only] = await read(`id,note\n1,"\r${long}"\n`);
    expect(only?.["note"]?.length).toBe(1 + long.replaceAll('""', '"').length);
  });

  it.each<[string, CsvOptions["encoding"], Uint8Array, number]>([
    ["zeros alone", "utf-8", new Uint8Array(64), 1],
    ["zeros at its end", "utf-8", Buffer.from(`id\n1\n${secret}\0\0`), 3],
    ["UTF-16 that is read as something else", "windows-1252", Buffer.from("id\n1\n", "utf16le"), 1],
  ])("a file of %s", async (_, encoding, bytes, line) => {
    const { message } = await errorOf(bytes, { encoding });
    expect(message).toMatch(new RegExp(`^users\\.csv:${line} holds a zero character`));
    expect(message).not.toContain(secret);
  });

  it.each<[string, () => Promise<AsyncIterable<string>>]>([
    ["a file handle", async () => (await open(await files.write("id\n1\n"))).readLines()],
    ["readline", async () => createInterface({ input: Readable.from(["id\n1\n"]) })],
    ["readline/promises", async () => createLines({ input: Readable.from(["id\n1\n"]) })],
  ])("a reader of lines, of %s", async (_, reader) => {
    const lines = await reader();
    for (const make of [() => fromCsv(lines, row), () => fromJsonl(lines)])
      expect(make).toThrow(/^The file must be the stream itself, not a reader of its lines/);
  });

  it("lines without their line ends, which would pass for a header", async () => {
    const lines = Readable.from(["id,name", "1,Ann", "2,Bo"]);
    await expect(all(fromCsv(lines, row))).rejects.toThrow(/^stream comes in 3 pieces without any line end/);
    expect(await all(fromCsv(Readable.from(["id,name"]), row))).toEqual([]);
    expect(await all(fromCsv(Readable.from(["id,", "name\n"]), row))).toEqual([]);
  });

  it("a line that grows without end", async () => {
    async function* endless() {
      yield "id\n1\n";
      for (;;) yield "x".repeat(1024 * 1024);
    }
    await expect(all(fromCsv(endless(), row))).rejects.toThrow(/^stream:3 is longer than/);
  });
});

describe("map", () => {
  it("leaves a row out by returning undefined, which is counted, and the places of the others stay right", async () => {
    const path = await files.write("id\n1\n2\n3\n");
    const source = fromCsv(path, ({ id }) => (id === "2" ? undefined : { id }));
    for await (const records of source) {
      expect([...records]).toEqual([{ id: "1" }, { id: "3" }]);
      expect(records[LOCATE](1)).toBe("users.csv:4");
    }
    expect(source.figures).toEqual({ read: 3, leftOut: 1 });
  });

  it("is told the place, and what it throws comes back unchanged", async () => {
    const own = new Error("no such department");
    const source = fromCsv(await files.write("id\n1\n2\n"), (_, { location }) => {
      if (location === "users.csv:3") throw own;
      return {};
    });
    await expect(all(source)).rejects.toBe(own);
  });
});

describe("an option that cannot work is refused at once:", () => {
  it.each<[string, object]>([
    ["a delimiter of two characters", { delimiter: "||" }],
    ["a quote as the delimiter", { delimiter: '"' }],
    ["an unknown encoding", { encoding: "klingon" }],
  ])("%s", (_, options) => {
    expect(() => Reflect.apply(fromCsv, undefined, ["users.csv", row, options])).toThrow(InvalidInputError);
  });
});
