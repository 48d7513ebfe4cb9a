import { join } from "node:path";
import type { Store } from "@saas-management/sdk";
import pg from "pg";
import { PostgresStore } from "../../../src/postgres/postgres-store.js";
import { FileStore } from "../../../src/sync/ledger/file-store.js";
import type { RunFunction } from "../../support/connector.js";

/** What a connector reads in a round: one account comes, one goes, and two events happened. */
export function sourceOf(round: number) {
  const ids = Array.from({ length: 20 }, (_, i) => `u${String(round + i).padStart(4, "0")}`);
  const at = new Date("2026-01-01T00:00:00Z");
  const events = [1, 2].map((i) => ({ id: `e${round}-${i}`, sourceActorId: ids[i] ?? "", lastActivity: at }));
  return {
    ids,
    accounts: ids.map((id) => ({ id, name: `round ${round}` })),
    groups: [{ id: "g", name: "g" }],
    events,
  };
}

/** Writes a round, and tells that the vendor was asked. */
export function writeRound(round: number, asked: () => void): RunFunction<"accounts" | "groups"> {
  return async (batch, { advance }) => {
    asked();
    const { accounts, groups, events } = sourceOf(round);
    await batch.write("accounts", accounts);
    await batch.write("usage", events);
    await batch.write("groups", groups);
    advance("usage", `round ${round}`);
  };
}

/** A store that tells of each call before and after it, also of those of the journal. */
export function pointedStore(below: Store, point: () => void): Store {
  const call = async <T>(go: () => Promise<T>) => {
    point();
    const result = await go();
    point();
    return result;
  };
  return {
    putIfAbsent: (key, value) => call(() => below.putIfAbsent(key, value)),
    get: (key) => call(() => below.get(key)),
    list: (prefix) => below.list(prefix),
    delete: (key) => call(() => below.delete(key)),
  };
}

/** Where ledger and staging are, for several processes. */
export interface StagedPlace {
  readonly directory: string;
  /** A folder if it is undefined. */
  readonly postgres: { readonly connection: pg.PoolConfig; readonly schema: string } | undefined;
}

/** Opens both stores. The pool ends with `close`. */
export function storesOf({ directory, postgres }: StagedPlace) {
  const pool = postgres && new pg.Pool({ ...postgres.connection, max: 2 });
  // A restart of the server breaks idle connections.
  pool?.on("error", () => {});
  const open = (name: "ledger" | "staging"): Store =>
    pool === undefined || postgres === undefined
      ? new FileStore(join(directory, name))
      : new PostgresStore(pool, postgres.schema, name);
  return { ledger: open("ledger"), staging: open("staging"), close: async () => void (await pool?.end()) };
}
