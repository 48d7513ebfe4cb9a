/**
 * A run of accounts with a ledger in PostgreSQL. Prints how it ended: `completed`, or a code and the id of an approval.
 * Its argument is JSON of {@link Settings}. The ways:
 *
 * - `whole`: to its end.
 * - `paused`: prints `sending` when its batch is open and nothing was sent, and goes on after a line of input.
 * - `saved`, `completed`: SIGKILL before CompleteSyncBatch is sent, and after it was answered and before the ledger notes it.
 */
import { once } from "node:events";
import { createInterface } from "node:readline";
import pg from "pg";
import { RunHeldError, SaasManagementError } from "../../../src/core/errors/index.js";
import { defineConnector } from "../../../src/index.js";
import { PostgresStore } from "../../../src/postgres/postgres-store.js";
import { createSyncClient } from "../../../src/sync/client.js";
import { storeLedger } from "../../../src/sync/ledger/ledger.js";
import { accounts } from "../../support/accounts.js";
import { isPutOf, watchedStore } from "../../support/stores.js";

export interface Settings {
  readonly endpoint: string;
  readonly apiKey: string;
  readonly installationId: string;
  readonly connection: pg.PoolConfig;
  readonly schema: string;
  readonly way: "whole" | "paused" | "saved" | "completed";
  readonly ids: readonly string[];
  readonly firstRun?: boolean;
  readonly approve?: string;
}

const settings: Settings = JSON.parse(process.argv[2] ?? "");
const { endpoint, apiKey, installationId, connection, schema, way, ids, firstRun, approve } = settings;
const die = () => process.kill(process.pid, "SIGKILL");
const input = createInterface(process.stdin);
const pool = new pg.Pool({ ...connection, max: 1 });
pool.on("error", () => {});
const store = watchedStore(new PostgresStore(pool, schema), async (call, go) => {
  const isIds = isPutOf("ids")(call);
  if (way === "paused" && isIds) {
    process.stdout.write("sending\n");
    await once(input, "line");
  }
  const result = await go();
  if (way === "saved" && isIds) die();
  return result;
});

const client = createSyncClient({ endpoint, apiKey });
const connector = defineConnector({
  snapshots: ["accounts"],
  run: (batch) => batch.write("accounts", accounts(ids)),
});
const run = client.run(connector, {
  installationId,
  ledger: storeLedger(store),
  restarts: 0,
  firstRun,
  approve,
  onProgress: ({ type }) => {
    if (type === way) die();
  },
});
await run.then(
  () => process.stdout.write("completed\n"),
  (error: unknown) => {
    const code = error instanceof SaasManagementError ? error.code : String(error);
    const approval = error instanceof RunHeldError ? ` ${error.report.approval?.id}` : "";
    process.stdout.write(`${code}${approval}\n`);
  },
);
input.close();
process.stdin.destroy();
await client.close();
await pool.end();
