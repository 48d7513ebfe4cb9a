/**
 * With NODE_ENV=production, serves the built page, otherwise its sources. The server reads APP_PASSWORD,
 * SAAS_MANAGEMENT_BASE_URL and SAAS_MANAGEMENT_API_KEY; the key stays on the server.
 */
import { createServer } from "node:http";
import { fileURLToPath } from "node:url";
import { SaasManagementClient } from "@saas-management/sdk";
import { createGraphQLHandler } from "@saas-management/sdk/graphql";
import { listener } from "../../handlers/listener.js";
import * as documents from "../src/documents.ts";
import { builtPages, sourcePages } from "./pages.ts";
import { Sessions } from "./session.ts";

const { APP_PASSWORD, NODE_ENV, PORT = "3000" } = process.env;
if (APP_PASSWORD === undefined) throw new Error("Set APP_PASSWORD.");
const sessions = new Sessions(APP_PASSWORD);

const root = fileURLToPath(new URL("..", import.meta.url));
const pages = NODE_ENV === "production" ? await builtPages(`${root}dist`) : await sourcePages(root);

/** Accepts only the documents that the page needs. */
const api = listener(
  createGraphQLHandler({
    client: SaasManagementClient.fromEnv().graphql,
    allow: [
      ...(["applications", "changeVendorsState", "createProcurementCase", "updateProcurementCase"] as const),
      ...Object.values(documents),
    ],
  }),
);

const server = createServer((incoming, outgoing) => {
  const { method, url } = incoming;
  if (method === "POST" && url === "/login") return void sessions.login(incoming, outgoing);
  if (url !== "/api/graphql") return pages(incoming, outgoing);
  return sessions.has(incoming) ? api(incoming, outgoing) : outgoing.writeHead(401).end();
});
server.listen(Number(PORT), "127.0.0.1", () => {
  const address = server.address();
  if (typeof address === "object") console.log(`http://127.0.0.1:${address?.port}`);
});
