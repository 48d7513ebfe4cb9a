import type { Fault } from "./faults.js";
import type { Call, PageAsk, SentRequest } from "./journal.js";
import type { WalkSpec } from "./program.js";

/** Part of every variable, row and cursor: it must not be in anything that is shown or logged. */
export const CANARY = "canary-5d81c4";

/** The key of the client. */
export const KEY = "key-canary-e27b";

/** Distinguishes cursors of one place. */
export function cursorAt(row: number, variant = 0): string {
  return `k${row}~${variant}~${CANARY}`;
}

function readCursor(cursor: string | undefined) {
  const [, row, variant] = /^k(\d+)~(\d+)~/.exec(cursor ?? "") ?? [];
  return row === undefined ? undefined : { row: Number(row), variant: Number(variant) };
}

type Data = Readonly<Record<string, unknown>>;

/** A model of the service: rows to page through, and counted mutations. */
export class SimService {
  /** How often the mutation of each call was done. */
  readonly effects = new Map<string, number>();
  readonly #rows: readonly number[];
  readonly #firstCursors = new Map<Call, string>();

  constructor(rows: number) {
    this.#rows = Array.from({ length: rows }, (_, index) => index + 1);
  }

  /** Ids of the rows that a walk yields, in its order. */
  idsOf({ connection, direction, start, limit }: WalkSpec): readonly string[] {
    const beyond = this.#beyond({ direction, cursor: start === undefined ? undefined : cursorAt(start) });
    const rows = direction === "forward" ? beyond : beyond.reverse();
    return rows.slice(0, limit).map((row) => `${connection}-${row}`);
  }

  /** Executes a request. @param fault May change the answer, never the effect */
  execute(request: SentRequest, fault: Fault | undefined): Data {
    const { operation, page, call } = request;
    if (page !== undefined) {
      const connection = operation === "Things" ? "things" : "licenses";
      const found = this.#connection(connection, page, request, fault);
      return connection === "things" ? { workspace: { things: found } } : { licenses: found };
    }
    if (operation === "Own") return { own: { id: call.id, note: CANARY } };
    if (fault?.type === "payload" && fault.what === "errors") {
      const errors = [{ __typename: "ProcurementCaseNotFoundError", message: `${CANARY} is not there` }];
      return { createProcurementCase: { case: null, errors } };
    }
    this.effects.set(call.id, (this.effects.get(call.id) ?? 0) + 1);
    if (operation === "Change") return { change: { id: call.id, note: CANARY } };
    if (fault?.type === "payload")
      return { createProcurementCase: fault.what === "null" ? null : { case: null, errors: [] } };
    return { createProcurementCase: { case: { id: call.id, name: CANARY, state: "PRE" }, errors: null } };
  }

  #beyond({ direction, cursor }: Pick<PageAsk, "direction" | "cursor">): number[] {
    const place = readCursor(cursor)?.row;
    if (place === undefined) return [...this.#rows];
    return this.#rows.filter((row) => (direction === "forward" ? row > place : row < place));
  }

  #connection(name: string, ask: PageAsk, request: SentRequest, fault: Fault | undefined): Data {
    if (fault?.type === "page" && fault.what === "none") return { pageInfo: null, nodes: [] };
    const first = this.#firstCursors.get(request.call) ?? ask.cursor;
    if (first !== undefined) this.#firstCursors.set(request.call, first);
    const { keys, more, cursor } = this.#page(ask, fault, first);
    if (fault?.type !== "cursor") request.nodes = keys.length;
    const pageInfo =
      ask.direction === "forward"
        ? { hasNextPage: more, endCursor: cursor, hasPreviousPage: false, startCursor: null }
        : { hasNextPage: false, endCursor: null, hasPreviousPage: more, startCursor: cursor };
    return { nodes: keys.map((key) => ({ id: `${name}-${key}`, note: CANARY })), pageInfo, totalCount: 0 };
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
