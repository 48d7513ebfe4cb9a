/** Requests are retried only if that may help and is safe, and not too early, too often or too late. */
import type { Call, Moment, SentRequest } from "../journal.js";
import type { Simulated } from "../simulate.js";

export function brokenRetryRules({ journal: { requests, calls } }: Simulated): string[] {
  const found: string[] = [];
  for (const attempts of operationsOf(requests)) {
    const [first] = attempts;
    if (first === undefined) continue;
    for (const [index, attempt] of attempts.entries()) {
      const before = attempts[index - 1];
      if (before !== undefined) found.push(...brokenRepetition(before, attempt));
      if (attempt.sent.at > first.sent.at + first.call.timeoutMs)
        found.push(`deadline: ${first.operation} was sent after its time was up`);
    }
    found.push(...tooMany(attempts, first.call));
  }
  return [...found, ...calls.flatMap(late)];
}

/** The requests of each operation. Every attempt has the operation's signal. */
export function operationsOf(requests: readonly SentRequest[]): readonly (readonly SentRequest[])[] {
  const operations = new Map<unknown, SentRequest[]>();
  for (const request of requests) {
    const known = operations.get(request.signal);
    if (known === undefined) operations.set(request.signal, [request]);
    else known.push(request);
  }
  return [...operations.values()];
}

function brokenRepetition({ answered, key, call }: SentRequest, again: SentRequest): string[] {
  const what = `${again.operation} of ${call.id}`;
  if (answered === undefined || answered.order > again.sent.order)
    return [`retries: ${what} was retried before it was answered`];
  const { outcome, notBefore } = answered.verdict;
  if (outcome === "unauthorized")
    return key === again.key ? [`retries: ${what} was retried with the refused key`] : [];
  if (outcome !== "transient") return [`retries: ${what} was retried after an answer that is ${outcome}`];
  if (!call.repeatable) return [`retries: ${what} was retried, which is not safe`];
  if (notBefore !== undefined && again.sent.at < notBefore)
    return [`retry-after: ${what} was retried ${notBefore - again.sent.at} ms too early`];
  return [];
}

function tooMany(attempts: readonly SentRequest[], { id, retries }: Call): string[] {
  const refused = attempts.slice(0, -1).filter(isRefused).length;
  if (refused > 1) return [`retries: the key was replaced ${refused} times for one operation of ${id}`];
  const allowed = 1 + retries + refused;
  return attempts.length > allowed ? [`retries: ${attempts.length} attempts of ${id}, of ${allowed}`] : [];
}

function isRefused({ answered }: SentRequest): boolean {
  return answered?.verdict.outcome === "unauthorized";
}

/** A call of one request ends when its time is up, or at once when it is cancelled. */
function late({ kind, begun, settled, givenUp, timeoutMs, id }: Call): string[] {
  if (kind === "walk" || settled === undefined) return [];
  const until: Moment["at"] = Math.min(begun.at + timeoutMs, givenUp?.at ?? Number.POSITIVE_INFINITY);
  return settled.at > until ? [`deadline: ${id} ended ${settled.at - until} ms too late`] : [];
}
