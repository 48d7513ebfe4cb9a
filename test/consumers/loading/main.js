/** Imports the package and makes a client, with every module that this loads told on the way. */
import { register } from "node:module";

register("./hooks.js", import.meta.url);
const { SaasManagementClient } = await import("@saas-management/sdk");
const client = new SaasManagementClient({
  baseUrl: "https://api.example.com",
  syncUrl: "https://sync.example.com",
  apiKey: "key",
});
if (process.argv[2] === "use") {
  await client.graphql.request("{ __typename }").catch(() => {});
  await client.sync.startBatch({ installationId: "none", signal: AbortSignal.timeout(1) }).catch(() => {});
}
await client.close();
