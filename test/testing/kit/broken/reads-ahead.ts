import { defineConnector } from "@saas-management/sdk";
import { ask, ORIGIN, type User, usesOf } from "./vendor.js";

/** Counts a page as read before it is, so that a second try reads the one after it. */
export const readsAhead = defineConnector({
  snapshots: [],
  run: async (batch) => {
    const position = { page: 0, pages: 1, failures: 0 };
    while (position.page < position.pages) {
      position.page += 1;
      const response = await ask(`${ORIGIN}/api/users?page=${position.page}&per_page=10`).catch(
        () => undefined,
      );
      if (response?.ok) {
        const { data, meta }: { data: readonly User[]; meta: { pages: number } } = await response.json();
        position.pages = meta.pages;
        await batch.write("usage", usesOf(data));
      } else {
        position.failures += 1;
        if (position.failures > 3) throw new Error("The vendor does not answer.");
      }
    }
  },
});
