/**
 * A run of accounts that advances a watermark of usage to the name of its scenario. The run prints how it ended:
 * `completed`, or a code and the id of an approval. The script's argument is {@link Settings} as JSON. The scenarios:
 *
 * - `started`: SIGKILL once StartSyncBatch is answered, before the journal has its batch.
 * - `read`, `sent`: SIGKILL once the source is read, or once some of the records are sent.
 * - `saved`: SIGKILL just before CompleteSyncBatch is sent.
 * - `completed`: SIGKILL once CompleteSyncBatch is answered, before the ledger notes it.
 * - `exit`, `terminated`: once some records are sent, process.exit, or a SIGTERM that the run listens for.
 * - `paused`: prints `sending` when its batch is open and nothing has been sent, then waits for a line of input.
 * - `whole`: runs to its end.
 */

import { once } from "node:events";
import { createInterface } from "node:readline";
import type { PoolConfig } from "pg";
import { RunHeldError, SaasManagementError } from "../../../src/core/errors/index.js";
import { defineConnector, type Store, type SyncProgress } from "../../../src/index.js";
import { createSyncClient } from "../../../src/runs/engine.js";
import { FileStore } from "../../../src/runs/ledger/file-store.js";
import { storeLedger } from "../../../src/runs/ledger/ledger.js";
import { accounts } from "../../support/records.js";
import { isPutOf, watchedStore } from "../../support/stores.js";

export interface Settings {
  readonly endpoint: string;
  readonly apiKey: string;
  readonly installationId: string;
  /** The place of the ledger: a directory, or PostgreSQL. */
  readonly ledger: string | { readonly connection: PoolConfig; readonly schema: string };
  readonly way: string;
  readonly ids: readonly string[];
  readonly firstRun: boolean;
  readonly approve?: string | undefined;
}

const settings: Settings = JSON.parse(process.argv[2] ?? "");
const { endpoint, apiKey, installationId, way, ids, firstRun, approve } = settings;
const die = () => process.kill(process.pid, "SIGKILL");
const input = createInterface(process.stdin);
let signalled = false;
let looks = 0;
const { below, end } = await storeOf(settings.ledger);
const store = watchedStore(below, async (call, go) => {
  // A run reads the ledger before it calls its connector, then before it judges, and then under the lock.
  if (call.key.endsWith("/") && ++looks === 3 && way === "paused") {
    process.stdout.write("sending\n");
    await once(input, "line");
  }
  const result = await go();
  if (way === "saved" && isPutOf("ids")(call)) die();
  return result;
});

function onProgress(event: SyncProgress): void {
  if (event.type === way) die();
  if (event.type !== "sending" || event.records === 0) return;
  if (way === "sent") die();
  if (way === "exit") process.exit(0);
  // Only once, because a second signal ends the process immediately.
  if (way === "terminated" && !signalled) process.kill(process.pid, "SIGTERM");
  signalled = true;
}

// Small windows, so that some records are sent before the rest.
const client = createSyncClient({ endpoint, apiKey, messageBytes: 100, windowBytes: 100 });
const options = {
  installationId,
  ledger: storeLedger(store),
  firstRun,
  approve,
  stopOnSignals: true,
  retryForMs: 0,
  onProgress,
} as const;
const connector = defineConnector({
  snapshots: ["accounts"],
  async run(batch, { advance }) {
    await batch.write("accounts", accounts(ids));
    advance("usage", way);
    if (way === "read") die();
  },
});
const run = client.run(connector, options);
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
await end();

async function storeOf(ledger: Settings["ledger"]): Promise<{ below: Store; end(): Promise<void> }> {
  if (typeof ledger === "string") return { below: new FileStore(ledger), end: async () => {} };
  const { default: pg } = await import("pg");
  const { PostgresStore } = await import("../../../src/postgres/postgres-store.js");
  const pool = new pg.Pool({ ...ledger.connection, max: 1 });
  pool.on("error", () => {});
  return { below: new PostgresStore(pool, ledger.schema), end: () => pool.end() };
}
