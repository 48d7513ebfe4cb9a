import { randomUUID } from "node:crypto";
import type { Tables } from "./tables.js";

/** Sends one statement. */
export type Query = (text: string, values: unknown[]) => Promise<readonly object[]>;

/** A piece is one row. */
const PIECE_BYTES = 1024 * 1024;
/** A draft that got no piece for so long belongs to a process that died. */
const LEFT_BEHIND = "interval '1 day'";

/** A draft gets no more pieces after it was marked. */
const REMOVED_MARK = "'-infinity'";
const IS_WANTED = `touched_at > ${REMOVED_MARK}`;

/** A value that is being put. Up to 1 MiB of it waits in memory; pieces go to the table, where nobody finds them yet. */
export class Draft {
  readonly #query: Query;
  readonly #tables: Tables;
  readonly #key: string;
  readonly #id = randomUUID();
  #pieces = 0;
  #held: Uint8Array[] = [];
  #heldBytes = 0;

  constructor(query: Query, tables: Tables, key: string) {
    this.#query = query;
    this.#tables = tables;
    this.#key = key;
  }

  async write(bytes: Uint8Array): Promise<void> {
    for (let from = 0; from < bytes.length; ) {
      // A copy: the source may use its buffer again.
      const part = new Uint8Array(bytes.subarray(from, from + PIECE_BYTES - this.#heldBytes));
      from += part.length;
      this.#held.push(part);
      this.#heldBytes += part.length;
      if (this.#heldBytes === PIECE_BYTES) await this.#putPiece();
    }
  }

  /** Gives the key this value, unless it has one. @returns whether it has this one now */
  async publish(): Promise<boolean> {
    const { values, drafts } = this.#tables;
    const rest = this.#takeHeld();
    if (this.#pieces === 0) {
      const put = await this.#query(
        `INSERT INTO ${values} (key, id, pieces, rest) VALUES ($1, $2, 0, $3)
          ON CONFLICT (key) DO NOTHING RETURNING id`,
        [this.#key, this.#id, rest],
      );
      return put.length > 0;
    }
    const put = await this.#query(
      `WITH put AS (
          INSERT INTO ${values} (key, id, pieces, rest)
          SELECT $1, id, $3::integer, $4::bytea FROM ${drafts} WHERE id = $2 AND ${IS_WANTED} FOR UPDATE
          ON CONFLICT (key) DO NOTHING RETURNING id
        ) DELETE FROM ${drafts} AS draft USING put WHERE draft.id = put.id RETURNING draft.id`,
      [this.#key, this.#id, this.#pieces, rest],
    );
    if (put.length > 0) return true;
    if (await this.discard()) return false;
    throw removed();
  }

  /** Deletes the pieces, and nothing if the value was published. @returns whether there were any */
  async discard(): Promise<boolean> {
    return this.#pieces > 0 && (await removeDrafts(this.#query, this.#tables, "id = $1", [this.#id])) > 0;
  }

  #takeHeld(): Uint8Array {
    const held = Buffer.concat(this.#held);
    this.#held = [];
    this.#heldBytes = 0;
    return held;
  }

  async #putPiece(): Promise<void> {
    const { pieces, drafts } = this.#tables;
    const number = this.#pieces;
    this.#pieces += 1;
    if (number === 0) await this.#begin();
    const put = await this.#query(
      `WITH draft AS (UPDATE ${drafts} SET touched_at = now() WHERE id = $1 AND ${IS_WANTED} RETURNING id)
        INSERT INTO ${pieces} (id, number, bytes) SELECT id, $2::integer, $3::bytea FROM draft RETURNING id`,
      [this.#id, number, this.#takeHeld()],
    );
    if (put.length === 0) throw removed();
  }

  /** Notes the draft, and deletes those of processes that died. */
  async #begin(): Promise<void> {
    const { pieces, drafts } = this.#tables;
    await this.#query(
      `WITH old AS (
          DELETE FROM ${drafts} WHERE id IN (
            SELECT id FROM ${drafts} WHERE touched_at < now() - ${LEFT_BEHIND} FOR UPDATE SKIP LOCKED
          ) RETURNING id
        ), gone AS (
          DELETE FROM ${pieces} AS piece USING old WHERE piece.id = old.id
        ) INSERT INTO ${drafts} (id, key) VALUES ($1, $2)`,
      [this.#id, this.#key],
    );
  }
}

/**
 * Deletes drafts with their pieces. A statement does not see the pieces that are inserted while it waits for their draft:
 * the first one keeps writers out, the second one sees what they have written before.
 * @param condition Which drafts, in SQL.
 * @returns how many there were
 */
export async function removeDrafts(
  query: Query,
  { pieces, drafts }: Tables,
  condition: string,
  values: unknown[],
): Promise<number> {
  await query(`UPDATE ${drafts} SET touched_at = ${REMOVED_MARK} WHERE ${condition}`, values);
  const gone = await query(
    `WITH draft AS (
        DELETE FROM ${drafts} WHERE ${condition} AND touched_at = ${REMOVED_MARK} RETURNING id
      ), gone AS (
        DELETE FROM ${pieces} AS piece USING draft WHERE piece.id = draft.id
      ) SELECT id FROM draft`,
    values,
  );
  return gone.length;
}

function removed(): Error {
  return new Error(
    "The value was removed before its end: it got no piece for a day, or is not wanted any more.",
  );
}
