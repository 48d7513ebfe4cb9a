/** The retry budget of a client is limited. */
import type { Simulated } from "../simulate.js";
import { operationsOf } from "./retries.js";

/** As documented. */
const TOKENS = 500;
const RETRY_COST = 5;

export function brokenBudgetRules(simulated: Simulated): string[] {
  const { events, journal } = simulated;
  const resent = operationsOf(journal.requests).flatMap((attempts) =>
    attempts.slice(0, -1).filter(({ answered }) => answered?.verdict.outcome === "transient"),
  ).length;
  const told = events.filter(({ hook, code }) => hook === "retry" && !isReplacement(code)).length;
  const lowest = lowestBudget(simulated);
  return [
    ...(resent > told ? [`hooks: ${resent} requests were sent again, and ${told} reported`] : []),
    ...(lowest < 0 ? [`budget: ${-lowest} more tokens were spent than there are`] : []),
  ];
}

/** The lowest budget up to a moment, according to the hooks. */
export function lowestBudget({ events }: Simulated, until = Number.POSITIVE_INFINITY): number {
  let tokens = TOKENS;
  let lowest = TOKENS;
  for (const { hook, order, code, attempt, outcome } of events) {
    if (order > until) break;
    if (hook === "retry" && !isReplacement(code)) tokens -= RETRY_COST;
    if (hook === "response" && outcome === "success")
      tokens = Math.min(TOKENS, tokens + (attempt > 1 ? RETRY_COST : 1));
    lowest = Math.min(lowest, tokens);
  }
  return lowest;
}

/** Replacing a key costs nothing. */
function isReplacement(code: string | undefined): boolean {
  return code === "AUTHENTICATION_FAILED";
}
