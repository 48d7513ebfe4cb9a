import { defineConnector } from "@saas-management/sdk";
import { ask, askPage, pageUrl, type UsersPage, usesOf } from "./vendor.js";

/** Takes 404 for a list without entries. */
export const notFoundIsEmpty = defineConnector({
  snapshots: [],
  run: async (batch) => {
    let token: string | null | undefined;
    do {
      const page = await pageOrNothing(token);
      await batch.write("usage", usesOf(page.users));
      token = page.nextPageToken;
    } while (token);
  },
});

async function pageOrNothing(token: string | null | undefined): Promise<UsersPage> {
  const probe = await ask(pageUrl(token));
  if (probe.status === 404) return { users: [], nextPageToken: null, total: 0 };
  return askPage(token);
}
