/**
 * A run of accounts with a ledger in PostgreSQL. Prints how it ended: `completed`, or a code and the id of an approval.
 * Its argument is JSON of {@link Settings}. The ways:
 *
 * - `whole`: to its end.
 * - `paused`: prints `writing` after the ids were sent, and goes on after a line of input.
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
import { accounts as accountsOf } from "../../support/accounts.js";
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
const store = watchedStore(new PostgresStore(pool, schema, "ledger"), async (call, go) => {
  const result = await go();
  if (way === "saved" && isPutOf("ids.gz")(call)) die();
  return result;
});

async function* accounts() {
  yield accountsOf(ids);
  if (way !== "paused") return;
  process.stdout.write("writing\n");
  await once(input, "line");
}

// Small windows: everything so far is on the server.
const client = createSyncClient({ endpoint, apiKey, messageBytes: 100, windowBytes: 100 });
const connector = defineConnector({
  snapshots: ["accounts"],
  run: (batch) => batch.write("accounts", accounts()),
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
