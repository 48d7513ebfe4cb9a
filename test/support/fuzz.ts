/** Properties of hostile input: how many cases each looks at, and the count of them. */
import { appendFileSync } from "node:fs";
import fc from "fast-check";
import type { FuzzGroup } from "../fuzz/groups.js";
import { LIMITS, RUNS } from "./property-runs.js";

/** A property looks at no fewer cases than this, unless all of them do. */
const FEWEST = 120;

/** How many of the group's cases a property looks at. The shares of a group add up to 1 or more. */
export interface Share {
  readonly group: FuzzGroup;
  /** What is fuzzed, for the list of counts. */
  readonly what: string;
  /** @default 1 */
  readonly share?: number;
}

/** One line of the file that `PROPERTY_COUNTS` names. */
export interface PropertyCount {
  readonly group: string;
  readonly what: string;
  readonly cases: number;
}

/** Checks a property, and counts its cases where `PROPERTY_COUNTS` names a file for that. */
export async function holds<Values>(
  { group, what, share = 1 }: Share,
  property: fc.IAsyncProperty<Values> | fc.IProperty<Values>,
): Promise<void> {
  const numRuns = Math.max(Math.min(RUNS, FEWEST), Math.ceil(RUNS * share));
  const details = await withoutStacks(() => fc.check(property, { ...LIMITS, numRuns }));
  count({ group, what, cases: details.numRuns });
  if (!details.failed) return;
  const path = details.counterexamplePath ?? "";
  const again = await fc.check(property, { ...LIMITS, path, endOnFailure: true });
  const shown = again.failed ? again : details;
  throw new Error(await fc.asyncDefaultReportMessage(shown), { cause: shown.errorInstance });
}

/** Most cases end in errors, and most of their time would go into stacks that nobody reads. */
async function withoutStacks<T>(run: () => Promise<T> | T): Promise<T> {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  try {
    return await run();
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}

function count(counted: PropertyCount): void {
  const file = process.env["PROPERTY_COUNTS"];
  if (file !== undefined) appendFileSync(file, `${JSON.stringify(counted)}\n`);
}
