import { Agent, fetch, ProxyAgent } from "undici";
import type { NodeFetchOptions } from "./fetch.js";
import type { HttpProxy } from "./proxy.js";
import { connectionOptions } from "./tls.js";

/**
 * A fetch over connections of its own. It is undici's: that of Node is of another version, and versions do not mix.
 * @throws {ConfigurationError} a certificate or key cannot be used
 */
export function openNetwork({ tls, proxy }: NodeFetchOptions) {
  const connect = connectionOptions(tls);
  const dispatcher =
    proxy === undefined
      ? new Agent({ connect })
      : new ProxyAgent({
          uri: proxy.origin,
          requestTls: connect,
          // The proxy is not the service: its certificate is of an authority that the process trusts.
          proxyTls: connectionOptions(),
          ...authentication(proxy),
        });
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
