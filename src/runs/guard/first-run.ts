import { InvalidInputError } from "../../core/errors/index.js";
import { isPlainObject, type Rule, wholeNumber } from "../../core/validate.js";
import {
  type Collection,
  collectionEntries,
  isCollection,
  isSnapshot,
  type SnapshotCollection,
} from "../../sync/collections.js";
import { count } from "../../sync/report-text.js";
import type { WriteStats } from "../../sync/write/options.js";

/** Whether a run is the first one, and how many records its caller expects in its snapshots. */
export type FirstRun = boolean | { readonly [C in SnapshotCollection]?: number };

const RECORDS = wholeNumber(0);

export const FIRST_RUN: Rule = {
  expected: "true, false, or numbers of records such as { accounts: 1240 }",
  fits: (value) =>
    typeof value === "boolean" ||
    (isPlainObject(value) &&
      Object.entries(value).every(
        ([name, records]) => isCollection(name) && isSnapshot(name) && RECORDS.fits(records),
      )),
};

/** @throws {InvalidInputError} a snapshot doesn't have the expected number of records */
export function checkCounts(
  firstRun: FirstRun | undefined,
  stats: Partial<Record<Collection, WriteStats>>,
): void {
  if (typeof firstRun !== "object") return;
  for (const [name, expected] of collectionEntries(firstRun)) {
    const written = stats[name]?.sent ?? 0;
    if (written === expected) continue;
    throw new InvalidInputError(
      `firstRun expects ${count(expected)} records of ${name}, and the connector wrote ${count(written)}. Nothing was sent: compare both with the dashboard before you run again.`,
      {
        issues: [{ collection: name, path: "", expected: `${expected} records` }],
        advice: { option: "firstRun", text: "firstRun" },
      },
    );
  }
}
