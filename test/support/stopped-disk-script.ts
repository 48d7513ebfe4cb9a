/**
 * A run of a process whose disks have stopped answering, so that it waits for its journal before it starts a batch.
 * `signal`, `time` and `close` are what ends it. Prints how it ended.
 */
import { memoryLedger, SaasManagementError, SyncClient, TestClock } from "../../src/sync/index.js";
import { stopDisks } from "./unanswered.js";

const [endpoint = "", apiKey = "", installationId = "", directory = "", by = ""] = process.argv.slice(2);
const clock = new TestClock({ startAt: 1_700_000_000_000 });
const client = new SyncClient({ endpoint, apiKey, clock });
// A clock that stands still keeps no process alive.
const alive = setInterval(() => {}, 1000);
const stop = new AbortController();
const options = {
  installationId,
  snapshots: ["accounts"],
  ledger: { ...memoryLedger(), directory },
  signal: stop.signal,
  maxDurationMs: by === "time" ? 600_000 : undefined,
} as const;
const run = () => client.run(options, (batch) => batch.write("accounts", [{ generic: { id: "u1" } }]));

// Whatever is loaded when it is first needed comes from the disk too.
await run();
const letAnswer = stopDisks(directory);
const end = run().then(
  () => "completed",
  (error: unknown) => (error instanceof SaasManagementError ? error.code : String(error)),
);
await new Promise((resolve) => setImmediate(resolve));
if (by === "signal") stop.abort("the caller");
if (by === "time") clock.advance(600_000);
if (by === "close") await client.close();
process.stdout.write(await end);
await letAnswer();
await client.close();
clearInterval(alive);
