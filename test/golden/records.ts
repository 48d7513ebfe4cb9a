/** The records of the golden transcript, which were drawn once and are kept in records.json. */
import { readFileSync } from "node:fs";
import type { Collection, RecordTypes } from "@saas-management/sdk";

export type GoldenRecords = { readonly [C in Collection]: readonly RecordTypes[C][] };

/** Reads the records; `{ $date }` and `{ $bigint }` stand for values that JSON does not have. */
export function readGoldenRecords(): GoldenRecords {
  const text = readFileSync(new URL("./records.json", import.meta.url), "utf8");
  return JSON.parse(text, (_key, value: unknown) => {
    if (typeof value !== "object" || value === null) return value;
    if ("$date" in value) return new Date(String(value.$date));
    return "$bigint" in value ? BigInt(String(value.$bigint)) : value;
  });
}
