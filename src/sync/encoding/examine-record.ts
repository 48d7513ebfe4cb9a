/**
 * The second look at a record that its encoder refused: what exactly is wrong with it. Loaded when there is such a
 * record, and zod with it.
 */
import type { InputIssue } from "../../core/errors/index.js";
import type { CollectionName } from "../collections.js";
import { RECORD_CHECKS } from "../generated/schemas.js";
import { type RecordPlace, toIssues, UNREADABLE } from "./issues.js";

/** A record that is right after all, encoded; or what is wrong with it. */
export type ExaminedRecord =
  | { readonly ok: true; readonly bytes: Uint8Array }
  | { readonly ok: false; readonly issues: readonly InputIssue[] };

/** Examines a record by its schema. The schema has the last word: what it accepts is encoded by the codec. */
export function examineRecord(
  collection: CollectionName,
  record: unknown,
  place: RecordPlace,
): ExaminedRecord {
  try {
    const unmade = hintAt(record);
    if (unmade !== undefined) return { ok: false, issues: [{ ...place, path: "", expected: unmade }] };
    const checked = RECORD_CHECKS[collection](record);
    return checked.ok ? checked : { ok: false, issues: toIssues(checked.issues, place) };
  } catch {
    return { ok: false, issues: [{ ...place, path: "", expected: UNREADABLE }] };
  }
}

/** What to say of a value that is no record, but what records are still to be made of. */
function hintAt(value: unknown): string | undefined {
  if (value instanceof Promise) {
    return "a record, not a promise: a function that makes records must not be async; await within the source";
  }
  if (typeof value === "string" || ArrayBuffer.isView(value)) {
    return "a record, not text or bytes: make records of a file with fromCsv or fromJsonl, of a response with fromPages";
  }
  return undefined;
}
