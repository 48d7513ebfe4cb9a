import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { promisify } from "node:util";
import { brotliDecompress, gunzip, inflate } from "node:zlib";
import { Agent, type Dispatcher } from "undici/index.js";
import { type Exchange, readBody } from "../cassette/cassette.js";
import { type VendorRoute, virtualTime } from "../time/context.js";
import { replaceModules } from "./intercept-http.js";
import { replaceDispatcher } from "./intercept-undici.js";
import {
  type OpenRun,
  ORIGIN_HEADER,
  plainHeaders,
  type ReceivedRequest,
  type RequestHandler,
  RUN_HEADER,
  receive,
  recorded,
  sendAnswer,
} from "./messages.js";
import { Playback, type PlaybackOptions } from "./playback.js";

/** The simulated vendor: one HTTP server on loopback that plays back or records all requests of the process. */
export type Vendor = Awaited<ReturnType<typeof startVendor>>;

/** @param routeOf See `intercept`. */
export async function startVendor(routeOf?: Parameters<typeof intercept>[0]) {
  const runs = new Map<string, RequestHandler>();
  let count = 0;
  const server = createServer({ requireHostHeader: false }, (request, response) => {
    // The next run must not answer a request of a run that has ended.
    const run = runs.get(String(request.headers[RUN_HEADER]));
    if (run === undefined) response.destroy();
    else run(request, response).catch(() => response.destroy());
  });
  // Connections wait as long as virtual time stands still.
  Object.assign(server, { keepAliveTimeout: 0, requestTimeout: 0, headersTimeout: 0 });
  server.on("clientError", (_, socket) => socket.destroy());
  const port = await new Promise<number>((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      if (typeof address === "object" && address !== null) resolve(address.port);
    });
  });
  const open: OpenRun = (handler) => {
    count += 1;
    const run = String(count);
    runs.set(run, handler);
    return { route: { port, run, pending: 0 }, end: () => runs.delete(run) };
  };
  const restore = intercept(routeOf);
  return {
    /** Plays a recording for one run, with at most one fault. */
    play: (options: PlaybackOptions) => new Playback(options, open),
    /** Forwards requests to the real vendor and records its answers. */
    forward: () => new Forwarding(open),
    close: () =>
      new Promise<void>((resolve) => {
        restore();
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/**
 * Sends the HTTP requests of this process to a simulated vendor, if they use fetch, undici's global dispatcher, or the
 * modules http and https. Can't redirect http2, raw sockets, child processes, dispatchers that a caller passes to
 * undici, or functions that a Jest test imports by name from `node:http` or `node:https`.
 * @param routeOf Called in the async context of a request's caller; returns where the request must go, or undefined for
 * its own address.
 * @returns a function that ends the interception
 */
function intercept(routeOf: () => VendorRoute | undefined = () => virtualTime()?.route): () => void {
  const take = (origin: string) => {
    const route = routeOf();
    if (route === undefined) return undefined;
    route.pending += 1;
    let isPending = true;
    return {
      port: route.port,
      headers: { [RUN_HEADER]: route.run, [ORIGIN_HEADER]: origin },
      answered: () => {
        if (isPending) route.pending -= 1;
        isPending = false;
      },
    };
  };
  const restoreDispatcher = replaceDispatcher(take);
  const restoreModules = replaceModules(take);
  return () => {
    restoreModules();
    restoreDispatcher();
  };
}

/** Forwards requests to the real vendor. */
export class Forwarding {
  readonly run: ReturnType<OpenRun>;
  /** Requests that got no answer. */
  readonly failures: { readonly origin: string; readonly error: unknown }[] = [];
  readonly #agent: Dispatcher = new Agent({ headersTimeout: 0, bodyTimeout: 0 });
  /** In the order of the requests, because answers may arrive in another order. */
  readonly #exchanges: (Exchange | undefined)[] = [];

  constructor(open: OpenRun) {
    this.run = open((request, response) => this.#handle(request, response));
  }

  /** The exchanges with complete answers, in the order of the requests. */
  get exchanges(): readonly Exchange[] {
    return this.#exchanges.filter((exchange) => exchange !== undefined);
  }

  async end(): Promise<void> {
    this.run.end();
    await this.#agent.destroy();
  }

  async #handle(message: IncomingMessage, response: ServerResponse): Promise<void> {
    const place = this.#exchanges.push(undefined) - 1;
    const asked = await receive(message);
    try {
      const answer = await this.#ask(asked);
      this.#exchanges[place] = {
        request: recorded(asked),
        response: { status: answer.status, headers: answer.headers, body: readBody(answer.body) },
      };
      await sendAnswer(response, answer);
    } catch (error) {
      this.failures.push({ origin: new URL(asked.url).origin, error });
      response.socket?.resetAndDestroy();
    }
  }

  async #ask({ method, url, headers, body }: ReceivedRequest) {
    const { origin } = new URL(url);
    const answer = await this.#agent.request({
      origin,
      path: url.slice(origin.length),
      method,
      headers: { ...headers, "accept-encoding": "gzip, deflate, br" },
      ...(body.length === 0 ? {} : { body }),
    });
    const bytes = Buffer.from(await answer.body.arrayBuffer());
    return {
      status: answer.statusCode,
      headers: plainHeaders(answer.headers),
      body: await decoded(bytes, String(answer.headers["content-encoding"] ?? "")),
    };
  }
}

const DECODERS: Readonly<Record<string, (bytes: Buffer) => Promise<Buffer>>> = {
  gzip: promisify<Buffer, Buffer>(gunzip),
  "x-gzip": promisify<Buffer, Buffer>(gunzip),
  deflate: promisify<Buffer, Buffer>(inflate),
  br: promisify<Buffer, Buffer>(brotliDecompress),
};

async function decoded(bytes: Buffer, encodings: string): Promise<Buffer> {
  let body = bytes;
  // The last encoding is undone first. An answer to HEAD has an encoding but no body.
  for (const encoding of encodings.split(",").reverse()) {
    const decode = DECODERS[encoding.trim().toLowerCase()];
    if (decode !== undefined && body.length > 0) body = await decode(body);
  }
  return body;
}
