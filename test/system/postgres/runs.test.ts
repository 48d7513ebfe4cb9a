import { postgresLedger } from "@saas-management/sdk/postgres";
import { beforeEach, describe, expect, test } from "vitest";
import { PostgresStore } from "../../../src/postgres/postgres-store.js";
import { storeLedger } from "../../../src/runs/ledger/ledger.js";
import { postgresServer, skipped, whySkipped } from "../../support/postgres.js";
import { isPutOf, watchedStore } from "../../support/stores.js";
import { heldBy, ids, testService } from "../../support/test-service.js";
import { RunProcess } from "../sync/run-process.js";

describe.skipIf(skipped)(`runs of several processes with a ledger in PostgreSQL${whySkipped}`, () => {
  const server = postgresServer();
  const service = testService();
  let schema = "";
  beforeEach(() => {
    schema = server.schema();
  });

  /** Another process with such a run. */
  const start = (way: string, sent: readonly string[], options: { readonly approve?: string } = {}) =>
    new RunProcess(service, way, sent, { ledger: { connection: server.connection, schema }, ...options });

  const ledger = () => postgresLedger(server.pool({ max: 1 }), { schema });
  const run = (sent: readonly string[]) => service.runAccounts(sent, { ledger: ledger() });
  const journal = async () =>
    (await server.pool().query(`SELECT key FROM ${schema}.ledger_values WHERE key LIKE '%/journal.%'`)).rows;

  test("one process runs first, another is held, and a third one uses its approval once", async () => {
    expect(await start("whole", ids(40)).line()).toBe("completed");
    const [code, approve = ""] = (await start("whole", ids(20)).line()).split(" ");
    expect(code).toBe("RUN_HELD");
    const approved = [0, 1].map(() => start("whole", ids(20), { approve }).line());
    const [first, second] = (await Promise.all(approved)).sort();
    expect(second).toBe("completed");
    // The other run finds that the lock is taken, the ledger has changed, or the approval has already been used.
    expect(first).toMatch(/^(BATCH_IN_PROGRESS|RUN_OUTDATED|RUN_HELD|completed)/);
    expect(service.present()).toHaveLength(20);
    await heldBy(service.runAccounts(ids(2), { ledger: ledger(), approve }));
    expect(await journal()).toEqual([]);
  });

  test("a run completes, or is aborted, if the database restarts while it sends", async () => {
    await run(ids(10));
    const states: string[] = [];
    for (const [mode, waits] of [
      ["fast", true],
      ["immediate", true],
      ["fast", false],
    ] as const) {
      let restarting = Promise.resolve();
      const store = watchedStore(new PostgresStore(server.pool({ max: 1 }), schema), async (call, go) => {
        if (isPutOf("ids")(call)) restarting = server.restart(mode);
        if (waits) await restarting;
        return go();
      });
      await service.runAccounts(ids(11), { ledger: storeLedger(store) }).catch(() => {});
      await restarting;
      states.push(service.states().at(-1) ?? "");
    }
    // A run that doesn't wait may be completed or aborted.
    expect(["completed", "aborted"]).toContain(states.pop());
    expect(states).toEqual(["completed", "completed"]);
    const { collections } = await run(ids(11));
    expect(collections.accounts?.expected).toMatchObject({ known: 11, kept: 11 });
  });
});
