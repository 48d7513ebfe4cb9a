import { randomUUID } from "node:crypto";
import type { Store } from "../runs/ledger/store.js";
import { type Pool, query, readBytes, readText } from "./pool.js";
import { createTables, type Tables, tablesOf } from "./tables.js";

const KEYS_AT_ONCE = 1000;
/** Each piece is stored in one row. */
const PIECE_BYTES = 1024 * 1024;

/**
 * A store in two tables of a schema: `values` has the keys, and `pieces` has the parts of values larger than 1 MiB.
 * Each step is one statement.
 *
 * READ COMMITTED or any higher isolation level is enough:
 *
 * - The primary key of `values` decides which of several writers wins, no matter which snapshots their transactions
 *   see.
 * - One statement inserts a key and marks its pieces, which are already committed, as finished. So a reader that asks
 *   this server and sees the key also sees all pieces. On a replica, which may lag behind, the ledger would look older
 *   than it is.
 * - The statement that inserts a key locks the pieces before it counts them, and the statement that removes unfinished
 *   pieces checks their marks again after waiting for a lock. So either all pieces stay, or some are gone and the key
 *   isn't inserted.
 */
export class PostgresStore implements Store {
  readonly #pool: Pool;
  readonly #schema: string;
  readonly #tables: Tables;
  #created: Promise<void> | undefined;

  constructor(pool: Pool, schema: string) {
    this.#pool = pool;
    this.#schema = schema;
    this.#tables = tablesOf(schema);
  }

  async putIfAbsent(key: string, value: AsyncIterable<Uint8Array>): Promise<boolean> {
    const id = randomUUID();
    let rest: Uint8Array = new Uint8Array();
    let pieces = 0;
    try {
      for await (const piece of inPieces(value)) {
        if (piece.length < PIECE_BYTES) {
          rest = piece;
          continue;
        }
        pieces += 1;
        await this.#putPiece(id, pieces - 1, piece);
      }
      if (await this.#publish(key, id, pieces, rest)) return true;
      if (pieces === 0 || (await this.#removeUnfinished(id)) === pieces) return false;
      throw new Error("The value was removed before it was complete: writing it took longer than a day.");
    } catch (error) {
      if (pieces > 0) await this.#removeUnfinished(id).catch(() => {});
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

  /** Storing the first piece also deletes the pieces that dead processes left behind. */
  async #putPiece(id: string, number: number, bytes: Uint8Array): Promise<void> {
    const { pieces } = this.#tables;
    const old = `WITH old AS (DELETE FROM ${pieces} WHERE unfinished_since < now() - interval '1 day')`;
    await this.#query(
      `${number === 0 ? old : ""} INSERT INTO ${pieces} (id, number, bytes) VALUES ($1, $2, $3)`,
      [id, number, bytes],
    );
  }

  /** @returns false if the key already has a value, or if pieces were removed */
  async #publish(key: string, id: string, count: number, rest: Uint8Array): Promise<boolean> {
    const { values, pieces } = this.#tables;
    const put = await this.#query(
      `WITH piece AS (
          SELECT id FROM ${pieces} WHERE id = $2 FOR UPDATE
        ), put AS (
          INSERT INTO ${values} (key, id, pieces, rest)
          SELECT $1, $2, $3::integer, $4::bytea WHERE (SELECT count(*) FROM piece) = $3
          ON CONFLICT (key) DO NOTHING RETURNING id
        ), finished AS (
          UPDATE ${pieces} AS piece SET unfinished_since = NULL FROM put WHERE piece.id = put.id
        ) SELECT id FROM put`,
      [key, id, count, rest],
    );
    return put.length > 0;
  }

  /** @returns how many pieces it removed */
  async #removeUnfinished(id: string): Promise<number> {
    const { pieces } = this.#tables;
    const gone = await this.#query(
      `DELETE FROM ${pieces} WHERE id = $1 AND unfinished_since IS NOT NULL RETURNING number`,
      [id],
    );
    return gone.length;
  }

  async *#read(id: string, count: number, rest: Uint8Array): AsyncGenerator<Uint8Array, void, undefined> {
    const select = `SELECT bytes FROM ${this.#tables.pieces} WHERE id = $1 AND number = $2`;
    for (let number = 0; number < count; number += 1) {
      const [row] = await this.#query(select, [id, number]);
      if (row === undefined) throw new Error("The value was deleted while it was being read.");
      yield readBytes(row, "bytes");
    }
    if (rest.length > 0) yield rest;
  }

  readonly #query = async (text: string, values: unknown[]): Promise<readonly object[]> => {
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

/** Sorts after all keys with this prefix, because no character of a key is above DEL. */
function endOf(prefix: string): string {
  return `${prefix}\x7f`;
}

/** Cuts a value into pieces of `PIECE_BYTES`; only the last may be shorter. */
async function* inPieces(value: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer, void, undefined> {
  let kept: Uint8Array[] = [];
  let keptBytes = 0;
  for await (const bytes of value) {
    for (let from = 0; from < bytes.length; ) {
      // Copies the piece, because the value may reuse its buffer.
      const part = new Uint8Array(bytes.subarray(from, from + PIECE_BYTES - keptBytes));
      from += part.length;
      kept.push(part);
      keptBytes += part.length;
      if (keptBytes < PIECE_BYTES) continue;
      yield Buffer.concat(kept);
      kept = [];
      keptBytes = 0;
    }
  }
  if (keptBytes > 0) yield Buffer.concat(kept);
}
