/** Runs until a signal ends it, prints how the run ended, and must then end by itself. */
import { SaasManagementError } from "../../../src/core/errors/index.js";
import { createSyncClient } from "../../../src/sync/client.js";

const client = createSyncClient({ endpoint: process.argv[2] ?? "", apiKey: "key-1", retry: false });
try {
  await client.run(
    {
      snapshots: ["accounts"],
      async run() {
        process.stdout.write("writing\n");
        await new Promise(() => {});
      },
    },
    { installationId: "installation-1", ledger: "none", stopOnSignals: true },
  );
} catch (error) {
  process.stdout.write(
    error instanceof SaasManagementError ? `${error.code}: ${error.message}\n` : "another",
  );
  process.exitCode = 3;
}
await client.close();
