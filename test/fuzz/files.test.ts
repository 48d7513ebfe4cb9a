import { fromCsv, fromJsonl } from "@saas-management/sdk/sources";
import fc from "fast-check";
import { expect, test } from "vitest";
import { holds } from "../support/fuzz.js";
import { outcomeOf } from "../support/hostile.js";
import { mutatedBytes } from "../support/mutated-bytes.js";
import { TIMEOUT_MS } from "../support/property-runs.js";
import { all, inPieces } from "../support/source-reading.js";

const CSV = [
  'id,name,email\nu1,Ada,ada@example.com\nu2,"Lovelace, Ada",\nu3,"a ""b""\nc",x\n',
  "\ufeffid;name\r\nu1;Zürich\r\n\r\nu2;日本語 👩‍👩‍👧‍👦\r\n",
  "__proto__,constructor,id\nx,y,z\n",
  "id\n",
].map((text) => Buffer.from(text));
const JSONL = ['{"id":"u1","n":1}\n{"id":"u2","é":[null]}\n\n', '{"__proto__":{"polluted":1}}\n', "1\n"].map(
  (text) => Buffer.from(text),
);

/** The line that a message names. */
function lineOf(message: string | undefined): number | undefined {
  const named = message?.match(/^[^:]*:(\d+)/)?.[1];
  return named === undefined ? undefined : Number(named);
}

const size = fc.constantFrom(1, 2, 3, 7, 1000);

test("a damaged CSV file gives the same rows no matter how it is chunked, or is rejected with a location", {
  timeout: TIMEOUT_MS,
}, async () => {
  const encoding = fc.constantFrom<"utf-8" | "utf-16le" | "utf-16be" | "windows-1252">(
    "utf-8",
    "utf-16le",
    "utf-16be",
    "windows-1252",
  );
  const property = fc.asyncProperty(mutatedBytes(CSV), size, encoding, async (bytes, cut, named) => {
    const read = (piece: number) =>
      outcomeOf(() =>
        all(
          fromCsv(inPieces(bytes, piece), {
            map: (row) => ({ ...row }),
            name: "a\nb.csv",
            encoding: named,
            allowEmpty: true,
          }),
        ),
      );
    const [whole, parts] = [await read(1_000_000), await read(cut)];
    const [inWhole, inParts] = [whole?.error?.message, parts?.error?.message];
    // Of two faults, the first one in the file is reported, because files are read line by line.
    if (lineOf(inWhole) === lineOf(inParts)) expect(inParts).toBe(inWhole);
    else expect(lineOf(inParts)).toBeLessThan(lineOf(inWhole) ?? 0);
    // Invalid text is never guessed at.
    if (whole?.error === undefined && named === "utf-8")
      expect(() => new TextDecoder(named, { fatal: true }).decode(bytes)).not.toThrow();
    if (whole?.error === undefined && parts?.error === undefined) expect(parts?.value).toEqual(whole?.value);
    else expect(whole?.error?.message).toMatch(/^a\\u000ab\.csv/);
  });
  await holds({ group: "CSV and JSONL bytes", what: "CSV", share: 0.5 }, property);
});

test("a damaged JSON Lines file gives the values that JSON.parse returns, or is rejected with a location", {
  timeout: TIMEOUT_MS,
}, async () => {
  const property = fc.asyncProperty(mutatedBytes(JSONL), size, async (bytes, cut) => {
    const read = await outcomeOf(() => all(fromJsonl<unknown>(inPieces(bytes, cut), { allowEmpty: true })));
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
