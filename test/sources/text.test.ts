import { Readable } from "node:stream";
import { fromCsv, fromJsonl } from "@saas-management/sdk/sources";
import fc from "fast-check";
import { expect, test } from "vitest";
import { all, refusalOf } from "../support/source-reading.js";

/** Streams the text in pieces, cut at these places, even within a character. */
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
const ENCODINGS = ["utf-8", "utf-16le", "utf-16be", "windows-1252"] as const;

type CsvOptions = Omit<Parameters<typeof fromCsv>[1], "map">;

const rowsOf = (input: AsyncIterable<string | Uint8Array>, options: CsvOptions = {}) =>
  all(fromCsv(input, { ...options, map: (row) => ({ ...row }) }));

test.each(ENCODINGS)(
  "reads a stream of text as text, whatever the encoding of bytes: %s",
  async (encoding) => {
    expect(await rowsOf(chunks("\uFEFF", "", TEXT), { encoding })).toEqual(ROWS);
  },
);

test("reads a Node stream that decodes", async () => {
  const bytes = Buffer.from(`\uFEFF${TEXT}`, "utf16le");
  const stream = Readable.from([bytes], { objectMode: false }).setEncoding("utf16le");
  expect(await rowsOf(stream, { encoding: "utf-16le" })).toEqual(ROWS);
});

test("reads the same records wherever the text is split", async () => {
  const character = fc.constantFrom("a", "ü", "€", "😀", "\u{10ffff}", "\ufeff", " ");
  const cell = fc.string({ unit: character, minLength: 1, maxLength: 6 });
  const rows = fc.array(fc.record({ id: cell, name: cell }), { maxLength: 6 });
  const places = fc.array(fc.nat({ max: 1000 }), { maxLength: 30 });
  await fc.assert(
    fc.asyncProperty(rows, places, fc.constantFrom(...ENCODINGS), async (wanted, cuts, encoding) => {
      const csv = ["id,name", ...wanted.map(({ id, name }) => `${id},${name}`)].join("\r\n");
      expect(await rowsOf(cutAt(`${csv}\r\n`, cuts), { encoding, allowEmpty: true })).toEqual(wanted);
      const jsonl = wanted.map((value) => `${JSON.stringify(value)}\n`).join("");
      const values = fromJsonl(cutAt(jsonl, cuts), { allowEmpty: true });
      expect(await all(values)).toEqual(wanted);
    }),
    { numRuns: 100 },
  );
});

test.each([
  ["within a piece", ["id,name\nu1,a\n", "\ud83du2,s3cret\n"], 3],
  ["at the beginning of a piece", ["id,name\nu1", ",\ude00\n"], 2],
  ["at the end", ["id,name\nu1,a\n", "u2,s3cret\ud83d"], 3],
] as const)("rejects half of a character %s with the line", async (_, parts, line) => {
  const { error, issue } = await refusalOf(rowsOf(chunks(...parts)));
  expect(issue).toMatchObject({ location: `stream:${line}` });
  expect(error.message).not.toContain("s3cret");
});

test("rejects a stream that mixes text and bytes", async () => {
  const [head, tail] = [TEXT.slice(0, 18), TEXT.slice(18)];
  for (const parts of [chunks(head, Buffer.from(tail)), chunks(Buffer.from(head), tail)]) {
    expect((await refusalOf(rowsOf(parts))).issue).toMatchObject({ location: "stream" });
  }
});
