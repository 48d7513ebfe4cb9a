import { CANARY } from "./canary.js";

/** A row, and the moments between which it existed, as places in the order of all events. */
interface Row {
  readonly key: number;
  readonly from: number;
  until: number;
}

export interface PageAsk {
  readonly direction: "forward" | "backward";
  readonly size: number;
  /** Undefined for the start, or paging backward for the end. */
  readonly cursor: string | undefined;
}

export interface PageOfRows {
  /** In the service's order. */
  readonly keys: readonly number[];
  /** Whether more rows follow in the direction of the walk. */
  readonly more: boolean;
  /** Where the walk continues. */
  readonly cursor: string | null;
}

/** Leaves room for rows in between. */
const GAP = 10;

export class Rows {
  readonly #rows: Row[];

  constructor(count: number) {
    this.#rows = Array.from({ length: count }, (_, index) => ({
      key: (index + 1) * GAP,
      from: 0,
      until: Number.POSITIVE_INFINITY,
    }));
  }

  /** Keys of the existing rows. */
  get keys(): readonly number[] {
    return this.#rows
      .filter(({ until }) => until === Number.POSITIVE_INFINITY)
      .map(({ key }) => key)
      .sort((a, b) => a - b);
  }

  /** Keys of the rows that existed at some moment of a period, and of those that existed during all of it. */
  during(from: number, until: number) {
    const there = this.#rows.filter((row) => row.from <= until && row.until >= from);
    const always = there.filter((row) => row.from <= from && row.until >= until);
    return { ever: new Set(there.map(({ key }) => key)), always: always.map(({ key }) => key) };
  }

  /** Adds a row after the one at this place. */
  add(place: number, order: number): void {
    const { keys } = this;
    const key = (keys[place % Math.max(1, keys.length)] ?? 0) + 1;
    // Removed rows do not come back: one key is one row.
    if (!this.#rows.some((row) => row.key === key))
      this.#rows.push({ key, from: order, until: Number.POSITIVE_INFINITY });
  }

  remove(place: number, order: number): void {
    const { keys } = this;
    const key = keys[place % Math.max(1, keys.length)];
    const row = this.#rows.find((candidate) => candidate.key === key);
    if (row !== undefined) row.until = order;
  }

  page({ direction, size, cursor }: PageAsk): PageOfRows {
    const forward = direction === "forward";
    const place = placeOf(cursor) ?? (forward ? 0 : Number.POSITIVE_INFINITY);
    const beyond = this.keys.filter((key) => (forward ? key > place : key < place));
    const keys = forward ? beyond.slice(0, size) : beyond.slice(Math.max(0, beyond.length - size));
    const last = forward ? keys.at(-1) : keys[0];
    return {
      keys,
      more: beyond.length > keys.length,
      cursor: last === undefined ? null : cursorAt(last),
    };
  }
}

/** A cursor names a place in the order. @param variant Distinguishes cursors of one place. */
export function cursorAt(key: number, variant = 0): string {
  return `k${key}~${variant}~${CANARY}`;
}

/** The key in a cursor. */
function placeOf(cursor: string | undefined): number | undefined {
  const [, key] = /^k(\d+)~/.exec(cursor ?? "") ?? [];
  return key === undefined ? undefined : Number(key);
}

/** A new cursor of the same place. */
export function sibling(cursor: string | undefined, direction: PageAsk["direction"]): string {
  const [, variant = "0"] = /~(\d+)~/.exec(cursor ?? "") ?? [];
  return cursorAt(placeOf(cursor) ?? (direction === "forward" ? 0 : 1_000_000), Number(variant) + 1);
}
