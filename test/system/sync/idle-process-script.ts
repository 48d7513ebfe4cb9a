/**
 * Starts a batch in a process that nothing else keeps alive, and prints how it ends. `waiting`: a run whose source waits
 * for something that never comes, until the lease is over. `completed`, `aborted`, `closed` and `client closed` end the
 * batch in that way.
 */

import { TestClock } from "../../../src/core/clock.js";
import { BatchStateError } from "../../../src/core/errors/index.js";
import { createSyncClient } from "../../../src/sync/client.js";

const LEASE_MS = 15 * 60_000;
const [endpoint = "", way = ""] = process.argv.slice(2);
const installationId = "installation-1";
const clock = new TestClock();
const client = createSyncClient({ endpoint, apiKey: "key-1", clock });

async function* source() {
  yield [{ id: "u1" }];
  // Neither keeps the process alive.
  setTimeout(() => clock.advance(LEASE_MS), 1).unref();
  await new Promise(() => {});
}

if (way === "waiting") {
  const run = client.run(
    { snapshots: ["accounts"], run: (batch) => batch.write("accounts", source()) },
    { installationId, ledger: "none", restarts: 0 },
  );
  await run.catch((error: unknown) => {
    process.stdout.write(error instanceof BatchStateError ? error.reason : "another error");
  });
} else {
  const batch = await client.startBatch({ installationId });
  if (way === "completed") await batch.complete({ unverified: true });
  if (way === "aborted") await batch.abort();
  if (way === "closed") batch.close();
  if (way === "client closed") await client.close();
  process.stdout.write(batch.state);
}
