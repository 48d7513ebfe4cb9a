import { defineConnector, type RecordOf } from "@saas-management/sdk";
import { askPage } from "./vendor.js";

/** Where the run that failed was: lives as long as the process, as a file or a table would. */
const checkpoint: { token: string | null | undefined } = { token: undefined };

/** After a run that failed it goes on where that one was, and completes a snapshot of the rest. */
export const resumesFromCheckpoint = defineConnector({
  snapshots: ["accounts"],
  run: async (batch) => {
    await batch.write("accounts", fromCheckpoint());
  },
});

async function* fromCheckpoint(): AsyncGenerator<RecordOf<"accounts">[]> {
  do {
    const page = await askPage(checkpoint.token);
    yield page.users.map(({ id, displayName }) => ({ id, name: displayName }));
    checkpoint.token = page.nextPageToken;
  } while (checkpoint.token);
  checkpoint.token = undefined;
}
