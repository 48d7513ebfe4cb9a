/**
 * A run in a process whose disks have stopped answering, so that it waits for its journal before it starts a batch.
 * `signal`, `time` and `close` end it; with `nothing` the clock goes on until it has ended, at most for ten minutes.
 * Prints how it ended, and the warnings about the journal.
 */

import { TestClock } from "../../../src/core/clock.js";
import { SaasManagementError } from "../../../src/core/errors/index.js";
import { SyncClient } from "../../../src/sync/client.js";
import { memoryLedger } from "../../../src/sync/ledger/memory-ledger.js";
import { stopDisks } from "../../support/unanswered.js";

const [endpoint = "", apiKey = "", installationId = "", directory = "", by = ""] = process.argv.slice(2);
const clock = new TestClock({ startAt: 1_700_000_000_000 });
/** Requests in progress. */
let calls = 0;
const journal: string[] = [];
const note = (message: string) => void (message.includes("journal") && journal.push(message));
const client = new SyncClient({
  endpoint,
  apiKey,
  clock,
  logger: { debug: () => {}, info: () => {}, warn: note, error: note },
  onEvent: ({ type }) => {
    if (type === "request") calls += 1;
    if (type === "response") calls -= 1;
  },
});
// A frozen clock does not keep the process alive.
const alive = setInterval(() => {}, 1000);
const stop = new AbortController();
const options = {
  installationId,
  snapshots: ["accounts"],
  ledger: { ...memoryLedger(), directory },
  signal: stop.signal,
  maxDurationMs: by === "time" ? 600_000 : undefined,
} as const;
const turn = () => new Promise((resolve) => setImmediate(resolve));
const run = () => client.run(options, (batch) => batch.write("accounts", [{ id: "u1" }]));

// Loads all modules from the disk.
await run();
const letAnswer = stopDisks(directory);
const end = run().then(
  () => "completed",
  (error: unknown) => (error instanceof SaasManagementError ? error.code : String(error)),
);
await turn();
if (by === "signal") stop.abort("the caller");
if (by === "time") clock.advance(600_000);
if (by === "close") await client.close();
if (by === "nothing") process.stdout.write([await endWithTime(), ...journal].join("\n"));
else process.stdout.write(await end);
await letAnswer();
await client.close();
clearInterval(alive);

/** How the run ends while time passes whenever it waits for its disk only. */
async function endWithTime(): Promise<string> {
  let said: string | undefined;
  end.then((how) => {
    said = how;
  });
  for (let seconds = 0, idle = 0; said === undefined && seconds < 600; ) {
    await turn();
    idle = calls === 0 ? idle + 1 : 0;
    if (idle < 50) continue;
    clock.advance(1000);
    seconds += 1;
    idle = 0;
  }
  return said ?? "nothing";
}
