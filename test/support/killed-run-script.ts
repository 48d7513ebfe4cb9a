/**
 * Runs a run whose process ends before the run does. By SIGKILL: `saved` before CompleteSyncBatch is sent, `completed`
 * after it was answered and before the ledger notes it, `draft` in the middle of the write. In the middle of the write
 * also: `exit` by process.exit, `terminated` by a SIGTERM that the run listens for. `whole` goes on to its end.
 */
import { fileLedger, type Ledger, SyncClient } from "../../src/sync/index.js";

const [endpoint = "", apiKey = "", installationId = "", directory = "", when = "", ...ids] =
  process.argv.slice(2);
const die = () => process.kill(process.pid, "SIGKILL");
const files = fileLedger(directory);
const ledger: Ledger & { readonly directory: string } = {
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
    signals: true,
    onProgress: ({ type }) => {
      if (type === "completed" && when === "completed") die();
    },
  },
  async (batch, { signal }) => {
    await batch.write(
      "accounts",
      ids.map((id) => ({ generic: { id } })),
    );
    if (when === "draft") die();
    if (when === "exit") process.exit(0);
    if (when === "terminated") {
      process.kill(process.pid, "SIGTERM");
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
    }
  },
);
await client.close();
