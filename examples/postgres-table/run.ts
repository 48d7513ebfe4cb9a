import { SaasManagementClient } from "@saas-management/sdk";
import { postgresLedger, postgresStaging } from "@saas-management/sdk/postgres";
import { Pool } from "pg";

/** A row's part is a hash of its key, so it stays in one part whatever else is changed in it. */
export const PARTS = ["0", "1", "2", "3"] as const;

/** Opens today's run: every process that calls this gets the same one. Ledger and staging are in the same database. */
export async function openRun() {
  // From PGHOST, PGUSER, PGDATABASE and the like.
  const pool = new Pool({ max: 4 });
  const client = SaasManagementClient.fromEnv({ sync: { ledger: postgresLedger(pool) } });
  const run = await client.sync.stage(postgresStaging(pool), {
    runKey: `people of ${new Date().toISOString().slice(0, 10)}`,
    version: "people-connector 1.0",
    partitions: { employees: PARTS },
  });
  const close = async () => {
    await client.close();
    await pool.end();
  };
  return { client, pool, run, close };
}
