/** Checks properties with hostile input, and sets how many cases each property is checked with. */
import { appendFileSync } from "node:fs";
import fc from "fast-check";
import { expect } from "vitest";
import type { FuzzGroup } from "../fuzz/groups.js";
import { Ended, outcomeOf } from "./hostile.js";
import { LIMITS, RUNS } from "./property-runs.js";

/** Minimum number of cases of a property, unless PROPERTY_RUNS is smaller. */
const MIN_RUNS = 96;

/** The share of the group's cases that a property checks. The shares of a group add up to at least 1. */
export interface Share {
  readonly group: FuzzGroup;
  /** What is fuzzed. The cases are counted under this name. */
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

/** Checks a property, and appends the number of its cases to the file `PROPERTY_COUNTS`. */
export async function holds<Values>(
  { group, what, share = 1 }: Share,
  property: fc.IAsyncProperty<Values> | fc.IProperty<Values>,
): Promise<void> {
  const numRuns = Math.max(Math.min(RUNS, MIN_RUNS), Math.ceil(RUNS * share));
  const details = await withoutStacks(() => fc.check(property, { ...LIMITS, numRuns }));
  count({ group, what, cases: details.numRuns });
  if (!details.failed) return;
  const path = details.counterexamplePath ?? "";
  const again = await fc.check(property, { ...LIMITS, path, endOnFailure: true });
  const shown = again.failed ? again : details;
  throw new Error(await fc.asyncDefaultReportMessage(shown), { cause: shown.errorInstance });
}

/**
 * Checks that a call works with hostile input or is refused with an SDK error, and that both happen.
 * @param isOwn whether the outcome is the caller's own reason, which counts as a refusal
 */
export async function worksOrIsRefused<Input>(
  share: Share,
  input: fc.Arbitrary<Input>,
  use: (input: Input) => unknown,
  isOwn: (reason: unknown) => boolean = () => false,
): Promise<void> {
  const seen = { worked: 0, refused: 0 };
  const property = fc.asyncProperty(input, async (given) => {
    const outcome = await outcomeOf(
      async () => use(given),
      (reason) => reason instanceof Ended || isOwn(reason),
    );
    seen[outcome !== undefined && outcome.error === undefined ? "worked" : "refused"] += 1;
  });
  await holds(share, property);
  expect(Math.min(seen.worked, seen.refused)).toBeGreaterThan(0);
}

/** Most cases end in errors, and capturing their stacks would take most of the time. */
async function withoutStacks<T>(run: () => Promise<T> | T): Promise<T> {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  try {
    return await run();
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}

/** Appends a number of cases to the file `PROPERTY_COUNTS`. */
export function count(counted: PropertyCount): void {
  const file = process.env["PROPERTY_COUNTS"];
  if (file !== undefined) appendFileSync(file, `${JSON.stringify(counted)}\n`);
}
