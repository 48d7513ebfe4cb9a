import { SaasManagementClient } from "@saas-management/sdk";
import type { ReferenceServer } from "@saas-management/sdk/reference-server";
import { expect } from "vitest";
import { accounts } from "./sync-harness.js";
import { unpooledFetch } from "./unpooled-fetch.js";

type Reached = Pick<ReferenceServer, "baseUrl" | "syncUrl" | "apiKey" | "installationId">;

/** Makes somebody else's whole run and a query: both are served as ever, by a server without licenses. */
export async function expectService({ baseUrl, syncUrl, apiKey, installationId }: Reached): Promise<void> {
  await using client = new SaasManagementClient({ baseUrl, syncUrl, apiKey, fetch: unpooledFetch });
  const batch = await client.sync.startBatch({ installationId });
  expect(await batch.write("accounts", accounts(10))).toMatchObject({ accepted: 10 });
  await batch.complete();
  expect(await client.graphql.licenses().totalCount()).toBe(0);
}
