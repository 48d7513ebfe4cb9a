/**
 * A reference server with as many licenses as its argument says. Prints its environment for a client as JSON, and ends
 * when its input ends.
 */
import { once } from "node:events";
import { type RecordOf, SaasManagementClient } from "@saas-management/sdk";
import { startReferenceServer } from "@saas-management/sdk/testing";

const count = Number(process.argv[2]);
await using server = await startReferenceServer();
const { baseUrl, syncUrl, apiKey, installationId } = server;

function* licenses(): Generator<RecordOf<"licenses">> {
  for (let i = 0; i < count; i++)
    yield { sourceId: `l${i}`, sourceAccountId: `a${i}`, sourcePlanId: "p1", billable: true };
}
function* accounts(): Generator<RecordOf<"accounts">> {
  for (let i = 0; i < count; i++) yield { id: `a${i}`, name: `Person ${i}`, email: `person.${i}@acme.test` };
}

await using client = new SaasManagementClient({ baseUrl, syncUrl, apiKey });
const batch = await client.sync.startBatch({ installationId });
await batch.write("plans", [
  { id: "p1", externalPlanName: "Team", details: { model: "SEAT_BASED", seatBased: {} } },
]);
await batch.write("accounts", accounts());
await batch.write("licenses", licenses());
await batch.complete();
process.stdout.write(JSON.stringify({ SAAS_MANAGEMENT_BASE_URL: baseUrl, SAAS_MANAGEMENT_API_KEY: apiKey }));
process.stdin.resume();
await once(process.stdin, "end");
