// By its file: Bun puts a stub of its own in the place of the bare "undici", and the stub drops `dispatcher` in
// silence.
import { Agent, fetch, ProxyAgent } from "undici/index.js";
import { ConfigurationError } from "../core/errors/index.js";
import type { NodeFetchOptions } from "./fetch.js";
import type { HttpProxy } from "./proxy.js";
import { connectionOptions } from "./tls.js";

/** No times of undici's own (300 s each): every operation has its `timeoutMs`, which may be longer. */
const NO_TIMEOUTS = { headersTimeout: 0, bodyTimeout: 0 } as const;

/**
 * A fetch over connections of its own. It is undici's: that of Node is of another version, and versions do not mix.
 * @throws {ConfigurationError} a certificate or key cannot be used, or the runtime has another undici in its place
 */
export function openNetwork({ tls, proxy }: NodeFetchOptions) {
  const connect = connectionOptions(tls);
  const dispatcher =
    proxy === undefined
      ? new Agent({ ...NO_TIMEOUTS, connect })
      : new ProxyAgent({
          ...NO_TIMEOUTS,
          uri: proxy.origin,
          requestTls: connect,
          // The proxy is not the service: its certificate is of an authority that the process trusts.
          proxyTls: connectionOptions(),
          ...authentication(proxy),
        });
  requireDispatcher(dispatcher);
  return {
    async fetch(url: string, init: RequestInit): Promise<Response> {
      const { method = "GET", headers, body, redirect = "follow", signal = null } = init;
      const response = await fetch(url, {
        method,
        headers: [...new Headers(headers)],
        body: typeof body === "string" ? body : null,
        redirect,
        signal,
        dispatcher,
      });
      const { status, statusText } = response;
      return new Response(response.body === null ? null : streamOf(response.body.getReader()), {
        status,
        statusText,
        headers: [...response.headers],
      });
    },
    close: (): Promise<void> => dispatcher.destroy(),
  };
}

/** What cannot dispatch is passed over by its fetch: the key would go by other ways than those that were asked for. */
function requireDispatcher(dispatcher: object): void {
  if ("dispatch" in dispatcher) return;
  throw new ConfigurationError(
    "Nothing was sent: this runtime, or a bundler, has put something else in the place of the package undici, which tls, proxy and safe connections need.",
  );
}

function authentication({ credentials }: HttpProxy): { readonly token?: string } {
  if (credentials === undefined) return {};
  return { token: `Basic ${Buffer.from(credentials).toString("base64")}` };
}

/** What a reader reads, as the stream that the global Response takes. */
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
