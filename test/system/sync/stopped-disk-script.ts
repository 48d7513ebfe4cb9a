/**
 * A run in a process whose disks have stopped answering, so that it waits for its journal before it starts a batch.
 * `signal`, `time` or `close` ends it. Prints how it ended.
 */

import { SaasManagementError } from "../../../src/core/errors/index.js";
import { defineConnector } from "../../../src/index.js";
import { TestClock } from "../../../src/reference-server/test-clock.js";
import { createSyncClient } from "../../../src/sync/client.js";
import { fileLedger } from "../../../src/sync/ledger/ledger.js";
import { stopDisks } from "../../support/unanswered.js";

const [endpoint = "", apiKey = "", installationId = "", directory = "", by = ""] = process.argv.slice(2);
const clock = new TestClock({ startAt: new Date(1_700_000_000_000) });
const client = createSyncClient({ endpoint, apiKey, clock });
// A frozen clock does not keep the process alive.
const alive = setInterval(() => {}, 1000);
const stop = new AbortController();
const options = {
  installationId,
  ledger: fileLedger(directory),
  signal: stop.signal,
  maxDurationMs: by === "time" ? 600_000 : undefined,
} as const;
const turn = () => new Promise((resolve) => setImmediate(resolve));
const connector = defineConnector({
  snapshots: ["accounts"],
  run: (batch) => batch.write("accounts", [{ id: "u1" }]),
});
const run = (firstRun = false) => client.run(connector, { ...options, firstRun });

// Loads all modules from the disk.
await run(true);
const letAnswer = stopDisks(directory);
const end = run().then(
  () => "completed",
  (error: unknown) => (error instanceof SaasManagementError ? error.code : String(error)),
);
await turn();
if (by === "signal") stop.abort("the caller");
if (by === "time") clock.advance(600_000);
if (by === "close") await client.close();
process.stdout.write(await end);
await letAnswer();
await client.close();
clearInterval(alive);
