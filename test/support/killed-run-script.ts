/**
 * Runs a run that is killed by SIGKILL: `saved` before CompleteSyncBatch is sent, `completed` after it was answered and
 * before the ledger notes it, `draft` in the middle of the write.
 */
import { fileLedger, type Ledger, SyncClient } from "../../src/sync/index.js";

const [endpoint = "", apiKey = "", installationId = "", directory = "", when = "", ...ids] =
  process.argv.slice(2);
const die = () => process.kill(process.pid, "SIGKILL");
const files = fileLedger(directory);
const ledger: Ledger = {
  ...files,
  draft: async (scope, batchId) => {
    const draft = await files.draft(scope, batchId);
    const save = async () => {
      await draft.save();
      if (when === "saved") die();
    };
    return { ...draft, save };
  },
};
const client = new SyncClient({ endpoint, apiKey });
await client.run(
  {
    installationId,
    ledger,
    snapshots: ["accounts"],
    onProgress: ({ type }) => {
      if (type === "completed" && when === "completed") die();
    },
  },
  async (batch) => {
    await batch.write(
      "accounts",
      ids.map((id) => ({ generic: { id } })),
    );
    if (when === "draft") die();
  },
);
