/**
 * A run in its own process whose records don't fit into memory.
 *
 * Arguments: endpoint, key, installation, folder of the spool, number of records, bytes of each, and `stuck` if the source
 * waits for ever after the last one. Prints a JSON object with how the run ended and its peak memory.
 */

import { createSyncClient } from "../../../src/runs/engine.js";
import { memoryLedger } from "../../../src/runs/ledger/ledger.js";

const [endpoint = "", apiKey = "", installationId = "", directory = "", records = "", bytes = "", stuck] =
  process.argv.slice(2);
const client = createSyncClient({ endpoint, apiKey, retry: false });
const name = "x".repeat(Number(bytes));

async function* source() {
  for (let i = 0; i < Number(records); i += 1) yield { id: `u${i}`, name };
  if (stuck !== "stuck") return;
  process.stdout.write("reading\n");
  await new Promise(() => {});
}

const ended = client.run(
  { snapshots: ["accounts"], run: (batch) => batch.write("accounts", source()) },
  {
    installationId,
    ledger: memoryLedger(),
    firstRun: true,
    spool: { directory, memoryBytes: 64 * 1024 },
  },
);
const outcome = await ended.then(
  () => ({ code: "completed" }),
  (error: unknown) => ({ ...JSON.parse(JSON.stringify(error)), message: String(error) }),
);
const peakBytes = process.resourceUsage().maxRSS * 1024;
process.stdout.write(`${JSON.stringify({ ...outcome, peakBytes })}\n`);
await client.close();
