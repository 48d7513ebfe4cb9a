/**
 * Makes runs with different snapshots until the process is killed, and prints `completed` after each. Arguments:
 * endpoint, key, installation, folder of the ledger or of PostgreSQL's socket, folder of the spool, number of runs
 * completed before.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { postgresLedger } from "@saas-management/sdk/postgres";
import pg from "pg";
import { defineConnector, fileLedger } from "../../../src/index.js";
import { createSyncClient } from "../../../src/runs/engine.js";
import { accounts } from "../../support/records.js";
import { idsOf } from "./snapshots.js";

const [endpoint = "", apiKey = "", installationId = "", directory = "", spoolDirectory = "", before = ""] =
  process.argv.slice(2);
// Small messages and windows, so that there are many moments between them.
const client = createSyncClient({ endpoint, apiKey, messageBytes: 200, windowBytes: 400 });
const ledger = existsSync(join(directory, ".s.PGSQL.5432"))
  ? postgresLedger(new pg.Pool({ host: directory, user: "postgres", database: "postgres" }))
  : fileLedger(directory);
for (let run = Number(before); ; run += 1) {
  const connector = defineConnector({
    snapshots: ["accounts"],
    run: (batch) => batch.write("accounts", accounts(idsOf(run))),
  });
  const options = {
    installationId,
    ledger,
    spool: { directory: spoolDirectory, memoryBytes: 500 },
    firstRun: run === 0,
  };
  await client.run(connector, options);
  process.stdout.write("completed\n");
}
