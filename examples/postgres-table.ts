/**
 * Sends the table `people (id text, name text, email text)` of a PostgreSQL database, and keeps the ledger in the same
 * database. PGHOST and the like name it; the service runs in this process.
 */
import { defineConnector, SaasManagementClient } from "@saas-management/sdk";
import { postgresLedger } from "@saas-management/sdk/postgres";
import { startReferenceServer } from "@saas-management/sdk/testing";
import { Pool } from "pg";
import { inSnapshot, readTable } from "./connectors/postgres/tables.js";

interface Person {
  readonly id: string;
  readonly name: string;
  readonly email: string | null;
}

// The ledger needs a connection beside the one that reads.
const pool = new Pool({ max: 2 });
const connector = defineConnector({
  snapshots: ["employees"],
  run: (batch) =>
    inSnapshot(pool, "public", async (database) => {
      const people = await readTable<Person>(database, "people", ["id", "name", "email"]);
      const employees = people.rows(({ id, name, email }) => ({ id, fullName: name, email }));
      await batch.write("employees", employees, { expectedCount: people.count });
    }),
});

await using server = await startReferenceServer();
const { syncUrl, apiKey, installationId } = server;
const sync = { installationId, ledger: postgresLedger(pool) };
await using client = new SaasManagementClient({ syncUrl, apiKey, sync });
try {
  console.log(`${await client.sync.run(connector, { firstRun: true })}`);
} finally {
  await pool.end();
}
