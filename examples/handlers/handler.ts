/**
 * Sends a page's requests if they are allowed, with a key that the page doesn't have. Bun, Deno and Workers run this
 * file as it is:
 *
 *   bun handler.ts
 *   deno serve --allow-net --allow-env handler.ts
 *
 * Workers need the flag `nodejs_compat`, and the two variables as bindings.
 */
import process from "node:process";
import { createGraphQLHandler, GraphQLClient } from "@saas-management/sdk/graphql";

const {
  SAAS_MANAGEMENT_BASE_URL: baseUrl = "",
  SAAS_MANAGEMENT_API_KEY: apiKey,
  PORT = "3000",
} = process.env;
const client = new GraphQLClient({ baseUrl, apiKey });

/** For `POST /api/graphql`. In the page: `new GraphQLClient({ baseUrl: "/api", authorization: "none" })`. */
export const handler = createGraphQLHandler({
  client,
  allow: ["applications", "updateProcurementCase", "query Plans { licensePlans { totalCount } }"],
});

export default {
  port: Number(PORT),
  async fetch(request: Request): Promise<Response> {
    if (new URL(request.url).pathname !== "/api/graphql") return new Response(null, { status: 404 });
    // Check your user's session here, and answer 401 without one.
    return handler(request);
  },
};
