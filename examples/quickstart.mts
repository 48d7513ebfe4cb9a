/**
 * A complete tour in one process: push, see a bad run held, and read the portfolio.
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

console.log("A local server stands in for the service: nothing leaves this machine.");

heading("1. Push a CSV file. It is the first run, so there is no earlier one to compare with.");
console.log(`${await client.sync.run(connector, { firstRun: true })}`);

heading("2. The next night, the vendor returns 2 of 40 accounts. The run is held.");
const broken: Connector<"accounts"> = {
  snapshots: ["accounts"],
  run: (batch) => batch.write("accounts", [{ id: "1000" }, { id: "1001" }]),
};
try {
  await client.sync.run(broken);
} catch (error) {
  if (!(error instanceof RunHeldError)) throw error;
  console.log(`${error.report}`);
}

heading("3. Read the licenses that nobody uses, and what each costs.");
const unused = client.graphql.licenses({ where: { state: { activity: { eq: "UNUSED" } } }, limit: 5 });
for await (const { holder, plan, potentialSaving } of unused) {
  const amount = potentialSaving?.amount;
  const price =
    amount === undefined ? "no price known" : `${amount} ${potentialSaving?.currency ?? ""} a year`;
  console.log(
    `${(holder?.name ?? "nobody").padEnd(18)}  ${(plan?.name ?? "").padEnd(8)}  ${price.padStart(17)}`,
  );
}
console.log(`… and ${(await unused.totalCount()) - 5} more`);
console.log("\nNext: docs/guides/first-connector.md");

function heading(text: string) {
  const { NO_COLOR } = process.env;
  const isBold = process.stdout.isTTY && NO_COLOR === undefined;
  console.log(isBold ? `\n\x1b[1m${text}\x1b[0m\n` : `\n${text}\n`);
}
