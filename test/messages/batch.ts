import { createSyncClient } from "../../src/runs/engine.js";
import { batchOfSilentService } from "../support/bare-handle.js";

// No server listens on port 1.
const client = createSyncClient({ endpoint: "http://127.0.0.1:1", apiKey: "key-1", retry: false });

export const messages = [
  {
    title: "a server that refuses connections",
    provoke: () => client.startBatch({ installationId: "installation-1" }),
    text: "StartSyncBatch: no connection to 127.0.0.1:1: the server refused the connection. Check the endpoint's host and port, and that the service is running.",
  },
  {
    title: "completing a batch with a failed write",
    provoke: async () => {
      await using batch = await batchOfSilentService();
      batch.write("accounts", [{ id: "" }]);
      await batch.complete({ unverified: true });
    },
    text: 'complete was refused: the write of accounts failed (INVALID_INPUT: accounts[0] (id "") id: expected a string that is not empty, got an empty string. Nothing after this was sent, and the batch cannot be completed: start a new one. Correct the records first.), so the batch is incomplete: completing it would mark missing records as removed. Abort it (a run does this itself). Send every snapshot in full in a new batch or run.',
  },
  {
    title: "completing a batch without saying that it is whole",
    provoke: async () => {
      await using batch = await batchOfSilentService();
      await batch.complete();
    },
    text: "Nothing was written to the batch with this handle, so the handle can't tell whether its snapshots are complete. Call complete({ unverified: true }) if they are.",
  },
  {
    title: "an abort of a batch without its id",
    provoke: () => client.abortBatch(""),
    text: "batchId must be the id of a batch.",
  },
];
