import { defineConnector } from "@saas-management/sdk";
import { askPage, usesOf } from "./vendor.js";

/** Maps a field that it does not find to an empty string, and a time to the first one there is. */
export const inventsValues = defineConnector({
  snapshots: [],
  run: async (batch) => {
    let token: string | null | undefined;
    do {
      const page = await askPage(token);
      const users = page.users.map((user) => ({
        id: user.id ?? "",
        displayName: user.displayName ?? "",
        updatedAt: user.updatedAt ?? "1970-01-01T00:00:00Z",
      }));
      await batch.write("usage", usesOf(users));
      token = page.nextPageToken;
    } while (token);
  },
});
