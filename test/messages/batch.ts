import { createSyncClient } from "../../src/runs/engine.js";

// Nobody listens on port 1.
const client = createSyncClient({ endpoint: "http://127.0.0.1:1", apiKey: "key-1", retry: false });

export const messages = [
  {
    title: "a server that refuses connections",
    provoke: () => client.startBatch({ installationId: "installation-1" }),
    text: "StartSyncBatch: no connection to 127.0.0.1:1: the server refused the connection. Check the host and port of the endpoint, and that the service is running.",
  },
  {
    title: "a batch with a failed write that is completed",
    provoke: async () => {
      await using batch = client.openBatch("batch-1", { takeOver: true });
      batch.write("accounts", [{ id: "" }]);
      await batch.complete({ unverified: true });
    },
    text: 'complete was refused: the write of accounts failed (INVALID_INPUT: accounts[0] (id "") id: expected a string that is not empty, got an empty string. Nothing after this was sent, and the batch cannot be completed: start a new one. Correct the records first.), so the batch is incomplete: completing it would mark missing records as removed. Abort it, which a run does itself. Send every snapshot in full in a new batch or run.',
  },
  {
    title: "a batch of another process that is completed without saying that it is whole",
    provoke: async () => {
      await using batch = client.openBatch("batch-1", { takeOver: true });
      await batch.complete();
    },
    text: "This handle took the batch over, so it is not known here whether its snapshots are complete. Call complete({ unverified: true }) if they are.",
  },
  {
    title: "a write to a batch that was opened to look and abort",
    provoke: async () => {
      const batch = client.openBatch("batch-1");
      // @ts-expect-error -- the types know that it has no writes
      await batch.write("accounts", []);
    },
    text: "write was refused: this handle of openBatch can only look and abort. A batch has one writer: to be that one, use openBatch(id, { takeOver: true }).",
  },
  {
    title: "a write to a batch that another handle of the client took over",
    provoke: async () => {
      await using batch = client.openBatch("batch-1", { takeOver: true });
      client.openBatch("batch-1", { takeOver: true }).close();
      await batch.write("accounts", []);
    },
    text: "The call was refused: another handle took the batch over with openBatch and takeOver: true, so this handle may only abort it. The handle that took it over writes and completes it.",
  },
];
