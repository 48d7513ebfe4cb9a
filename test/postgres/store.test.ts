import { testStore } from "@saas-management/sdk/testing";
import { describe, expect, test } from "vitest";
import { PostgresStore } from "../../src/postgres/postgres-store.js";
import { postgresServer, skipped, whySkipped } from "../support/postgres.js";

const MEBIBYTE = 1024 * 1024;
const PIECE = 700_000;
/** The piece before which a value waits until the server has restarted. */
const WAITS = 5;

async function* value(...pieces: readonly (string | Uint8Array)[]) {
  for (const piece of pieces) yield typeof piece === "string" ? Buffer.from(piece) : piece;
}

async function read(stream: AsyncIterable<Uint8Array> | undefined): Promise<Buffer | undefined> {
  const pieces: Uint8Array[] = [];
  for await (const piece of stream ?? []) pieces.push(piece);
  return stream && Buffer.concat(pieces);
}

/** A statement that makes all unfinished pieces look as if their process died yesterday. */
function aged(schema: string): string {
  return `UPDATE ${schema}.ledger_pieces SET unfinished_since = now() - interval '25 hours' WHERE unfinished_since IS NOT NULL`;
}

/** A value that yields two pieces of 1 MiB, and a third one after a call of `goOn`. */
function pausedValue() {
  let ask = () => {};
  let goOn = () => {};
  const asked = new Promise<void>((resolve) => {
    ask = resolve;
  });
  const going = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  const pieces = async function* () {
    yield Buffer.alloc(2 * MEBIBYTE);
    ask();
    await going;
    yield Buffer.alloc(MEBIBYTE);
  };
  return { pieces: pieces(), asked, goOn: () => goOn() };
}

