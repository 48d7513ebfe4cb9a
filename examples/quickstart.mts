/**
 * Everything once, in one process: a push, a bad run that is held, and the portfolio read back.
 *
 *   npx tsx node_modules/@saas-management/sdk/examples/quickstart.mts
 */
import { type Connector, RunHeldError, SaasManagementClient } from "@saas-management/sdk";
import { memoryLedger, startReferenceServer } from "@saas-management/sdk/testing";
import { connector } from "./push-csv.mts";

const planPrices = [{ planName: "Team", annualPricePerSeat: "587.88", currency: "EUR" }];
await using server = await startReferenceServer({ portfolio: { planPrices } });
const { baseUrl, syncUrl, apiKey, installationId } = server;
const sync = { installationId, ledger: memoryLedger() };
await using client = new SaasManagementClient({ baseUrl, syncUrl, apiKey, sync });

console.log(
  "— A CSV file is pushed. There is no earlier run to compare with, and firstRun says that this is right.\n",
);
console.log(`${await client.sync.run(connector, { firstRun: true })}\n`);

console.log("— The next night, the vendor's answer lacks most accounts. Nothing is sent:\n");
const broken: Connector<"accounts"> = {
  snapshots: ["accounts"],
  run: (batch) => batch.write("accounts", [{ id: "1000" }, { id: "1001" }]),
};
try {
  await client.sync.run(broken);
} catch (error) {
  if (!(error instanceof RunHeldError)) throw error;
  console.log(`${error.report}\n`);
}

console.log("— What nobody uses, read back:\n");
const unused = client.graphql.licenses({ where: { state: { activity: { eq: "UNUSED" } } }, limit: 5 });
for await (const { holder, plan, potentialSaving } of unused) {
  const { amount, currency = "" } = potentialSaving ?? {};
  console.log(
    `${holder?.name ?? "nobody"}: ${plan?.name} ${amount === undefined ? "" : `(${amount} ${currency} a year)`}`,
  );
}
console.log(`… of ${await unused.totalCount()}`);
