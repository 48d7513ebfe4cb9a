import { brokenBudgetRules } from "./invariants/budget.js";
import { brokenCancellationRules } from "./invariants/cancellation.js";
import { brokenEndingRules } from "./invariants/endings.js";
import { brokenMutationRules } from "./invariants/mutations.js";
import { brokenPrefetchRules } from "./invariants/prefetch.js";
import { brokenRetryRules } from "./invariants/retries.js";
import { brokenTraceRules } from "./invariants/traces.js";
import { brokenWalkRules } from "./invariants/walks.js";
import type { Simulated } from "./simulate.js";

/**
 * What must hold after every program of the GraphQL facade, whatever the faults.
 * @returns the violations, each of them a sentence that begins with the invariant's name; none is what is wanted
 */
export function graphqlViolations(simulated: Simulated): readonly string[] {
  return [
    ...brokenWalkRules(simulated),
    ...brokenMutationRules(simulated),
    ...brokenRetryRules(simulated),
    ...brokenBudgetRules(simulated),
    ...brokenEndingRules(simulated),
    ...brokenCancellationRules(simulated),
    ...brokenPrefetchRules(simulated),
    ...brokenTraceRules(simulated),
  ];
}
