import type { Portfolio } from "../../portfolio.js";
import type { MessageOf } from "../../workspace.js";
import { type Digest, details } from "./digest.js";
import { getOrAdd } from "./get-or-add.js";
import type { LicenseAssessor } from "./license-assessor.js";
import { LicensePlanRow } from "./license-plans.js";
import { LicenseRow } from "./licenses.js";
import { PlanMatcher } from "./plan-matcher.js";
import { seatPriceOf } from "./seat-price.js";

/** The licenses and license plans of one installation. */
export interface Licensing {
  readonly licenses: readonly LicenseRow[];
  readonly plans: readonly LicensePlanRow[];
}

/** Puts together what an installation synced and what the portfolio knows. */
export function licensingOf(
  { installation, plans }: Digest,
  records: readonly MessageOf<"licenses">[],
  { planPrices = [], contracts = [] }: Portfolio,
  assessor: LicenseAssessor,
): Licensing {
  const priceOf = new PlanMatcher(planPrices);
  const contractOf = new PlanMatcher(contracts);
  const licensesOf = new Map<string, LicenseRow[]>();
  const planRows = new Map<string, LicensePlanRow>();
  for (const plan of plans.values()) {
    const match = {
      planName: plan.externalPlanName,
      integrationName: installation.integration.name,
      sourcePlanId: plan.id,
    };
    const price = priceOf.find(match);
    const licenses = getOrAdd(licensesOf, plan.id, () => []);
    planRows.set(
      plan.id,
      new LicensePlanRow(installation, plan, licenses, price && seatPriceOf(price), contractOf.find(match)),
    );
  }
  const licenses: LicenseRow[] = [];
  for (const license of details(records)) {
    const plan = planRows.get(license.sourcePlanId) ?? null;
    const row = new LicenseRow(installation, license, plan, assessor);
    licenses.push(row);
    licensesOf.get(license.sourcePlanId)?.push(row);
  }
  return { licenses, plans: [...planRows.values()] };
}
