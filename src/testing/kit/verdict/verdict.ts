import { RunHeldError } from "../../../core/errors/index.js";
import type { Inspection } from "../../../reference-server/sync/inspect.js";
import type { FaultResult } from "../report.js";
import { type Change, compareEffects, describeChanges } from "./compare.js";

/** What a connector must come to, whatever happens: the effects of runs without a fault. */
export interface Expectation {
  readonly effect: Inspection;
  /** Of a run a day later, if that day's had not been. */
  readonly nextRun: Inspection;
  /** Fields of times, which differ between clean runs too. */
  readonly volatile: ReadonlySet<string>;
}

/** What a run came to, to be judged. */
export interface Judged {
  readonly end: "completed" | "held" | "refused";
  readonly error: unknown;
  readonly effect: Inspection;
  /** Whether it has begun to send. */
  readonly hasSent: boolean;
  /** The run without the fault that followed one that was held or refused. */
  readonly next?: { readonly error: unknown; readonly effect: Inspection } | undefined;
  /** Where the fault was injected, such as `GET /users?page=2 answered 500`. */
  readonly injected: string | undefined;
  /** Secrets that came out: `the authorization header is in the error`. */
  readonly leaks: readonly string[];
  /** Says so if the run would never have ended. */
  readonly endless?: string | undefined;
  /** Kinds of difference that no connector can see under this fault. */
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
  // The error's message may hold the secret.
  if (leaks.length > 0) return wrong(`leaked: ${leaks.join("; ")}`);
  if (judged.endless !== undefined) return wrong(judged.endless);
  if (end === "completed") {
    const { excuses = [] } = judged;
    const changes = compareEffects(judged.effect, expected.effect, expected.volatile).filter(
      ({ kind }) => !excuses.includes(kind),
    );
    return changes.length === 0 ? { verdict: "same" } : wrong(describeChanges(changes));
  }
  if (judged.hasSent) return wrong("it failed after it had begun to send, as if a write was not awaited");
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
