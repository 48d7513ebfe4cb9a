/** The handler as a route of Next: save it as `route.ts` in the folder of `/api/graphql`. */
import process from "node:process";
import { createGraphQLHandler, GraphQLClient } from "@saas-management/sdk/graphql";

let handler: ReturnType<typeof createGraphQLHandler> | undefined;

function createHandler() {
  const { SAAS_MANAGEMENT_BASE_URL: baseUrl = "", SAAS_MANAGEMENT_API_KEY: apiKey } = process.env;
  const client = new GraphQLClient({ baseUrl, apiKey });
  return createGraphQLHandler({
    client,
    allow: ["applications", "updateProcurementCase", "query Plans { licensePlans { totalCount } }"],
  });
}

export async function POST(request: Request): Promise<Response> {
  // Check your user's session here, and answer 401 without one.
  // Created at the first request: `next build` also loads this file, and might not have the settings.
  handler ??= createHandler();
  return handler(request);
}
