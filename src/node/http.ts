import type { Agent, IncomingMessage } from "node:http";
import type { Readable } from "node:stream";
import { onAbort } from "../core/abort.js";
import type { TlsOptions } from "../core/endpoint.js";
import type { NodeFetch } from "./fetch.js";
import { connectionOptions } from "./tls.js";

/** How long undici keeps a connection that no request uses, unless the server tells less. */
const IDLE_MS = 4_000;

/**
 * A fetch over `node:http` and `node:https`, with less CPU than Node's own. It does what the SDK needs: sends a string,
 * follows no redirect, decompresses. What replaces `fetch` or its dispatcher has no effect on it.
 */
export function openHttp(tls: TlsOptions | undefined, endpoint: URL): NodeFetch {
  let agent: Agent | undefined;
  return {
    fetch: (input, { method, headers, body, signal } = {}) =>
      new Promise((resolve, reject) => {
        agent ??= openAgent(tls, endpoint);
        const { request } = process.getBuiltinModule("node:http");
        const outgoing = request(String(input), {
          agent,
          method: method ?? "GET",
          headers: { ...Object.fromEntries(new Headers(headers)), "accept-encoding": "gzip, br" },
        });
        const unlink = signal && onAbort(signal, () => outgoing.destroy());
        outgoing.on("error", reject).on("close", () => unlink?.());
        outgoing.on("response", (incoming) => {
          try {
            resolve(responseOf(incoming));
          } catch (error) {
            outgoing.destroy();
            reject(error);
          }
        });
        outgoing.end(body);
      }),
    close: async () => agent?.destroy(),
  };
}

function openAgent(tls: TlsOptions | undefined, { protocol }: URL): Agent {
  const options = { keepAlive: true, timeout: IDLE_MS };
  if (protocol === "http:") return new (process.getBuiltinModule("node:http").Agent)(options);
  const { Agent } = process.getBuiltinModule("node:https");
  return new Agent({ ...options, ...connectionOptions(tls) });
}

/** A `Response` whose body is a stream of Node: a stream of the Web costs more than the request. */
function responseOf(incoming: IncomingMessage): Response {
  const headers = new Headers();
  for (const [name, values = []] of Object.entries(incoming.headersDistinct))
    for (const value of values) headers.append(name, value);
  const response = new Response(null, { status: incoming.statusCode ?? 0, headers });
  const body = decompressed(incoming);
  const chunks = body[Symbol.asyncIterator]();
  const cancel = async () => void body.destroy();
  const getReader = () => ({ read: () => chunks.next(), cancel });
  return Object.defineProperty(response, "body", { value: { getReader, cancel } });
}

function decompressed(incoming: IncomingMessage): Readable {
  const { createBrotliDecompress, createGunzip } = process.getBuiltinModule("node:zlib");
  const { pipeline } = process.getBuiltinModule("node:stream");
  const encoding = incoming.headers["content-encoding"]?.toLowerCase();
  if (encoding === "gzip" || encoding === "x-gzip") return pipeline(incoming, createGunzip(), () => {});
  if (encoding === "br") return pipeline(incoming, createBrotliDecompress(), () => {});
  return incoming;
}
