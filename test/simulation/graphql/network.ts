import type { SimClock } from "../sim-clock.js";
import type { Fault, FaultSchedule } from "./faults.js";
import type { Journal, PageAsk, SentRequest } from "./journal.js";
import type { SimService } from "./service.js";

/** Latency of a request and of an answer, in milliseconds. */
const WAY_MS = 5;

const JSON_TYPE = { "content-type": "application/json; charset=utf-8" };

interface NetworkParts {
  readonly service: SimService;
  readonly faults: FaultSchedule;
  readonly journal: Journal;
  readonly clock: SimClock;
  readonly heedsSignal: boolean;
}

/** A `fetch` that carries requests and answers between client and service, with faults. */
export function simulatedFetch(parts: NetworkParts): typeof globalThis.fetch {
  const { heedsSignal, faults, journal } = parts;
  return (_url, init = {}) => {
    const { signal } = init;
    // Like Node's fetch, this sends nothing if the signal has already fired.
    if (heedsSignal && signal?.aborted === true) return Promise.reject(signal.reason);
    const request = note(init, journal);
    const fault = faults.take((kind) => {
      const isCycle = "what" in kind && (kind.what === "repeated" || kind.what === "earlier");
      return !isCycle || request.page.cursor !== undefined;
    });
    return new Promise((resolve, reject) => {
      const abort = () => reject(signal?.reason);
      if (heedsSignal) signal?.addEventListener("abort", abort, { once: true });
      carry(request, fault, parts)
        .then(resolve, reject)
        .finally(() => signal?.removeEventListener("abort", abort));
    });
  };
}

function note({ headers, body, signal }: RequestInit, journal: Journal): SentRequest {
  const leg = journal.legs.find(({ id }) => id === new Headers(headers).get("x-leg"));
  if (leg === undefined) throw new Error("a request without a walk");
  const { query, variables } = JSON.parse(String(body));
  if (!JSON.stringify(variables).includes(leg.id))
    journal.misdeeds.push(`variables: a request of ${leg.id} was sent without its own`);
  const request: SentRequest = {
    leg,
    sent: journal.moment(),
    signal,
    connection: /^\s*query Things/.test(query) ? "things" : "licenses",
    page: pageOf(variables),
    handed: { nodes: leg.ids.length, pages: leg.pages },
    bodyOpen: false,
  };
  journal.requests.push(request);
  return request;
}

/** Reads the paging variables under the names that the two documents use. */
function pageOf({ first, after, last, before, size, from, back, until }: Record<string, unknown>): PageAsk {
  const text = (value: unknown) => (typeof value === "string" ? value : undefined);
  const forward = first ?? size;
  return forward === undefined
    ? { direction: "backward", size: Number(last ?? back), cursor: text(before ?? until) }
    : { direction: "forward", size: Number(forward), cursor: text(after ?? from) };
}

async function carry(
  request: SentRequest,
  fault: Fault | undefined,
  { service, clock, heedsSignal, journal }: NetworkParts,
): Promise<Response> {
  await clock.sleepElsewhere(WAY_MS);
  const data = service.execute(request, fault);
  await clock.sleepElsewhere(WAY_MS + (fault?.type === "delayed" ? fault.ms : 0));
  if (fault?.type === "stalled" && fault.at === "answer") return new Promise<Response>(() => {});
  const heeded = heedsSignal ? request.signal : undefined;
  // The connection is closed, and the answer lost.
  heeded?.throwIfAborted();
  if (fault?.type !== "stalled") request.answered = journal.moment();
  if (fault?.type === "lost") throw new TypeError("fetch failed", { cause: withCode(fault.code) });
  const isEndless = fault?.type === "status" && fault.body === "endless";
  const end = fault?.type === "cut" ? "cut" : fault?.type === "stalled" || isEndless ? "stalled" : undefined;
  const text =
    fault?.type === "status"
      ? isEndless
        ? "<html>"
        : JSON.stringify({ errors: [{ message: "not now" }] })
      : JSON.stringify({ data });
  const status = fault?.type === "status" ? fault.status : 200;
  const headers = isEndless ? { "content-type": "text/html" } : JSON_TYPE;
  return new Response(body(request, text, end, heeded), { status, headers });
}

/** A body that records whether it was read to its end or cancelled. @param heeded A signal that ends the body */
function body(
  request: SentRequest,
  text: string,
  end: "cut" | "stalled" | undefined,
  heeded: AbortSignal | null | undefined,
): ReadableStream<Uint8Array> {
  request.bodyOpen = true;
  const over = () => {
    request.bodyOpen = false;
  };
  const bytes = new TextEncoder().encode(text);
  const parts = [bytes.slice(0, bytes.length / 2), bytes.slice(bytes.length / 2)];
  return new ReadableStream<Uint8Array>(
    {
      start: (stream) => {
        const fail = () => {
          over();
          stream.error(heeded?.reason);
        };
        heeded?.addEventListener("abort", fail, { once: true });
      },
      pull: (stream) => {
        const part = parts.shift();
        if (parts.length === 0 && end === "stalled") return new Promise<void>(() => {});
        if (part !== undefined && (parts.length > 0 || end === undefined)) {
          stream.enqueue(part);
          return undefined;
        }
        over();
        if (end === "cut") stream.error(new TypeError("terminated", { cause: withCode("UND_ERR_SOCKET") }));
        else stream.close();
        return undefined;
      },
      cancel: over,
    },
    { highWaterMark: 0 },
  );
}

/** The cause of an error of Node's fetch. */
function withCode(code: string): Error {
  return Object.assign(new Error(code), { code });
}
