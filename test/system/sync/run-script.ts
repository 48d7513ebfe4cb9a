/**
 * A run of accounts that advances a watermark of usage to the name of its way. Its process ends before the run does, and
 * prints how the run ended. Arguments: endpoint, key, installation, directory of the ledger, `first` or `later`, way, ids.
 * The ways:
 *
 * - `started`: SIGKILL when StartSyncBatch was answered, before the journal has its batch.
 * - `read`, `sent`: SIGKILL when the source was read, and when a part of the records was sent.
 * - `saved`, `completed`: SIGKILL before CompleteSyncBatch is sent, and after it was answered and before the ledger notes
 *   it.
 * - `exit`, `terminated`: when a part was sent, process.exit or a SIGTERM that the run listens for.
 * - `paused`: prints `sending` when its batch is open and nothing was sent, and goes on after a line of input.
 * - `whole`: to its end.
 */

import { once } from "node:events";
import { createInterface } from "node:readline";
import { SaasManagementError } from "../../../src/core/errors/index.js";
import { defineConnector, type SyncProgress } from "../../../src/index.js";
import { createSyncClient } from "../../../src/sync/client.js";
import { FileStore } from "../../../src/sync/ledger/file-store.js";
import { storeLedger } from "../../../src/sync/ledger/ledger.js";
import { accounts } from "../../support/accounts.js";
import { isPutOf, watchedStore } from "../../support/stores.js";

const [endpoint = "", apiKey = "", installationId = "", directory = "", which = "", way = "", ...ids] =
  process.argv.slice(2);
const die = () => process.kill(process.pid, "SIGKILL");
const input = createInterface(process.stdin);
let signalled = false;
const store = watchedStore(new FileStore(directory), async (call, go) => {
  const isIds = isPutOf("ids")(call);
  if (way === "paused" && isIds) {
    process.stdout.write("sending\n");
    await once(input, "line");
  }
  const result = await go();
  if (way === "saved" && isIds) die();
  return result;
});

function onProgress(event: SyncProgress): void {
  if (event.type === way) die();
  if (event.type !== "sending" || event.records === 0) return;
  if (way === "sent") die();
  if (way === "exit") process.exit(0);
  // Once: a second signal ends the process at once.
  if (way === "terminated" && !signalled) process.kill(process.pid, "SIGTERM");
  signalled = true;
}

// Small windows: a part is sent before the rest.
const client = createSyncClient({ endpoint, apiKey, messageBytes: 100, windowBytes: 100 });
const options = {
  installationId,
  ledger: storeLedger(store),
  firstRun: which === "first",
  stopOnSignals: true,
  restarts: 0,
  onProgress,
} as const;
const connector = defineConnector({
  snapshots: ["accounts"],
  async run(batch, { advance }) {
    await batch.write("accounts", accounts(ids));
    advance("usage", way);
    if (way === "read") die();
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
