/**
 * Requests are retried only if that may help and is safe, not too early, too often or too late; every error has the
 * code and the reason that its last answer demands; and a mutation that succeeds was done, one that fails at most once.
 */
import { MutationError, SaasManagementError } from "@saas-management/sdk/graphql";
import type { Call, Moment, SentRequest } from "./journal.js";
import type { Simulated } from "./simulate.js";

/** Default bounds of the pauses, in milliseconds. */
const MIN_DELAY_MS = 200;
const MAX_DELAY_MS = 10_000;

export function callViolations(call: Call, simulated: Simulated): string[] {
  const operations = operationsOf(simulated.journal.requests.filter((request) => request.call === call));
  const found = [
    ...operations.flatMap((attempts) => brokenRetries(call, attempts)),
    ...call.failures.map(({ error, met }) => {
      const sent = operations.filter(([first]) => first !== undefined && first.sent.order < met.order);
      const wrong =
        error instanceof SaasManagementError && wrongEnding(error, met, call, sent.at(-1) ?? [], simulated);
      return wrong ? `endings: ${error.code}, ${wrong}` : undefined;
    }),
    groundlessSuccess(call, operations.at(-1)?.at(-1)),
    late(call),
    ...(call.kind === "mutation" ? wrongEffects(call, simulated) : []),
  ];
  return found.flatMap((what) => (what === undefined ? [] : [`${what} (${call.id})`]));
}

/** The requests of each operation: every attempt has its signal. */
function operationsOf(requests: readonly SentRequest[]): readonly (readonly SentRequest[])[] {
  const signals = new Set(requests.map(({ signal }) => signal));
  return [...signals].map((own) => requests.filter(({ signal }) => signal === own));
}

function brokenRetries(call: Call, attempts: readonly SentRequest[]): (string | undefined)[] {
  const found = attempts.map(({ sent }, index) => {
    if (sent.at > (attempts[0]?.sent.at ?? 0) + call.timeoutMs) return "deadline: sent after its time was up";
    const before = attempts[index - 1];
    if (before === undefined) return undefined;
    const { answered } = before;
    if (answered === undefined || answered.order > sent.order) return "retries: before it was answered";
    const { outcome, notBefore = 0 } = answered.verdict;
    if (outcome !== "transient") return `retries: after an answer that is ${outcome}`;
    if (!call.repeatable) return "retries: not safe";
    return sent.at < notBefore ? `retry-after: ${notBefore - sent.at} ms too early` : undefined;
  });
  const isTooMany = attempts.length > 1 + call.retries;
  return [...found, isTooMany ? `retries: ${attempts.length} attempts` : undefined];
}

/** A call succeeds only if its last answer says so, with an answer that is its own. */
function groundlessSuccess({ id, kind, value }: Call, last: SentRequest | undefined): string | undefined {
  if (value === undefined || kind === "walk") return undefined;
  if (last?.answered?.verdict.outcome !== "good") return "endings: success without a good answer";
  return JSON.stringify(value).includes(id) || isRefusal(value) ? undefined : "answers: of another call";
}

/** A call of one request ends when its time is up, or at once when it is cancelled. */
function late({ kind, begun, settled, givenUp, timeoutMs }: Call): string | undefined {
  if (kind === "walk" || settled === undefined) return undefined;
  const until = Math.min(begun.at + timeoutMs, givenUp?.at ?? Number.POSITIVE_INFINITY);
  return settled.at > until ? `deadline: ended ${settled.at - until} ms too late` : undefined;
}

/** Describes what is wrong with an error, if anything is. */
function wrongEnding(
  { code, attempts: told, stoppedBecause }: SaasManagementError,
  met: Moment,
  call: Call,
  attempts: readonly SentRequest[],
  { journal }: Simulated,
): string | undefined {
  const last = attempts.at(-1)?.answered;
  if (code === "CLOSED") return journal.closing === undefined ? "and was not closed" : undefined;
  const deadline = (attempts[0]?.sent.at ?? Number.POSITIVE_INFINITY) + call.timeoutMs;
  const asked = last?.verdict.notBefore ?? 0;
  if (code === "TIMEOUT") {
    if (met.at < call.begun.at + call.timeoutMs) return "and there was time left";
    const isPointless = call.repeatable && last !== undefined && last.at < deadline && asked >= deadline;
    return isPointless ? "after a pause that it had no time for" : undefined;
  }
  if (last === undefined) return "and nothing was answered";
  if (last.verdict.code !== code) return `and its answer means ${last.verdict.code ?? "success"}`;
  if (last.verdict.outcome === "good") return undefined;
  if (told !== attempts.length) return `and reports ${told} of ${attempts.length} attempts`;
  const isFinal = last.verdict.outcome !== "transient" || !call.repeatable;
  const pause = Math.min(MAX_DELAY_MS, MIN_DELAY_MS * 2 ** (attempts.length - 1));
  const reasons = {
    "retries-exhausted": attempts.length === 1 + call.retries,
    "retry-after-exceeds-deadline": asked >= deadline,
    deadline: last.at + pause >= deadline || asked >= deadline,
    // No program has so many faults.
    "budget-exhausted": false,
    "not-retryable": isFinal,
  };
  const isRight = stoppedBecause !== undefined && reasons[stoppedBecause];
  return isRight && isFinal === (stoppedBecause === "not-retryable")
    ? undefined
    : `because of ${stoppedBecause}`;
}

function wrongEffects({ id, repeatable, value, failures }: Call, { service }: Simulated): string[] {
  const effects = service.effects.get(id) ?? 0;
  const isDone = value !== undefined && !isRefusal(value);
  const isRefused = isRefusal(value) || failures.some(({ error }) => error instanceof MutationError);
  const isAdvised = failures.some(({ error }) => error instanceof SaasManagementError && error.retryable);
  return [
    ...(effects > 1 && !repeatable ? [`mutation: done ${effects} times`] : []),
    ...(isDone && effects === 0 ? ["mutation: succeeded but was not done"] : []),
    ...(isRefused && effects > 0 && !repeatable ? ["mutation: refused but done"] : []),
    ...(isAdvised && !repeatable ? ["mutation: its error says that it may be repeated"] : []),
  ];
}

function isRefusal(value: unknown): boolean {
  return typeof value === "object" && value !== null && "ok" in value && value.ok === false;
}
