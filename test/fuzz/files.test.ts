import { type CsvRow, fromCsv, fromJsonl } from "@saas-management/sdk/sources";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { holds } from "../support/fuzz.js";
import { outcomeOf } from "../support/hostile.js";
import { mutatedBytes } from "../support/mutated-bytes.js";
import { TIMEOUT_MS } from "../support/property-runs.js";

const CSV = [
  'id,name,email\nu1,Ada,ada@example.com\nu2,"Lovelace, Ada",\nu3,"a ""b""\nc",x\n',
  "\ufeffid;name\r\nu1;Zürich\r\n\r\nu2;日本語 👩‍👩‍👧‍👦\r\n",
  "__proto__,constructor,id\nx,y,z\n",
  "id\n",
].map((text) => Buffer.from(text));
const JSONL = ['{"id":"u1","n":1}\n{"id":"u2","é":[null]}\n\n', '{"__proto__":{"polluted":1}}\n', "1\n"].map(
  (text) => Buffer.from(text),
);

/** Cuts bytes as a network might: the pieces have nothing to do with the lines. */
async function* pieces(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array, void, undefined> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function collect<T>(source: AsyncIterable<readonly T[]>): Promise<T[]> {
  const all: T[] = [];
  for await (const some of source) all.push(...some);
  return all;
}

/** The line that a message names. */
function lineOf(message: string | undefined): number | undefined {
  const named = message?.match(/^[^:]*:(\d+)/)?.[1];
  return named === undefined ? undefined : Number(named);
}

const size = fc.constantFrom(1, 2, 3, 7, 1000);

describe("a file that is damaged", { timeout: TIMEOUT_MS }, () => {
  it("is read to the same rows however it is cut, or refused with a place in it", async () => {
    const encoding = fc.constantFrom<"utf-8" | "utf-16le" | "windows-1252">(
      "utf-8",
      "utf-16le",
      "windows-1252",
    );
    const property = fc.asyncProperty(mutatedBytes(CSV), size, encoding, async (bytes, cut, named) => {
      const read = (piece: number) =>
        outcomeOf(() =>
          collect(
            fromCsv(pieces(bytes, piece), (row: CsvRow) => ({ ...row }), {
              name: "a\nb.csv",
              encoding: named,
            }),
          ),
        );
      const [whole, parts] = [await read(1_000_000), await read(cut)];
      const [inWhole, inParts] = [whole?.error?.message, parts?.error?.message];
      // Of two things that are wrong, that is told which is read first: the pieces are read line by line.
      if (lineOf(inWhole) === lineOf(inParts)) expect(inParts).toBe(inWhole);
      else expect(lineOf(inParts)).toBeLessThan(lineOf(inWhole) ?? 0);
      // What is no text is never guessed at.
      if (whole?.error === undefined && named === "utf-8")
        expect(() => new TextDecoder(named, { fatal: true }).decode(bytes)).not.toThrow();
      if (whole?.error === undefined && parts?.error === undefined)
        expect(parts?.value).toEqual(whole?.value);
      else expect(whole?.error?.message).toMatch(/^a\\u000ab\.csv/);
    });
    await holds({ group: "CSV and JSONL bytes", what: "CSV", share: 0.5 }, property);
  });

  it("of JSON lines holds the values that JSON says, or is refused with a place in it", async () => {
    const property = fc.asyncProperty(mutatedBytes(JSONL), size, async (bytes, cut) => {
      const read = await outcomeOf(() =>
        collect(fromJsonl<unknown>(pieces(bytes, cut), undefined, { allowEmpty: true })),
      );
      if (read?.error === undefined) {
        const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
        const lines = text.split("\n").filter((line) => !/^[ \t\r]*$/.test(line));
        expect(read?.value).toEqual(lines.map((line) => JSON.parse(line)));
      } else {
        expect(read.error.message).toMatch(/^stream:\d+ /);
      }
    });
    await holds({ group: "CSV and JSONL bytes", what: "JSONL", share: 0.5 }, property);
  });
});
