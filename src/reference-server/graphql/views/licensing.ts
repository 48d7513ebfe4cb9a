import type { Workspace } from "../../workspace.js";
import { RowSet } from "../connection/row-set.js";
import type { Digest } from "./digest.js";
import { getOrAdd } from "./get-or-add.js";
import { type LicenseCounts, type LicensePlanRow, licensePlanRow } from "./license-plans.js";
import {
  assessLicenses,
  type LicensePrices,
  type LicenseRow,
  licensePrices,
  licenseRow,
  type RecentUse,
} from "./licenses.js";
import type { People } from "./people.js";
import { PlanMatcher } from "./plan-matcher.js";
import type { UsageIndex } from "./usage-index.js";

/** The licenses and license plans of a workspace. */
export interface Licensing {
  readonly licenses: RowSet<LicenseRow>;
  readonly licensePlans: RowSet<LicensePlanRow>;
}

interface PricedPlan {
  readonly row: LicensePlanRow;
  readonly prices: LicensePrices | null;
}

/** Puts together what the installations synced and what the portfolio knows. */
export function licensingOf(
  workspace: Workspace,
  digests: readonly Digest[],
  people: People,
  usage: UsageIndex,
  recent: RecentUse,
): Licensing {
  const priceOf = new PlanMatcher(workspace.portfolio.planPrices ?? []);
  const contractOf = new PlanMatcher(workspace.portfolio.contracts ?? []);
  const licenses: LicenseRow[] = [];
  const plans: LicensePlanRow[] = [];
  for (const digest of digests) {
    const assessed = assessLicenses(digest, people, usage, recent);
    const counts = new Map<string, LicenseCounts>();
    for (const { license, state } of assessed) {
      const count = getOrAdd(counts, license.sourcePlanId, noLicenses);
      const isUsed = state.activity === "USED";
      count.all += 1;
      if (isUsed) count.used += 1;
      if (license.billable === true) count.billable += 1;
      if (license.billable === true && !isUsed) count.billableUnused += 1;
    }
    const priced = new Map<string, PricedPlan>();
    for (const plan of digest.plans.values()) {
      const match = {
        planName: plan.externalPlanName,
        integrationName: digest.installation.integration.name,
        sourcePlanId: plan.id,
      };
      const price = priceOf.find(match);
      const row = licensePlanRow(
        digest,
        plan,
        counts.get(plan.id) ?? noLicenses(),
        price,
        contractOf.find(match),
      );
      priced.set(plan.id, { row, prices: price === undefined ? null : licensePrices(price) });
      plans.push(row);
    }
    for (const license of assessed) {
      const plan = priced.get(license.license.sourcePlanId);
      licenses.push(licenseRow(digest, license, plan?.row ?? null, plan?.prices ?? null));
    }
  }
  return { licenses: new RowSet(licenses), licensePlans: new RowSet(plans) };
}

function noLicenses(): LicenseCounts {
  return { all: 0, used: 0, billable: 0, billableUnused: 0 };
}
