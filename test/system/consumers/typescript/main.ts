/**
 * A connector in TypeScript that uses every entry of the package, checked with the declarations of its dependencies.
 */
import {
  BatchStateError,
  type RecordOf,
  type RunReceipt,
  SaasManagementClient,
  SaasManagementError,
  type SyncClient,
  sumByCurrency,
} from "@saas-management/sdk";
import { calendarDate, GraphQLClient, isMutationError, type License } from "@saas-management/sdk/graphql";
import { type ReferenceServer, startReferenceServer } from "@saas-management/sdk/testing";

async function* users(): AsyncGenerator<RecordOf<"accounts">> {
  yield { id: "u1", name: "Ada" };
  yield { id: "u2", name: "Grace" };
}

// @ts-expect-error an account has no such field
export const misspelt: RecordOf<"accounts"> = { id: "u1", nickname: "Ada" };

const today: string = calendarDate(new Date("2026-01-31"));
const server: ReferenceServer = await startReferenceServer({
  portfolio: { applications: [{ name: "Figma" }, { name: "Zoom" }] },
});
const { baseUrl, syncUrl, apiKey, installationId } = server;
const client = new SaasManagementClient({ baseUrl, syncUrl, apiKey });

const batch = await client.sync.startBatch({ installationId });
const { accepted }: { readonly accepted: number } = await batch.write("accounts", users());
await batch.complete();
const refusal: unknown = await batch.write("accounts", []).catch((error: unknown) => error);

const names: string[] = [];
for await (const { application } of client.graphql.applications({ pageSize: 1 }))
  names.push(application.name);

const graphql = new GraphQLClient({ baseUrl, apiKey });
const licenses: License[] = await graphql.licenses().toArray();
const sums: Map<string, string> = await sumByCurrency(licenses, (license) => license.potentialSaving);
const refused = await graphql
  .updateProcurementCase({ id: "none", deadline: today })
  .catch((error: unknown) =>
    isMutationError(error, "updateProcurementCase") ? error.errors[0]?.__typename : error,
  );

const sync: SyncClient = client.sync;
const receipt: RunReceipt = await sync.run(
  { snapshots: [], run: (batch) => batch.write("usage", []) },
  { installationId, ledger: "none" },
);

await Promise.all([client.close(), graphql.close()]);
await server.close();
console.log(
  JSON.stringify({
    accepted,
    refused: refusal instanceof BatchStateError && refusal instanceof SaasManagementError,
    names,
    sums: sums.size,
    mutation: refused,
    run: typeof receipt.batchId,
  }),
);
