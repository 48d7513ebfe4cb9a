import { defineConnector } from "@saas-management/sdk";
import { askPage, type UsersPage, usesOf } from "./vendor.js";

/** Lives as long as the process. */
const cache = new Map<string | null | undefined, UsersPage>();

/** Keeps the vendor's answers from run to run. */
export const keepsAnswers = defineConnector({
  snapshots: [],
  run: async (batch) => {
    let token: string | null | undefined;
    do {
      const page = cache.get(token) ?? (await askPage(token));
      cache.set(token, page);
      await batch.write("usage", usesOf(page.users));
      token = page.nextPageToken;
    } while (token);
  },
});
