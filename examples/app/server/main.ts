/**
 * The server of the page: the built page with NODE_ENV=production, its sources otherwise. It reads
 * SAAS_MANAGEMENT_BASE_URL and SAAS_MANAGEMENT_API_KEY; the key stays here.
 */
import { createServer } from "node:http";
import { fileURLToPath } from "node:url";
import { SaasManagementClient } from "@saas-management/sdk";
import { createApi } from "./api.ts";
import { builtPages, sourcePages } from "./pages.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const pages =
  process.env["NODE_ENV"] === "production" ? await builtPages(`${root}dist`) : await sourcePages(root);
const api = createApi(SaasManagementClient.fromEnv().graphql);

// Here an app of your own checks the session of its user before it calls api.
const server = createServer((incoming, outgoing) =>
  incoming.url === "/api/graphql" ? api(incoming, outgoing) : pages(incoming, outgoing),
);
server.listen(Number(process.env["PORT"] ?? 3000), "127.0.0.1", () => {
  const address = server.address();
  if (typeof address === "object") console.log(`http://127.0.0.1:${address?.port}`);
});
