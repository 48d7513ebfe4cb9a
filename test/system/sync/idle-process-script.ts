/**
 * Works in a process that nothing else keeps alive, and prints how the work ends. The source of `writing` (a batch) and
 * of `reading` (a run) waits past the end of a lease, until the work is ended. `completed`, `aborted`,
 * `closed` and `client closed` say how a batch ends. With `unconnected`, the service does not answer.
 */

import { BatchStateError, SaasManagementError } from "../../../src/core/errors/index.js";
import { TestClock } from "../../../src/reference-server/test-clock.js";
import { createSyncClient } from "../../../src/runs/engine.js";

const LEASE_MS = 15 * 60_000;
const [endpoint = "", way = ""] = process.argv.slice(2);
const installationId = "installation-1";
const clock = new TestClock();
const client = createSyncClient(
  way === "unconnected"
    ? { endpoint, apiKey: "key-1", retry: false, timeoutMs: 200 }
    : { endpoint, apiKey: "key-1", clock },
);
const stop = new AbortController();

async function* source() {
  yield [{ id: "u1" }];
  // Neither of these two timers keeps the process alive.
  setTimeout(() => {
    clock.advance(2 * LEASE_MS);
    setTimeout(() => stop.abort("ended by the caller"), 1).unref();
  }, 1).unref();
  await new Promise(() => {});
}

const howItEnded = (error: unknown) => (error instanceof BatchStateError ? error.reason : String(error));
const codeOf = (error: unknown) => (error instanceof SaasManagementError ? error.code : String(error));

if (way === "reading") {
  const run = client.run(
    { snapshots: ["accounts"], run: (batch) => batch.write("accounts", source()) },
    { installationId, ledger: "none", signal: stop.signal },
  );
  process.stdout.write(await run.then(String, howItEnded));
} else if (way === "unconnected") {
  process.stdout.write(await client.startBatch({ installationId }).then(String, codeOf));
  await client.close();
} else {
  const batch = await client.startBatch({ installationId });
  if (way === "completed") await batch.complete({ unverified: true });
  if (way === "aborted") await batch.abort();
  if (way === "closed") batch.close();
  if (way === "client closed") await client.close();
  const end =
    way === "writing" ? await batch.write("accounts", source()).then(String, howItEnded) : batch.state;
  process.stdout.write(end);
}
