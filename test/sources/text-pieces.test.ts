import { Readable } from "node:stream";
import { type CsvOptions, fromCsv, fromJsonl } from "@saas-management/sdk/sources";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { all } from "./files.js";

/** The text as a stream of text, cut at these places, also in the middle of a character. */
async function* cutAt(text: string, places: readonly number[]): AsyncGenerator<string> {
  const cuts = [0, ...places.map((place) => place % (text.length + 1)), text.length].sort((a, b) => a - b);
  for (const [index, cut] of cuts.entries()) yield text.slice(cut, cuts[index + 1]);
}

async function* chunks(...parts: readonly (string | Uint8Array)[]): AsyncGenerator<string | Uint8Array> {
  yield* parts;
}

const TEXT = "id,name\nu1,Ada 😀\nu😀2,Zoë €\n";
const ROWS = [
  { id: "u1", name: "Ada 😀" },
  { id: "u😀2", name: "Zoë €" },
];
const ENCODINGS = ["utf-8", "utf-16le", "latin1", "windows-1252"] as const;

const rowsOf = (input: AsyncIterable<string | Uint8Array>, options: CsvOptions = {}) =>
  all(fromCsv(input, (row) => ({ ...row }), options));

describe("a stream of text", () => {
  it.each(ENCODINGS)("is text already, whatever the encoding of bytes would be: %s", async (encoding) => {
    expect(await rowsOf(chunks(TEXT), { encoding })).toEqual(ROWS);
    expect(await rowsOf(chunks("\uFEFF", "", TEXT), { encoding })).toEqual(ROWS);
  });

  it("may come of a Node stream that decodes, and whose encoding is told here too", async () => {
    const bytes = Buffer.from(`\uFEFF${TEXT}`, "utf16le");
    const stream = Readable.from([bytes], { objectMode: false }).setEncoding("utf16le");
    expect(await rowsOf(stream, { encoding: "utf-16le" })).toEqual(ROWS);
  });

  it("gives the same rows wherever it is cut", async () => {
    const character = fc.constantFrom("a", "ü", "€", "😀", "\u{10ffff}", "\ufeff", " ");
    const cell = fc.string({ unit: character, minLength: 1, maxLength: 6 });
    const rows = fc.array(fc.record({ id: cell, name: cell }), { maxLength: 6 });
    const places = fc.array(fc.nat({ max: 1000 }), { maxLength: 30 });
    await fc.assert(
      fc.asyncProperty(rows, places, fc.constantFrom(...ENCODINGS), async (wanted, cuts, encoding) => {
        const csv = ["id,name", ...wanted.map(({ id, name }) => `${id},${name}`)].join("\r\n");
        expect(await rowsOf(cutAt(`${csv}\r\n`, cuts), { encoding })).toEqual(wanted);
        const jsonl = wanted.map((value) => `${JSON.stringify(value)}\n`).join("");
        const values = fromJsonl(cutAt(jsonl, cuts), undefined, { allowEmpty: true });
        expect(await all(values)).toEqual(wanted);
      }),
      { numRuns: 150 },
    );
  });

  it.each([
    ["the first half within a piece", ["id,name\nu1,a\n", "\ud83du2,s3cret\n"], 3],
    ["the second half at the beginning of a piece", ["id,name\nu1", ",\ude00\n"], 2],
    ["the first half at the end", ["id,name\nu1,a\n", "u2,s3cret\ud83d"], 3],
    ["the first half before bytes", ["id,name\nu1,a\ud83d", Buffer.from("\nu2,b\n")], 2],
  ] as const)("that has half of a character is refused with the line: %s", async (_, parts, line) => {
    const message = new RegExp(
      `^stream:${line} has half of a character \\(a lone surrogate\\)[^]*(?<!s3cret)$`,
    );
    await expect(rowsOf(chunks(...parts))).rejects.toThrow(message);
    await expect(all(fromJsonl(chunks('{"id":"\ud83d"}\n')))).rejects.toThrow(/^stream:1 has half of a char/);
  });

  it("may have bytes between its pieces where they are UTF-8, and else may not", async () => {
    const [head, tail] = [TEXT.slice(0, 18), Buffer.from(TEXT.slice(18))];
    expect(await rowsOf(chunks(head, tail))).toEqual(ROWS);
    expect(await rowsOf(chunks(Buffer.from(head), TEXT.slice(18)))).toEqual(ROWS);
    for (const encoding of ENCODINGS.slice(1)) {
      await expect(rowsOf(chunks(head, tail), { encoding })).rejects.toThrow(
        /^stream gives both text and by/,
      );
      const bytesFirst = rowsOf(chunks(Buffer.from("i\0d\0"), "\n1\n"), { encoding });
      await expect(bytesFirst).rejects.toThrow(/^stream gives both text and bytes/);
    }
  });
});
