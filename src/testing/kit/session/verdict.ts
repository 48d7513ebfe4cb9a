import { type HeldReason, RunHeldError } from "../../../core/errors/index.js";
import type { Inspection } from "../../../reference-server/sync/inspect.js";
import { COLLECTIONS, isCollection } from "../../../sync/collections.js";
import { type Change, compareEffects, describeChanges } from "../effect/compare.js";
import type { FaultResult } from "../report.js";

/** What a connector must come to, whatever happens: the effects of runs without a fault. */
export interface Expectation {
  readonly effect: Inspection;
  /** After one more run, a day later. */
  readonly nextNight: Inspection;
  /** Fields of times, which differ between clean runs too. */
  readonly volatile: ReadonlySet<string>;
}

/** What a case came to, to be judged. */
export interface Judged {
  readonly end: "completed" | "held" | "refused";
  readonly error: unknown;
  readonly effect: Inspection;
  /** The run without the fault that followed one that was held or refused. */
  readonly next?: { readonly error: unknown; readonly effect: Inspection } | undefined;
  /** What was struck, such as `GET /users?page=2 answered 500`. */
  readonly struck: string | undefined;
  /** Secrets that came out: `the authorization header is in the error`. */
  readonly leaks: readonly string[];
  /** Whether the SDK may have sent events without ids again, because an answer of the service was lost. */
  readonly mayRepeat?: boolean | undefined;
  /** Says so if the run would never have ended. */
  readonly endless?: string | undefined;
  /** Kinds of difference that no connector can see under this fault. */
  readonly excuses?: readonly Change["kind"][] | undefined;
}

export function judge(
  judged: Judged,
  expected: Expectation,
): Pick<FaultResult, "verdict" | "cause" | "error"> {
  const { end, error, next, leaks, struck } = judged;
  const wrong = (what: string) => ({
    verdict: "WRONG" as const,
    cause: struck === undefined ? what : `${what}; cause: ${struck}`,
  });
  // The error's message may hold the secret.
  if (leaks.length > 0) return wrong(`leaked: ${leaks.join("; ")}`);
  if (judged.endless !== undefined) return wrong(judged.endless);
  if (end === "completed") {
    const changes = unexcused(compareEffects(judged.effect, expected.effect, expected.volatile), judged);
    return changes.length === 0 ? { verdict: "same" } : wrong(describeChanges(changes));
  }
  const message = messageOf(error);
  if (next === undefined) return { verdict: end, error: message };
  if (next.error !== undefined)
    return wrong(`the next run, without the fault, failed too: ${messageOf(next.error)}`);
  const changes = compareEffects(next.effect, afterFailure(expected), expected.volatile);
  const left = leftBehind(judged.effect, changes);
  if (left.length > 0) return wrong(`the next run, without the fault, ${describeChanges(left)}`);
  return { verdict: end, error: message };
}

function unexcused(
  changes: readonly Change[],
  { excuses = [], mayRepeat = false }: Judged,
): readonly Change[] {
  return changes.filter(
    ({ kind, ids }) =>
      !excuses.includes(kind) && !(mayRepeat && kind === "doubled" && ids.every((id) => id === "")),
  );
}

/** What the next run must lead to: snapshots as a day later, and events as if the run that failed had not been. */
function afterFailure({ effect, nextNight }: Expectation): Inspection {
  const events = Object.entries(effect.snapshots).filter(
    ([name]) => isCollection(name) && COLLECTIONS[name].model === "event",
  );
  return { ...nextNight, snapshots: { ...nextNight.snapshots, ...Object.fromEntries(events) } };
}

/**
 * The differences that the next run made itself. What a run that was not completed has sent is visible, and the service
 * removes none of it: new records, and events, of which the first version stays.
 */
function leftBehind(failed: Inspection, changes: readonly Change[]): readonly Change[] {
  return changes.flatMap((change) => {
    const { collection, kind } = change;
    const isEvents = COLLECTIONS[collection].model === "event";
    const isExtra = kind === "added" || kind === "doubled";
    if (!isExtra && !(isEvents && (kind === "emptied" || kind === "changed"))) return [change];
    const sent = new Set(failed.snapshots[collection].map(({ id }) => id));
    const ids = change.ids.filter((id) => !sent.has(id));
    return ids.length === 0 ? [] : [{ ...change, ids }];
  });
}

export function messageOf(error: unknown): string {
  if (error instanceof RunHeldError) return error.report.reasons.map(reasonOf).join("; ");
  return error instanceof Error ? error.message : String(error);
}

/** The ids are listed in the memory of the kit. */
function reasonOf({ message, listedIn }: HeldReason): string {
  return listedIn === undefined ? message : message.replace(`, listed in ${listedIn}`, "");
}
