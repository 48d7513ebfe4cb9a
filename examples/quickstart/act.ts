import { isMutationError } from "@saas-management/sdk";
import type { GraphQLClient } from "@saas-management/sdk/graphql";
import { count, heading, money } from "./print.js";
import { largestSaving } from "./report.js";

/** Opens a procurement case for the plan with the largest potential saving, and sanctions a vendor. */
export async function act(graphql: GraphQLClient, vendor: string): Promise<void> {
  heading("What is done about it");
  const plan = await largestSaving(graphql);
  try {
    const opened = await graphql.createProcurementCase({
      state: "PRE",
      name: `${plan.product} ${plan.name}: hand back unused seats`,
      deadline: plan.renewal,
      baselineType: "LAST_YEAR_COST",
      baselinePrice: plan.annualCost,
    });
    console.log(
      `  Procurement case "${opened.name}" is open (${opened.state}): ${money(plan.saving, plan.currency)} a year can be saved before the renewal on ${plan.renewal ?? "an unknown day"}.`,
    );
  } catch (error) {
    if (!isMutationError(error, "createProcurementCase")) throw error;
    console.log(`  The case was not opened: ${error.errors.map(({ __typename }) => __typename).join(", ")}.`);
  }
  const { updatedCount } = await graphql.changeVendorsState(
    { state: "SANCTIONED" },
    { vendor: { name: { eq: vendor } } },
  );
  console.log(`  ${vendor} is SANCTIONED: ${count(updatedCount)} vendor changed.`);
}
