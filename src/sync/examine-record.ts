/**
 * The second look at a record that its encoder refused: what exactly is wrong with it. Loaded when there is such a
 * record, and zod with it.
 */
import type { InputIssue } from "../errors.js";
import type { CollectionName } from "./collections.js";
import { RECORD_CHECKS } from "./generated/schemas.js";
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
    const checked = RECORD_CHECKS[collection](record);
    return checked.ok ? checked : { ok: false, issues: toIssues(checked.issues, place) };
  } catch {
    return { ok: false, issues: [{ ...place, path: "", expected: UNREADABLE }] };
  }
}
