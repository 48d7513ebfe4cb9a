import { defineConnector } from "@saas-management/sdk";
import { askPage, type Batch } from "./vendor.js";

/** After an error it sends everything again, and its events have no ids. */
export const retriesFromStart = defineConnector({
  snapshots: [],
  run: async (batch) => {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await exportUses(batch);
      } catch (error) {
        if (attempt === 3) throw error;
      }
    }
  },
});

async function exportUses(batch: Batch): Promise<void> {
  let token: string | null | undefined;
  do {
    const page = await askPage(token);
    const uses = page.users.map(({ id, updatedAt }) => ({ sourceActorId: id, lastActivity: updatedAt }));
    await batch.write("externallyDiscoveredUsage", uses);
    token = page.nextPageToken;
  } while (token);
}
