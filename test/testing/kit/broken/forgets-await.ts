import { defineConnector } from "@saas-management/sdk";
import { askPage, sleep, type User, usesOf } from "./vendor.js";

/** Does not wait for its pages: it hopes that they are there after five seconds. */
export const forgetsAwait = defineConnector({
  snapshots: [],
  run: async (batch) => {
    const users: User[] = [];
    const read = async (token: string | undefined) => {
      const page = await askPage(token);
      users.push(...page.users);
      if (page.nextPageToken !== null) read(page.nextPageToken);
    };
    read(undefined);
    await sleep(5_000);
    await batch.write("usage", usesOf(users));
  },
});
