import type { Store } from "../sync/ledger/store.js";
import { Draft, type Query, removeDrafts } from "./draft.js";
import { type Pool, query, readBytes, readText } from "./pool.js";
import { createTables, type Tables, tablesOf } from "./tables.js";

const KEYS_AT_ONCE = 1000;

/**
 * A store in three tables of a schema: `values` has the keys, `pieces` the parts of values larger than 1 MiB, and
 * `drafts` the values that are being put. Each step is one statement, so no connection waits for a slow source.
 *
 * READ COMMITTED is enough, and so is every higher level:
 *
 * - The primary key of `values` decides who of several wins, whatever the snapshots of their transactions are.
 * - One statement inserts a key and deletes its draft; the pieces were committed before. A reader that sees the key sees all
 *   pieces, from every host that asks this server. A replica may lag behind: a ledger on one would look older than it is.
 * - A writer locks its draft with each piece and with the key, and who removes drafts locks those. So either the draft is
 *   touched and stays, or it is gone, with all of its pieces, and the writer fails.
 */
export class PostgresStore implements Store {
  readonly #pool: Pool;
  readonly #schema: string;
  readonly #tables: Tables;
  #created: Promise<void> | undefined;

  constructor(pool: Pool, schema: string, name: "ledger" | "staging") {
    this.#pool = pool;
    this.#schema = schema;
    this.#tables = tablesOf(schema, name);
  }

  async putIfAbsent(key: string, value: AsyncIterable<Uint8Array>): Promise<boolean> {
    const draft = new Draft(this.#query, this.#tables, key);
    try {
      for await (const piece of value) await draft.write(piece);
      return await draft.publish();
    } catch (error) {
      await draft.discard().catch(() => {});
      throw error;
    }
  }

  async get(key: string): Promise<AsyncIterable<Uint8Array> | undefined> {
    const select = `SELECT id, pieces, rest FROM ${this.#tables.values} WHERE key = $1`;
    const [row] = await this.#query(select, [key]);
    if (row === undefined) return undefined;
    return this.#read(readText(row, "id"), Number(readText(row, "pieces")), readBytes(row, "rest"));
  }

  async *list(prefix: string): AsyncGenerator<string, void, undefined> {
    const end = endOf(prefix);
    let after = "";
    let count: number;
    do {
      const rows = await this.#query(
        `SELECT key FROM ${this.#tables.values}
          WHERE key >= $1 AND key < $2 AND key > $3 ORDER BY key LIMIT ${KEYS_AT_ONCE}`,
        [prefix, end, after],
      );
      for (const row of rows) {
        after = readText(row, "key");
        yield after;
      }
      count = rows.length;
    } while (count === KEYS_AT_ONCE);
  }

  async delete(key: string): Promise<void> {
    const { values, pieces } = this.#tables;
    await this.#query(
      `WITH gone AS (DELETE FROM ${values} WHERE key = $1 RETURNING id)
        DELETE FROM ${pieces} AS piece USING gone WHERE piece.id = gone.id`,
      [key],
    );
  }

  /** Deletes the unfinished values whose keys begin with this, also those that are being put. */
  async clearUnfinished(prefix: string): Promise<void> {
    const isListed = "key >= $1 AND key < $2";
    await removeDrafts(this.#query, this.#tables, isListed, [prefix, endOf(prefix)]);
  }

  async *#read(id: string, count: number, rest: Uint8Array): AsyncGenerator<Uint8Array, void, undefined> {
    const select = `SELECT bytes FROM ${this.#tables.pieces} WHERE id = $1 AND number = $2`;
    for (let number = 0; number < count; number += 1) {
      const [row] = await this.#query(select, [id, number]);
      if (row === undefined) throw new Error("The value was deleted while it was read.");
      yield readBytes(row, "bytes");
    }
    if (rest.length > 0) yield rest;
  }

  readonly #query: Query = async (text, values) => {
    this.#created ??= createTables(this.#pool, this.#schema, this.#tables);
    try {
      await this.#created;
    } catch (error) {
      this.#created = undefined;
      throw error;
    }
    return query(this.#pool, text, values);
  };
}

/** Above all keys with this prefix: no character of a key is above DEL. */
function endOf(prefix: string): string {
  return `${prefix}\x7f`;
}
