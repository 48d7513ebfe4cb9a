/**
 * Writes the records of a pool to a file for clients in other languages, and prints how many bytes a record takes in a
 * message.
 *
 * Arguments: `{ kind, text, file }` as JSON.
 */
import { writeFileSync } from "node:fs";
import { varintBytes } from "../../../src/sync/encoding/byte-writer.js";
import { Account, Employee, License, Usage } from "../../../src/sync/generated/contract.js";
import { MODELS } from "../clients/ts-proto.js";
import type { TextKind } from "../names.js";
import { type Details, type Kind, makePool } from "../records.js";

const ENCODED_BYTES: { readonly [K in Kind]: (details: Details[K]) => number } = {
  accounts: (value) => Account.encode(MODELS.accounts(generic(value))).finish().length,
  licenses: (value) => License.encode(MODELS.licenses(generic(value))).finish().length,
  usage: (value) => Usage.encode(MODELS.usage(generic(value))).finish().length,
  employees: (value) => Employee.encode(MODELS.employees(generic(value))).finish().length,
};

const { kind, text, file }: { readonly kind: Kind; readonly text: TextKind; readonly file: string } =
  JSON.parse(process.argv[2] ?? "");
console.log(bytesPerRecord(kind));

function bytesPerRecord<K extends Kind>(of: K): number {
  const pool = makePool(of, text);
  writeFileSync(file, JSON.stringify(pool.map(withPlainMoments)));
  const encodedBytes = ENCODED_BYTES[of];
  const sum = pool.reduce((bytes, details) => bytes + framed(encodedBytes(details)), 0);
  return sum / pool.length;
}

/** Adds the tag and the length of a record. */
function framed(bytes: number): number {
  return 1 + varintBytes(bytes) + bytes;
}

function generic<Value>(value: Value) {
  return { variant: { $case: "generic" as const, value } };
}

function withPlainMoments(details: object): object {
  const entries: [string, unknown][] = Object.entries(details);
  return Object.fromEntries(
    entries.map(([name, value]) => [name, value instanceof Date ? { ms: value.getTime() } : value]),
  );
}
