import type { SimClock } from "../sim-clock.js";
import { refuseKey, respond, withCode } from "./answers.js";
import type { Asked, FaultKind, FaultSchedule } from "./faults.js";
import type { Journal, SentRequest } from "./journal.js";
import type { PageAsk } from "./rows.js";
import type { SimService } from "./service.js";
import { GOOD, UNAUTHORIZED, type Verdict, verdictOf } from "./verdict.js";

/** Latency of a request and of an answer, in milliseconds. */
const WAY_MS = 5;

/** Operations whose payload may have typed errors. */
const TYPED = ["CreateProcurementCase", "UpdateProcurementCase", "ChangeVendorsState"];

/** The clients' `maxResponseBytes`. */
export const MAX_RESPONSE_BYTES = 20_000;

interface NetworkParts {
  readonly service: SimService;
  readonly faults: FaultSchedule;
  readonly journal: Journal;
  readonly clock: SimClock;
  readonly heedsSignal: boolean;
}

/** A `fetch` that carries requests to the service and answers back, with faults. */
export class SimNetwork {
  readonly #parts: NetworkParts;

  constructor(parts: NetworkParts) {
    this.#parts = parts;
  }

  readonly fetch: typeof globalThis.fetch = (_url, init = {}) => {
    const { heedsSignal, faults } = this.#parts;
    const { signal } = init;
    // As Node's fetch does: nothing is sent.
    if (heedsSignal && signal?.aborted === true) return Promise.reject(signal.reason);
    const request = this.#note(init);
    const fault = faults.take(askedOf(request), (kind) => this.#can(kind, request));
    return new Promise((resolve, reject) => {
      const abort = () => reject(signal?.reason);
      if (heedsSignal) signal?.addEventListener("abort", abort, { once: true });
      this.#carry(request, fault)
        .then(resolve, reject)
        .finally(() => signal?.removeEventListener("abort", abort));
    });
  };

  async #carry(request: SentRequest, fault: FaultKind | undefined): Promise<Response> {
    const { service, clock, heedsSignal } = this.#parts;
    const before = fault !== undefined && "at" in fault && fault.at === "before";
    await this.#wait(WAY_MS + (before && fault.type === "delayed" ? fault.ms : 0));
    if (before && fault.type === "lost") return this.#lose(request, fault);
    if (before && fault.type === "stalled") return new Promise<Response>(() => {});
    if (fault?.type === "revoked") service.revoke(request.key);
    if (service.refuses(request.key)) {
      await this.#wait(WAY_MS);
      if (heedsSignal) request.signal?.throwIfAborted();
      this.#answered(request, UNAUTHORIZED);
      return refuseKey(request, fault?.type === "revoked" ? fault.told : "status");
    }
    // Complete data beside errors means that the service did what was requested.
    const done = !before || fault.type === "delayed" || (fault.type === "errors" && fault.data === "whole");
    const data = done ? service.execute(request, fault) : { nothing: true };
    await this.#wait(WAY_MS + (!before && fault?.type === "delayed" ? fault.ms : 0));
    if (fault?.type === "lost") return this.#lose(request, fault);
    if (fault?.type === "stalled" && fault.at === "after") return new Promise<Response>(() => {});
    const heeded = heedsSignal ? request.signal : undefined;
    // The connection is closed, and the answer lost.
    heeded?.throwIfAborted();
    if (!endless(fault)) this.#answered(request, this.#verdict(request, fault));
    return respond(request, data, { fault, now: clock.now(), maxBytes: MAX_RESPONSE_BYTES, heeded });
  }

  #lose(request: SentRequest, fault: Extract<FaultKind, { type: "lost" }>): never {
    this.#answered(request, this.#verdict(request, fault));
    // An error of a custom fetch may contain anything of the request.
    throw new TypeError(`fetch failed with ${request.key}`, { cause: withCode(fault.code) });
  }

  #verdict({ call }: SentRequest, fault: FaultKind | undefined): Verdict {
    return fault === undefined ? GOOD : verdictOf(fault, this.#parts.clock.now(), call.raw);
  }

  #answered(request: SentRequest, verdict: Verdict): void {
    request.answered = { ...this.#parts.journal.moment(), verdict };
  }

  #note({ headers, body, signal }: RequestInit): SentRequest {
    const { journal } = this.#parts;
    const sent = new Headers(headers);
    const id = sent.get("x-call");
    const call = journal.calls.find((candidate) => candidate.id === id);
    if (call === undefined) throw new Error("a request without a call");
    const { query, variables = {} } = JSON.parse(String(body));
    const [, operation = ""] = /^\s*(?:query|mutation)\s+(\w+)/.exec(query) ?? [];
    if (!JSON.stringify(variables).includes(call.id))
      journal.misdeeds.push(`variables: ${operation} of ${call.id} was sent without its own`);
    const request: SentRequest = {
      call,
      sent: journal.moment(),
      signal,
      operation,
      key: sent.get("authorization") ?? "",
      page: pageOf(variables),
      handed: { ...call.handed },
      bodyOpen: false,
    };
    journal.requests.push(request);
    return request;
  }

  #can(kind: FaultKind, { call, operation, page }: SentRequest): boolean {
    if (kind.type === "payload") return TYPED.includes(operation);
    if (kind.type === "page") return call.kind === "walk";
    if (kind.type !== "cursor") return true;
    const { requests } = this.#parts.journal;
    const cursors = new Set(requests.flatMap((sent) => (sent.call === call ? [sent.page?.cursor] : [])));
    const needed = { repeated: 1, earlier: 2, null: 0, blank: 0 }[kind.what];
    return call.kind === "walk" && (needed === 0 || page?.cursor !== undefined) && cursors.size >= needed;
  }

  #wait(ms: number): Promise<void> {
    return this.#parts.clock.sleepElsewhere(ms);
  }
}

/** Whether the body of the answer never ends. */
function endless(fault: FaultKind | undefined): boolean {
  return fault?.type === "stalled" && fault.at === "body";
}

function askedOf({ operation, page, call }: SentRequest): Asked {
  if (call.kind === "mutation") return "mutation";
  return page === undefined || operation === "Own" ? "query" : "page";
}

/** Reads the paging variables, under the names of both kinds of documents. */
function pageOf(variables: Readonly<Record<string, unknown>>): PageAsk | undefined {
  const { first, after, last, before, size, from, back, until } = variables;
  const forward = first ?? size;
  const backward = last ?? back;
  if (typeof forward === "number")
    return { direction: "forward", size: forward, cursor: textOf(after ?? from) };
  if (typeof backward === "number")
    return { direction: "backward", size: backward, cursor: textOf(before ?? until) };
  return undefined;
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}
