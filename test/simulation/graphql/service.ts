import type { Fault } from "./faults.js";
import type { PageAsk, SentRequest } from "./journal.js";
import type { WalkSpec } from "./program.js";

/** The cursor of a row. Each variant is a different cursor for the same row. */
export function cursorAt(row: number, variant = 0): string {
  return `k${row}~${variant}`;
}

function readCursor(cursor: string | undefined) {
  const [, row, variant] = /^k(\d+)~(\d+)$/.exec(cursor ?? "") ?? [];
  return row === undefined ? undefined : { row: Number(row), variant: Number(variant) };
}

/** A model of the service: rows to page through. */
export class SimService {
  readonly #rows: readonly number[];
  readonly #firstCursors = new Map<object, string>();

  constructor(rows: number) {
    this.#rows = Array.from({ length: rows }, (_, index) => index + 1);
  }

  /** Ids of the rows that a walk yields, in the order of the walk. */
  idsOf({ connection, direction, start, limit }: WalkSpec): readonly string[] {
    const beyond = this.#beyond({ direction, cursor: start === undefined ? undefined : cursorAt(start) });
    const rows = direction === "forward" ? beyond : beyond.reverse();
    return rows.slice(0, limit).map((row) => `${connection}-${row}`);
  }

  /** The answer to a request, changed by a fault if there is one. */
  execute(request: SentRequest, fault: Fault | undefined): object {
    const { connection, page, leg } = request;
    const first = this.#firstCursors.get(leg) ?? page.cursor;
    if (first !== undefined) this.#firstCursors.set(leg, first);
    const { keys, more, cursor } = this.#page(page, fault, first);
    const isPage = fault?.type !== "page" || fault.what !== "none";
    if (fault?.type !== "cursor" && isPage) request.nodes = keys.length;
    const pageInfo =
      page.direction === "forward"
        ? { hasNextPage: more, endCursor: cursor, hasPreviousPage: false, startCursor: null }
        : { hasNextPage: false, endCursor: null, hasPreviousPage: more, startCursor: cursor };
    const nodes = keys.map((key) => ({ id: `${connection}-${key}` }));
    const found = { nodes, pageInfo: isPage ? pageInfo : null, totalCount: 0 };
    return connection === "things" ? { workspace: { things: found } } : { licenses: found };
  }

  #beyond({ direction, cursor }: Pick<PageAsk, "direction" | "cursor">): number[] {
    const place = readCursor(cursor)?.row;
    if (place === undefined) return [...this.#rows];
    return this.#rows.filter((row) => (direction === "forward" ? row > place : row < place));
  }

  #page(ask: PageAsk, fault: Fault | undefined, earlier: string | undefined) {
    const { direction, size, cursor } = ask;
    const forward = direction === "forward";
    const known = readCursor(cursor) ?? { row: forward ? 0 : this.#rows.length + 1, variant: 0 };
    const what = fault?.type === "page" || fault?.type === "cursor" ? fault.what : undefined;
    if (what === "empty") return { keys: [], more: true, cursor: cursorAt(known.row, known.variant + 1) };
    const count = what === "overfull" ? size * 2 : what === "short" ? Math.ceil(size / 2) : size;
    const beyond = this.#beyond(ask);
    const keys = forward ? beyond.slice(0, count) : beyond.slice(Math.max(0, beyond.length - count));
    const last = forward ? keys.at(-1) : keys[0];
    const right = last === undefined ? null : cursorAt(last);
    const wrong = { repeated: cursor, earlier, null: null, blank: "" };
    if (fault?.type === "cursor") return { keys, more: true, cursor: wrong[fault.what] ?? null };
    return { keys, more: beyond.length > keys.length, cursor: right };
  }
}
