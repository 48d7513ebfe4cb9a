import { RunHeldError } from "../../../core/errors/index.js";
import type { Inspection } from "../../../reference-server/sync/inspect.js";
import type { FaultResult } from "../report.js";
import { type Change, compareEffects, describeChanges } from "./compare.js";

/** The outcome that every run must lead to: the effects of runs without a fault. */
export interface Expectation {
  readonly effect: Inspection;
  /** Effect of a run a day later, if today's run never happened. */
  readonly nextRun: Inspection;
  /** Fields with times, which differ between clean runs too. */
  readonly volatile: ReadonlySet<string>;
}

/** The outcome of a run, ready to be judged. */
export interface Judged {
  readonly end: "completed" | "held" | "refused";
  readonly error: unknown;
  readonly effect: Inspection;
  /** Whether the run had started to send. */
  readonly hasSent: boolean;
  /** The next run, without the fault, after a run that was held or refused. */
  readonly next?: { readonly error: unknown; readonly effect: Inspection } | undefined;
  /** Where the fault was injected, such as `GET /users?page=2 answered 500`. */
  readonly injected: string | undefined;
  /** Secrets that leaked: `the authorization header is in the error`. */
  readonly leaks: readonly string[];
  /** The reason, if the run would never have ended. */
  readonly endless?: string | undefined;
  /** Kinds of difference that aren't WRONG under this fault, because no connector could avoid them. */
  readonly excuses?: readonly Change["kind"][] | undefined;
}

export function judge(
  judged: Judged,
  expected: Expectation,
): Pick<FaultResult, "verdict" | "cause" | "error"> {
  const { end, error, next, leaks, injected } = judged;
  const wrong = (what: string) => ({
    verdict: "WRONG" as const,
    cause: injected === undefined ? what : `${what}; cause: ${injected}`,
  });
  // The error's message may contain the secret.
  if (leaks.length > 0) return wrong(`leaked: ${leaks.join("; ")}`);
  if (judged.endless !== undefined) return wrong(judged.endless);
  if (end === "completed") {
    const { excuses = [] } = judged;
    const changes = compareEffects(judged.effect, expected.effect, expected.volatile).filter(
      ({ kind }) => !excuses.includes(kind),
    );
    return changes.length === 0 ? { verdict: "same" } : wrong(describeChanges(changes));
  }
  if (judged.hasSent) return wrong("the run failed after it began to send, as if a write was not awaited");
  const message = messageOf(error);
  if (next === undefined) return { verdict: end, error: message };
  if (next.error !== undefined)
    return wrong(`the next run, without the fault, failed too: ${messageOf(next.error)}`);
  const changes = compareEffects(next.effect, expected.nextRun, expected.volatile);
  if (changes.length > 0) return wrong(`the next run, without the fault, ${describeChanges(changes)}`);
  return { verdict: end, error: message };
}

export function messageOf(error: unknown): string {
  if (error instanceof RunHeldError) return error.report.reasons.map((reason) => reason.message).join("; ");
  return error instanceof Error ? error.message : String(error);
}
