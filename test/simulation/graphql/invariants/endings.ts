/** Every error has the documented code for the last answer, and a documented reason if it was not retried. */
import { SaasManagementError } from "@saas-management/sdk/graphql";
import type { Call, Moment, SentRequest } from "../journal.js";
import type { KeySpec } from "../program.js";
import type { Simulated } from "../simulate.js";
import { lowestBudget } from "./budget.js";
import { operationsOf } from "./retries.js";

/** Default bounds of the pauses. */
const MIN_DELAY_MS = 200;
const MAX_DELAY_MS = 10_000;
/** Tokens that a retry costs. */
const RETRY_COST = 5;

export function brokenEndingRules(simulated: Simulated): string[] {
  const { journal } = simulated;
  const operations = operationsOf(journal.requests);
  return journal.calls.flatMap((call) => [
    ...groundlessSuccess(call, journal.requests),
    ...call.failures.flatMap(({ error, met }) => {
      if (!(error instanceof SaasManagementError)) return [];
      const own = operations.filter(
        ([first]) => first !== undefined && first.call === call && first.sent.order < met.order,
      );
      const wrong = wrongEnding(error, met, call, own.at(-1) ?? [], simulated);
      return wrong === undefined ? [] : [`endings: ${call.id} ended with ${error.code}, ${wrong}`];
    }),
  ]);
}

/** A call succeeds only if its last answer says so. */
function groundlessSuccess(call: Call, requests: readonly SentRequest[]): string[] {
  const last = requests.findLast((request) => request.call === call)?.answered?.verdict.outcome;
  if (call.value === undefined || last === "good") return [];
  return [`endings: ${call.id} ended well, and its last answer is ${last ?? "none"}`];
}

/** Describes what is wrong with an error, if anything is. */
function wrongEnding(
  error: SaasManagementError,
  met: Moment,
  call: Call,
  attempts: readonly SentRequest[],
  simulated: Simulated,
): string | undefined {
  const { journal, program } = simulated;
  const { code } = error;
  const last = attempts.at(-1)?.answered?.verdict;
  if (code === "CLOSED") return journal.closing === undefined ? "and was not closed" : undefined;
  if (code === "TIMEOUT") return wrongTimeout(met, call, attempts, program.key);
  const keyFails = program.key.form === "function" && program.key.failsAt !== undefined;
  if (code === "AUTHENTICATION_FAILED" && keyFails) return undefined;
  if (last === undefined) return "and nothing was answered";
  if (code === "PERMISSION_DENIED" && last.outcome === "unauthorized" && call.kind === "mutation")
    return wasAccepted(attempts, simulated) ? undefined : "and its key was not accepted before";
  if (last.code !== code) return `and its answer means ${last.code ?? "success"}`;
  if (last.outcome === "good") return undefined;
  if (error.attempts !== attempts.length)
    return `and reports ${error.attempts} of ${attempts.length} attempts`;
  if (last.outcome !== "transient" || !call.repeatable)
    return error.stoppedBecause === "not-retryable" ? undefined : `because of ${error.stoppedBecause}`;
  return unjustified(error, met, call, attempts, simulated);
}

/** Whether an earlier request with the same key was answered well: the key may read, so it may not change anything. */
function wasAccepted(attempts: readonly SentRequest[], { journal }: Simulated): boolean {
  const refused = attempts.at(-1);
  return journal.requests.some(
    ({ key, answered }) =>
      key === refused?.key &&
      answered?.verdict.outcome === "good" &&
      answered.order < (refused.answered?.order ?? 0),
  );
}

/** An operation times out when its time is up, or earlier if the next pause would exceed it. */
function wrongTimeout(
  met: Moment,
  call: Call,
  attempts: readonly SentRequest[],
  key: KeySpec,
): string | undefined {
  if (met.at < call.begun.at + call.timeoutMs) return "and there was time left";
  // It may have waited for the key without sending anything.
  if (key.form === "function" && (key.slowMs > 0 || key.stallsAt !== undefined)) return undefined;
  const deadline = (attempts[0]?.sent.at ?? Number.POSITIVE_INFINITY) + call.timeoutMs;
  const last = attempts.at(-1)?.answered;
  const pointless =
    call.repeatable && last !== undefined && last.at < deadline && (last.verdict.notBefore ?? 0) >= deadline;
  return pointless ? "after a pause that it had no time for" : undefined;
}

/** Describes why an operation should have been retried. */
function unjustified(
  error: SaasManagementError,
  met: Moment,
  call: Call,
  attempts: readonly SentRequest[],
  simulated: Simulated,
): string | undefined {
  const last = attempts.at(-1)?.answered;
  const deadline = call.begun.at + call.timeoutMs;
  const refused = attempts.filter(({ answered }) => answered?.verdict.outcome === "unauthorized").length;
  const asked = last?.verdict.notBefore ?? 0;
  const pause = Math.min(MAX_DELAY_MS, MIN_DELAY_MS * 2 ** (attempts.length - 1));
  const reasons = {
    "retries-exhausted": attempts.length - refused === 1 + call.retries,
    "retry-after-exceeds-deadline": asked >= deadline,
    deadline: (last?.at ?? 0) + pause >= deadline || asked >= deadline,
    "budget-exhausted": lowestBudget(simulated, met.order) < RETRY_COST,
    "not-retryable": false,
  };
  const { stoppedBecause: reason } = error;
  return reason !== undefined && reasons[reason] ? undefined : `because of ${reason}`;
}
