/**
 * Runs a sync that stops in the middle of its write: prints `writing`, goes on at the first line of its input, and
 * prints how it ended. Arguments: endpoint, key, installation, directory of the ledger.
 */
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileLedger, SaasManagementError, SyncClient } from "../../../src/sync/index.js";

const [endpoint = "", apiKey = "", installationId = "", directory = ""] = process.argv.slice(2);
// Small windows: what was written so far is on the server.
const client = new SyncClient({ endpoint, apiKey, retry: false, messageBytes: 100, windowBytes: 100 });
const input = createInterface(process.stdin);

async function* accounts() {
  yield Array.from({ length: 20 }, (_, i) => ({ generic: { id: `child-${i}`, name: "n".repeat(50) } }));
  process.stdout.write("writing\n");
  await once(input, "line");
  yield Array.from({ length: 20 }, (_, i) => ({ generic: { id: `later-${i}`, name: "n".repeat(50) } }));
}

try {
  const options = {
    installationId,
    snapshots: ["accounts"],
    ledger: fileLedger(directory),
    restarts: 0,
  } as const;
  await client.run(options, async (batch) => {
    await batch.write("accounts", accounts());
  });
  process.stdout.write("completed\n");
} catch (error) {
  process.stdout.write(`failed ${error instanceof SaasManagementError ? error.code : String(error)}\n`);
}
input.close();
process.stdin.destroy();
await client.close();
