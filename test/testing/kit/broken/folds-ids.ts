import { defineConnector } from "@saas-management/sdk";
import { askPage, usesOf } from "./vendor.js";

/** Trims ids and folds their case, so that two of them become one. */
export const foldsIds = defineConnector({
  snapshots: [],
  run: async (batch) => {
    let token: string | null | undefined;
    do {
      const page = await askPage(token);
      const users = page.users.map((user) => ({ ...user, id: user.id.trim().toLowerCase() }));
      await batch.write("usage", usesOf(users));
      token = page.nextPageToken;
    } while (token);
  },
});
