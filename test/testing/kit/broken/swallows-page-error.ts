import { defineConnector } from "@saas-management/sdk";
import { askPage, usesOf } from "./vendor.js";

/** Takes a page that failed for the end of the listing. */
export const swallowsPageError = defineConnector({
  snapshots: [],
  run: async (batch) => {
    let token: string | null | undefined;
    do {
      try {
        const page = await askPage(token);
        await batch.write("usage", usesOf(page.users));
        token = page.nextPageToken;
      } catch {
        token = null;
      }
    } while (token);
  },
});
