import { defineConnector } from "@saas-management/sdk";
import { askPage, type User, usesOf } from "./vendor.js";

/** Reads until it has as many users as the first page says there are. */
export const trustsTotal = defineConnector({
  snapshots: [],
  run: async (batch) => {
    let page = await askPage(undefined);
    const { total } = page;
    const users: User[] = [...page.users];
    while (users.length < total && page.nextPageToken !== null) {
      page = await askPage(page.nextPageToken);
      users.push(...page.users);
    }
    await batch.write("usage", usesOf(users.slice(0, total)));
  },
});
