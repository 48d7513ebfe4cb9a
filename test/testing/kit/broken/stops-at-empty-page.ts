import { defineConnector } from "@saas-management/sdk";
import { askPage, usesOf } from "./vendor.js";

/** Takes a page without items for the end of the listing, although it names a next one. */
export const stopsAtEmptyPage = defineConnector({
  snapshots: [],
  run: async (batch) => {
    let page = await askPage(undefined);
    while (page.users.length > 0) {
      await batch.write("usage", usesOf(page.users));
      if (page.nextPageToken === null) return;
      page = await askPage(page.nextPageToken);
    }
  },
});
