/**
 * A run of accounts that advances a watermark of usage to the name of its way. Its process ends before the run does, and
 * prints how the run ended. Arguments: endpoint, key, installation, directory of the ledger, `first` or `later`, way, ids.
 * The ways:
 *
 * - `started`: SIGKILL when StartSyncBatch was answered, before the journal has its batch.
 * - `saved`, `completed`, `written`: SIGKILL before CompleteSyncBatch is sent, after it was answered and before the ledger
 *   notes it, and after the write.
 * - `exit`, `terminated`: after the write, process.exit or a SIGTERM that the run listens for.
 * - `paused`: prints `writing` after the ids were sent, and writes ten more after a line of input.
 * - `whole`: to its end.
 */

import { once } from "node:events";
import { createInterface } from "node:readline";
import { SaasManagementError } from "../../../src/core/errors/index.js";
import { defineConnector } from "../../../src/index.js";
import { createSyncClient } from "../../../src/sync/client.js";
import { FileStore } from "../../../src/sync/ledger/file-store.js";
import { storeLedger } from "../../../src/sync/ledger/ledger.js";
import { accounts as accountsOf } from "../../support/accounts.js";
import { isPutOf, watchedStore } from "../../support/stores.js";

const [endpoint = "", apiKey = "", installationId = "", directory = "", which = "", way = "", ...ids] =
  process.argv.slice(2);
const die = () => process.kill(process.pid, "SIGKILL");
const input = createInterface(process.stdin);
const store = watchedStore(new FileStore(directory), async (call, go) => {
  const result = await go();
  if (way === "saved" && isPutOf("ids.gz")(call)) die();
  return result;
});
const ledger = storeLedger(store);

async function* accounts() {
  yield accountsOf(ids);
  if (way !== "paused") return;
  // The window is full, so it is sent before this is reached.
  process.stdout.write("writing\n");
  await once(input, "line");
  yield accountsOf(ids.map((id) => `later-${id}`));
}

// Small windows: everything so far is on the server.
const client = createSyncClient({ endpoint, apiKey, messageBytes: 100, windowBytes: 100 });
const options = {
  installationId,
  ledger,
  firstRun: which === "first",
  stopOnSignals: true,
  restarts: 0,
  onProgress: ({ type }: { readonly type: string }) => {
    if (type === way) die();
  },
} as const;
const connector = defineConnector({
  snapshots: ["accounts"],
  async run(batch, { signal, advance }) {
    await batch.write("accounts", accounts());
    advance("usage", way);
    if (way === "written") die();
    if (way === "exit") process.exit(0);
    if (way === "terminated") {
      process.kill(process.pid, "SIGTERM");
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
    }
  },
});
const run = client.run(connector, options);
await run.then(
  () => process.stdout.write("completed\n"),
  (error: unknown) =>
    process.stdout.write(error instanceof SaasManagementError ? `${error.code}\n` : `${error}\n`),
);
input.close();
process.stdin.destroy();
await client.close();
