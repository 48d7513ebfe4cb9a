import type { SimClock } from "../../sim-clock.js";
import type { Call, Journal, SentRequest } from "../journal.js";
import { GOOD } from "../verdict.js";

/** Node's `fetch`, recording requests and what is still running. */
export class WatchedFetch {
  readonly #journal: Journal;
  readonly #clock: SimClock;
  /** Number of requests without a complete answer. */
  underWay = 0;

  constructor(journal: Journal, clock: SimClock) {
    this.#journal = journal;
    this.#clock = clock;
  }

  readonly fetch: typeof globalThis.fetch = async (url, init = {}) => {
    if (init.signal?.aborted === true) throw init.signal.reason;
    const request = this.#note(init);
    this.#change(1);
    const over = () => {
      if (!request.bodyOpen) return;
      request.bodyOpen = false;
      this.#change(-1);
    };
    request.bodyOpen = true;
    try {
      const response = await fetch(url, init);
      request.answered = { ...this.#journal.moment(), verdict: GOOD };
      const { status, headers, body } = response;
      if (body === null) over();
      return new Response(body === null ? null : watched(body, over), { status, headers });
    } catch (error) {
      request.answered = { ...this.#journal.moment(), verdict: GOOD };
      over();
      throw error;
    }
  };

  #note({ headers, signal, body }: RequestInit): SentRequest {
    const sent = new Headers(headers);
    const call = this.#callOf(sent.get("x-call"));
    const { query } = JSON.parse(String(body));
    const [, operation = ""] = /^\s*(?:query|mutation)\s+(\w+)/.exec(query) ?? [];
    const key = sent.get("authorization") ?? "";
    const handed = { ...call.handed };
    const moment = this.#journal.moment();
    const request = { call, sent: moment, signal, operation, key, page: undefined, handed, bodyOpen: false };
    this.#journal.requests.push(request);
    return request;
  }

  #callOf(id: string | null): Call {
    const call = this.#journal.calls.find((candidate) => candidate.id === id);
    if (call === undefined) throw new Error("a request without a call");
    return call;
  }

  #change(requests: 1 | -1): void {
    this.underWay += requests;
    this.#clock.activity += 1;
  }
}

/** The same body; calls back when it was read to its end, has failed, or was cancelled. */
function watched(body: ReadableStream<Uint8Array>, over: () => void): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  return new ReadableStream<Uint8Array>(
    {
      pull: async (copy) => {
        try {
          const { done, value } = await reader.read();
          if (!done) return copy.enqueue(value);
          over();
          copy.close();
        } catch (error) {
          over();
          copy.error(error);
        }
      },
      cancel: async (reason) => {
        over();
        await reader.cancel(reason);
      },
    },
    { highWaterMark: 0 },
  );
}
