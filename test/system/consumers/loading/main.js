/** Imports the package and creates a client, while the hooks print every module that this loads. */
import { register } from "node:module";

register("./hooks.js", import.meta.url);
const { SaasManagementClient } = await import("@saas-management/sdk");
const client = new SaasManagementClient({
  baseUrl: "https://api.example.com",
  syncUrl: "https://sync.example.com",
  apiKey: "key",
});
if (process.argv[2] === "use") {
  await client.graphql.request("{ __typename }", {}).catch(() => {});
  await client.sync.startBatch({ installationId: "none", signal: AbortSignal.timeout(1) }).catch(() => {});
}
if (process.argv[2] === "run") {
  const connector = { snapshots: ["accounts"], run: (batch) => batch.write("accounts", []) };
  const options = { installationId: "none", ledger: "none" };
  await client.sync.preview(connector, options);
  const ended = AbortSignal.abort(new Error("The run was ended before it began."));
  await client.sync.run(connector, { ...options, signal: ended }).catch(() => {});
}
await client.close();