describe.skipIf(skipped)(`a store in PostgreSQL${whySkipped}`, () => {
  const server = postgresServer(["max_connections=60"]);

  /** Number of pieces that don't belong to any value. */
  async function leftovers(schema: string): Promise<number> {
    const { rows } = await server
      .pool()
      .query(
        `SELECT count(*) FROM ${schema}.ledger_pieces WHERE id NOT IN (SELECT id FROM ${schema}.ledger_values)`,
      );
    return Number(rows[0].count);
  }

  /** Resolves when `count` statements are waiting for a lock. */
  async function waiters(count: number): Promise<void> {
    const watcher = server.pool({ max: 1 });
    const waiting = "SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock'";
    while ((await watcher.query(waiting)).rows.length < count);
  }

  test.each([
    ["one connection", { max: 1 }],
    ["ten connections that serialize", { options: "-c default_transaction_isolation=serializable" }],
  ])("keeps every rule with %s", { timeout: 60_000 }, async (_, config) => {
    const schema = server.schema();
    const pool = server.pool(config);
    await testStore(() => new PostgresStore(pool, schema));
    expect(await leftovers(schema)).toBe(0);
    expect((await pool.query(`SELECT FROM ${schema}.ledger_values`)).rows).toEqual([]);
  });

  test("is created once by twelve processes that start together", async () => {
    const pools = Array.from({ length: 12 }, () => server.pool());
    for (let round = 0; round < 5; round += 1) {
      const schema = server.schema();
      const stores = pools.map((pool) => new PostgresStore(pool, schema));
      const won = await Promise.all(stores.map((store, i) => store.putIfAbsent("key", value(`value ${i}`))));
      expect(won.filter((first) => first)).toHaveLength(1);
      for (const store of stores)
        expect((await read(await store.get("key")))?.toString()).toMatch(/^value \d+$/);
    }
  });

  test.each(['Weird "name"; DROP SCHEMA public; --', "it's", "schéma", "a.b", "UPPER"])(
    "accepts %j as the name of its schema",
    async (schema) => {
      const store = new PostgresStore(server.pool(), schema);
      expect(await store.putIfAbsent("key", value("value"))).toBe(true);
      const { rows } = await server.pool().query("SELECT 1 FROM pg_namespace WHERE nspname = $1", [schema]);
      expect(rows).toHaveLength(1);
    },
  );

  test("needs no privilege to create anything if its tables exist", async () => {
    const schema = server.schema();
    await new PostgresStore(server.pool(), schema).delete("none");
    await server.pool().query(`CREATE ROLE ${schema} LOGIN; GRANT USAGE ON SCHEMA ${schema} TO ${schema};
      GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA ${schema} TO ${schema}`);
    const store = new PostgresStore(server.pool({ user: schema }), schema);
    await store.putIfAbsent("key", value(Buffer.alloc(2 * MEBIBYTE + 1)));
    expect(await read(await store.get("key"))).toHaveLength(2 * MEBIBYTE + 1);
    await store.delete("key");
    const other = new PostgresStore(server.pool({ user: schema }), "not_there");
    await expect(other.get("key")).rejects.toThrow(/SQLSTATE 42501\): permission denied for database/);
  });

  test("removes the pieces of a dead writer after a day, but not those that a live writer is still writing", async () => {
    const schema = server.schema();
    const pool = server.pool();
    const store = new PostgresStore(pool, schema);
    const dead = pausedValue();
    const alive = pausedValue();
    const lost = store.putIfAbsent("dead", dead.pieces);
    await dead.asked;
    await pool.query(aged(schema));
    const kept = store.putIfAbsent("alive", alive.pieces);
    await alive.asked;
    const { rows } = await pool.query(`SELECT count(*) FROM ${schema}.ledger_pieces GROUP BY id`);
    expect(rows).toEqual([{ count: "2" }]);
    dead.goOn();
    alive.goOn();
    await expect(lost).rejects.toThrow(
      "The value was removed before it was complete: writing it took longer than a day.",
    );
    expect(await kept).toBe(true);
    expect(await read(await store.get("alive"))).toHaveLength(3 * MEBIBYTE);
    expect(await store.get("dead")).toBeUndefined();
    expect(await leftovers(schema)).toBe(0);
  });

  test("stores no value if its pieces are removed while its key is inserted", async () => {
    const schema = server.schema();
    const store = new PostgresStore(server.pool(), schema);
    const paused = pausedValue();
    const put = store.putIfAbsent("key", paused.pieces);
    // The put may reject before the transaction is answered.
    const refused = expect(put).rejects.toThrow("The value was removed before it was complete");
    await paused.asked;
    const remover = await server.pool().connect();
    await remover.query(`BEGIN; DELETE FROM ${schema}.ledger_pieces WHERE number = 1`);
    paused.goOn();
    await waiters(1);
    await remover.query("COMMIT");
    remover.release();
    await refused;
    expect(await store.get("key")).toBeUndefined();
    expect(await leftovers(schema)).toBe(0);
  });

  test("keeps every piece of a value whose key is inserted while old pieces are removed", async () => {
    const schema = server.schema();
    const pool = server.pool();
    const store = new PostgresStore(pool, schema);
    const paused = pausedValue();
    const put = store.putIfAbsent("key", paused.pieces);
    await paused.asked;
    await pool.query(aged(schema));
    // A rival holds up the insertion of the key, and then rolls back, so that the insertion succeeds.
    const rival = await server.pool().connect();
    await rival.query(`BEGIN; INSERT INTO ${schema}.ledger_values VALUES ('key', gen_random_uuid(), 0, '')`);
    paused.goOn();
    await waiters(1);
    const other = store.putIfAbsent("other", value(Buffer.alloc(MEBIBYTE)));
    await waiters(2);
    await rival.query("ROLLBACK");
    rival.release();
    expect([await put, await other]).toEqual([true, true]);
    expect(await read(await store.get("key"))).toHaveLength(3 * MEBIBYTE);
    expect(await leftovers(schema)).toBe(0);
  });

  test("keeps all pieces of a value if only the answer to the insertion of its key was lost", async () => {
    const pool = server.pool();
    const losing = {
      query: async (text: string, values?: unknown[]) => {
        const answer = await pool.query(text, values);
        if (text.includes("ON CONFLICT (key)")) throw new Error("connection lost");
        return answer;
      },
    };
    const store = new PostgresStore(losing, server.schema());
    const put = store.putIfAbsent("key", value(Buffer.alloc(2 * MEBIBYTE)));
    await expect(put).rejects.toThrow("connection lost");
    expect(await read(await store.get("key"))).toHaveLength(2 * MEBIBYTE);
  });

  test("stores a large value in pieces of one mebibyte, and deletes them with the value", async () => {
    const schema = server.schema();
    const pool = server.pool();
    const store = new PostgresStore(pool, schema);
    await store.putIfAbsent("key", value(Buffer.alloc(3.5 * MEBIBYTE)));
    const sizes = `SELECT length(bytes) AS length FROM ${schema}.ledger_pieces ORDER BY number`;
    expect((await pool.query(sizes)).rows).toEqual(Array(3).fill({ length: MEBIBYTE }));
    await store.delete("key");
    expect((await pool.query(sizes)).rows).toEqual([]);
  });

  test("stores either the whole value or nothing if the server restarts in the middle", {
    timeout: 60_000,
  }, async () => {
    const schema = server.schema();
    const whole = Buffer.from(Array.from({ length: 9 }, (_, i) => String(i).repeat(PIECE)).join(""));
    const outcomes: boolean[] = [];
    for (const [mode, number] of [
      ["fast", 0],
      ["fast", 3],
      ["immediate", 3],
      ["fast", WAITS],
      ["immediate", WAITS],
    ] as const) {
      const store = new PostgresStore(server.pool({ max: 1 }), schema);
      const key = `${mode}/${number}`;
      let restarting: Promise<void> | undefined;
      const pieces = async function* () {
        for (let at = 0; at < 9; at += 1) {
          if (at === number) restarting = server.restart(mode);
          if (number === WAITS) await restarting;
          yield whole.subarray(at * PIECE, (at + 1) * PIECE);
        }
      };
      const isStored = await store.putIfAbsent(key, pieces()).catch(() => false);
      await restarting;
      outcomes.push(isStored);
      expect((await read(await store.get(key)))?.equals(whole)).toBe(isStored || undefined);
      expect(await store.putIfAbsent(key, value(whole))).toBe(!isStored);
    }
    // A value that waits for the server can be stored.
    expect(outcomes).toEqual([false, false, false, true, true]);
    // The pieces of failed puts could not be deleted while the server was away.
    await server.pool().query(aged(schema));
    await new PostgresStore(server.pool(), schema).putIfAbsent("last", value(whole));
    expect(await leftovers(schema)).toBe(0);
  });
});
