import { CANARY, KEY_CANARY } from "./canary.js";
import type { FaultKind } from "./faults.js";
import type { Journal, SentRequest } from "./journal.js";
import type { RowChange } from "./program.js";
import { type PageOfRows, Rows, sibling } from "./rows.js";

/** Root fields by operation name. */
const PAGES: Readonly<Record<string, string>> = {
  Applications: "applications",
  Licenses: "licenses",
  LicensePlans: "licensePlans",
  Things: "things",
};
const CASES: Readonly<Record<string, string>> = {
  CreateProcurementCase: "createProcurementCase",
  UpdateProcurementCase: "updateProcurementCase",
};

type Data = Readonly<Record<string, unknown>>;

/** A model of the service: rows to page through, counted mutations, keys that can be revoked. */
export class SimService {
  readonly rows: Rows;
  /** How often the mutation of each call was done. */
  readonly effects = new Map<string, number>();
  readonly #changes: readonly RowChange[];
  readonly #journal: Journal;
  readonly #revoked = new Set<string>();
  #pages = 0;

  constructor(rows: number, changes: readonly RowChange[], journal: Journal) {
    this.rows = new Rows(rows);
    this.#changes = changes;
    this.#journal = journal;
  }

  /** The newest valid key. */
  get key(): string {
    return `${KEY_CANARY}-${this.#revoked.size + 1}`;
  }

  revoke(key: string): void {
    this.#revoked.add(key);
  }

  refuses(key: string): boolean {
    return this.#revoked.has(key);
  }

  /** Executes a request. @param fault May change the answer, never the effect. */
  execute(request: SentRequest, fault: FaultKind | undefined): Data {
    const { operation, call } = request;
    const page = PAGES[operation];
    if (page !== undefined) return this.#page(page, request, fault);
    if (operation === "Own") return { own: { id: call.id, note: CANARY } };
    // A refused change is not made.
    if (fault?.type === "payload" && fault.what === "errors") return refusal(fieldOf(operation));
    this.effects.set(call.id, (this.effects.get(call.id) ?? 0) + 1);
    if (operation === "Change") return { change: { id: call.id, note: CANARY } };
    const field = fieldOf(operation);
    if (fault?.type === "payload")
      return { [field]: fault.what === "null" ? null : { case: null, updatedCount: null, errors: [] } };
    const { id } = call;
    if (field === "changeVendorsState") return { [field]: { updatedCount: this.calls(id), errors: null } };
    return { [field]: { case: { id, name: CANARY, state: "PRE" }, errors: null } };
  }

  /** The number in a call's id. */
  calls(id: string): number {
    return Number(id.replaceAll(/\D/g, ""));
  }

  #page(field: string, request: SentRequest, fault: FaultKind | undefined): Data {
    const { order } = this.#journal.moment();
    this.#pages += 1;
    for (const change of this.#changes.filter(({ nth }) => nth === this.#pages)) {
      if (change.do === "add") this.rows.add(change.place, order);
      else this.rows.remove(change.place, order);
    }
    const connection = this.#connection(field, request, fault);
    return field === "things" ? { workspace: { things: connection } } : { [field]: connection };
  }

  #connection(field: string, request: SentRequest, fault: FaultKind | undefined): Data {
    const { page: ask } = request;
    if (ask === undefined) return {};
    const found = struck(
      this.rows.page({ ...ask, size: sizeOf(ask.size, fault) }),
      fault,
      request,
      this.#journal,
    );
    const sound = fault?.type !== "cursor" && !(fault?.type === "page" && fault.what === "none");
    if (sound) request.nodes = found.keys.length;
    const nodes = found.keys.map((key) => ({ id: `${field}-${key}`, note: CANARY }));
    const { more, cursor } = found;
    const pageInfo =
      ask.direction === "forward"
        ? { hasNextPage: more, endCursor: cursor, hasPreviousPage: false, startCursor: null }
        : { hasNextPage: false, endCursor: null, hasPreviousPage: more, startCursor: cursor };
    const totalCount = this.rows.keys.length;
    return sound || fault?.type === "cursor"
      ? { nodes, pageInfo, totalCount }
      : { pageInfo: null, nodes, totalCount };
  }
}

function fieldOf(operation: string): string {
  return CASES[operation] ?? "changeVendorsState";
}

function refusal(field: string): Data {
  const errors = [{ __typename: "ProcurementCaseNotFoundError", message: `${CANARY} is not there` }];
  return { [field]: { case: null, updatedCount: null, errors } };
}

function sizeOf(size: number, fault: FaultKind | undefined): number {
  if (fault?.type !== "page") return size;
  if (fault.what === "overfull") return size * 2;
  return fault.what === "short" ? Math.ceil(size / 2) : size;
}

/** Applies a fault to a page. */
function struck(
  page: PageOfRows,
  fault: FaultKind | undefined,
  { page: ask, call }: SentRequest,
  { requests }: Journal,
): PageOfRows {
  if (fault?.type === "page" && fault.what === "empty")
    return { keys: [], more: true, cursor: sibling(ask?.cursor, ask?.direction ?? "forward") };
  if (fault?.type !== "cursor") return page;
  const first = requests.find((request) => request.call === call && request.page?.cursor !== undefined);
  const cursors = { repeated: ask?.cursor, earlier: first?.page?.cursor, null: null, blank: "" };
  return { ...page, more: true, cursor: cursors[fault.what] ?? null };
}
