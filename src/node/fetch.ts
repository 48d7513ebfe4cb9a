import type { Pool } from "undici";
import { follow } from "../core/abort.js";
import type { TlsOptions } from "../core/endpoint.js";
import { ConfigurationError } from "../core/errors/index.js";
import { causesOf, errorCode, type NetworkErrorCode } from "../core/network-errors.js";
import type { HttpProxy } from "./proxy.js";
import { connectionOptions } from "./tls.js";

/** A fetch with TLS settings or a proxy; Node's own fetch supports neither. */
export interface NodeFetch {
  readonly fetch: typeof globalThis.fetch;
  close(): Promise<void>;
}

/** Every operation has its own `timeoutMs`, which may be longer than undici's 300 s. */
const NO_TIMEOUTS = { headersTimeout: 0, bodyTimeout: 0 } as const;

/**
 * Opens a fetch with its own connections. On the first request, the fetch loads an undici of its own, because Node's
 * own undici may have another version, and versions don't mix. The fetch rejects with a {@link ConfigurationError} if
 * the runtime replaced undici.
 */
export function openFetch(tls: TlsOptions | undefined, proxy: HttpProxy | undefined): NodeFetch {
  let opened: ReturnType<typeof loadUndici> | undefined;
  return {
    async fetch(input, init = {}) {
      opened ??= loadUndici(tls, proxy);
      const { fetch, dispatcher, Controller, Signal } = await opened;
      const { method = "GET", headers, body, signal = null } = init;
      const own = signal === null || signal instanceof Signal ? undefined : new Controller();
      const unlink = own && signal ? follow(signal, own) : undefined;
      try {
        // The SDK always passes the URL as a string.
        const response = await fetch(String(input), {
          method,
          headers: [...new Headers(headers)],
          body: typeof body === "string" ? body : null,
          redirect: "error",
          signal: own?.signal ?? signal,
          dispatcher,
        });
        const stream = response.body === null ? null : streamOf(response.body.getReader());
        return new Response(stream, { status: response.status, headers: [...response.headers] });
      } catch (error) {
        if (proxy === undefined || signal?.aborted === true) throw error;
        throw proxyFailure(error, proxy);
      } finally {
        unlink?.();
      }
    },
    close: async () => {
      await opened?.then(
        ({ dispatcher }) => dispatcher.destroy(),
        () => {},
      );
    },
  };
}

async function loadUndici(tls: TlsOptions | undefined, proxy: HttpProxy | undefined) {
  // Imports the file, because Bun replaces the bare "undici" with a stub that silently ignores `dispatcher`.
  const { Agent, fetch, Pool, ProxyAgent } = await import("undici/index.js");
  const connect = connectionOptions(tls);
  const credentials = proxy?.credentials;
  const dispatcher =
    proxy === undefined
      ? new Agent({ ...NO_TIMEOUTS, connect })
      : new ProxyAgent({
          ...NO_TIMEOUTS,
          uri: proxy.origin,
          requestTls: connect,
          // `tls` is only for the service. The proxy's certificate comes from an authority that the process trusts.
          proxyTls: connectionOptions(),
          clientFactory: (origin, options) => withTunnelErrors(new Pool(origin, options), proxy),
          ...(credentials === undefined
            ? {}
            : { token: `Basic ${Buffer.from(credentials).toString("base64")}` }),
        });
  if (!("dispatch" in dispatcher)) {
    // A fetch that ignores the dispatcher would send the key without the TLS settings or the proxy.
    throw new ConfigurationError(
      "The options tls and proxy need the package undici, which this runtime or a bundler has replaced. Nothing was sent.",
    );
  }
  // undici only accepts signals of the class that was global when undici was loaded, which may be jsdom's.
  return { fetch, dispatcher, Controller: AbortController, Signal: AbortSignal };
}

/** undici treats a tunnel that the proxy closed as a lost connection, and reconnects forever without a pause. */
function withTunnelErrors(pool: Pool, proxy: HttpProxy): Pool {
  const connect = pool.connect.bind(pool);
  return Object.assign(pool, {
    connect: (request: Parameters<typeof connect>[0]) =>
      connect(request).catch((error: unknown) => {
        throw CLOSED.has(errorCode(error)) ? withCode("PROXY_CLOSED", `${proxy}`, error) : error;
      }),
  });
}

const CLOSED: ReadonlySet<string | undefined> = new Set([
  "ECONNRESET",
  "EPIPE",
  "UND_ERR_INFO",
  "UND_ERR_SOCKET",
]);

function streamOf(reader: ReadableStreamDefaultReader<Uint8Array>): ReadableStream<Uint8Array> {
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await reader.read();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    cancel: (reason) => reader.cancel(reason),
  });
}

/** Marks a connection error as the proxy's failure, because every TCP connection goes to the proxy. */
function proxyFailure(error: unknown, proxy: HttpProxy): unknown {
  for (const cause of causesOf(error)) {
    if (!(cause instanceof Error)) break;
    // undici reveals the reason only in the message.
    const status = /^Proxy response \((\d{3})\)/.exec(cause.message)?.[1];
    if (status !== undefined) return withCode(codeOf(status), `${proxy}, HTTP ${status}`, error);
    if ("syscall" in cause && (cause.syscall === "connect" || cause.syscall === "getaddrinfo"))
      return withCode("PROXY_UNREACHABLE", `${proxy}`, error);
  }
  return error;
}

function codeOf(status: string): NetworkErrorCode {
  if (status === "407") return "PROXY_AUTHENTICATION";
  return status.startsWith("5") ? "PROXY_TUNNEL_FAILED" : "PROXY_REFUSED";
}

function withCode(code: NetworkErrorCode, proxy: string, cause: unknown): Error {
  return Object.assign(new Error("The proxy failed.", { cause }), { code, proxy });
}
