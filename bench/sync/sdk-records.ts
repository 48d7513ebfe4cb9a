import type { RecordOf } from "@saas-management/sdk";
import type { TextKind } from "./names.js";
import { type Details, type Kind, makePool } from "./records.js";

const TO_RECORD: { readonly [K in Kind]: (details: Details[K]) => RecordOf<K> } = {
  accounts: (details) => details,
  licenses: (details) => details,
  usage: (details) => details,
  employees: (details) => details,
};

/** Makes different records of a kind, in the shape that this SDK takes. */
export function makeRecords<K extends Kind>(kind: K, text: TextKind, size?: number): RecordOf<K>[] {
  return makePool(kind, text, size).map(TO_RECORD[kind]);
}
