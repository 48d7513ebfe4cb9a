/**
 * Runs until a signal ends it, prints how the run ended, and must then exit by itself. Prints `working` when it's ready
 * for the signal: with `reading`, once the connector waits; with `sending`, once one of two records is sent.
 */
import { SaasManagementError } from "../../../src/core/errors/index.js";
import { createSyncClient } from "../../../src/runs/engine.js";

const [endpoint = "", way = ""] = process.argv.slice(2);
const client = createSyncClient({ endpoint, apiKey: "key-1", retry: false, messageBytes: 1, windowBytes: 1 });
const working = () => process.stdout.write("working\n");
try {
  await client.run(
    {
      snapshots: ["accounts"],
      async run(batch) {
        await batch.write("accounts", [{ id: "u1" }, { id: "u2" }]);
        if (way !== "reading") return;
        working();
        await new Promise(() => {});
      },
    },
    {
      installationId: "installation-1",
      ledger: "none",
      firstRun: true,
      stopOnSignals: true,
      onProgress: (event) => {
        if (event.type === "sending" && event.records === 1) working();
      },
    },
  );
} catch (error) {
  process.stdout.write(
    error instanceof SaasManagementError ? `${error.code}: ${error.message}\n` : "another",
  );
  process.exitCode = 3;
}
await client.close();
