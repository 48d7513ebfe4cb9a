import type { PlanMatch } from "../../portfolio.js";

/** Finds what a portfolio says about a plan. */
export class PlanMatcher<T extends PlanMatch> {
  readonly #byPlanName = new Map<string, readonly T[]>();

  constructor(entries: readonly T[]) {
    for (const entry of entries) {
      const known = this.#byPlanName.get(entry.planName) ?? [];
      this.#byPlanName.set(entry.planName, [...known, entry]);
    }
  }

  /** The entry that says most about which plan it means, of those that agree with the plan. */
  find(plan: Required<PlanMatch>): T | undefined {
    const matches = (this.#byPlanName.get(plan.planName) ?? []).filter(
      ({ integrationName, sourcePlanId }) =>
        (integrationName ?? plan.integrationName) === plan.integrationName &&
        (sourcePlanId ?? plan.sourcePlanId) === plan.sourcePlanId,
    );
    return matches.sort((a, b) => precision(b) - precision(a))[0];
  }
}

function precision({ integrationName, sourcePlanId }: PlanMatch): number {
  return Number(integrationName !== undefined) + Number(sourcePlanId !== undefined);
}
