import { TransportError } from "../core/errors/index.js";
import { fetchWeakness } from "../core/fetch-weakness.js";
import { Lazy } from "../core/lazy.js";
import type { TlsOptions } from "../core/options.js";
import type { HttpProxy } from "./proxy.js";
import { proxyFailure, refusedByProxy } from "./proxy-failure.js";

/** What a {@link NodeFetch} connects by, and where to. */
export interface NodeFetchOptions {
  readonly endpoint: URL;
  readonly tls: TlsOptions | undefined;
  readonly proxy: HttpProxy | undefined;
}

/**
 * Node's own fetch, or one of undici where that is not enough: it takes neither TLS settings nor a proxy, and in a
 * process that was told not to check certificates it checks none. undici is loaded with the first request that needs
 * it. A proxy serves every host, loopback too; variables of the environment are not read for it.
 */
export class NodeFetch {
  readonly #options: NodeFetchOptions;
  readonly #network = new Lazy("What tls, proxy and safe connections need", async () => {
    const { openNetwork } = await import("./undici.js");
    const network = openNetwork(this.#options);
    if (this.#closed) await network.close();
    return network;
  });
  #closed = false;

  constructor(options: NodeFetchOptions) {
    this.#options = options;
  }

  /**
   * Sends a request, as `globalThis.fetch` does.
   * @throws {TransportError} the proxy refuses to open a tunnel
   */
  readonly fetch = (url: string, init: RequestInit): Promise<Response> => {
    const { endpoint, tls, proxy } = this.#options;
    const own = tls !== undefined || proxy !== undefined || fetchWeakness(endpoint) !== undefined;
    // The global one is looked up with each request: what replaces it later (a tracer, a test) is heeded.
    return own ? this.#fetch(url, init) : globalThis.fetch(url, init);
  };

  /** Ends its connections; those that are not there yet as soon as they are. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#network.loaded?.close();
  }

  async #fetch(url: string, init: RequestInit): Promise<Response> {
    init.signal?.throwIfAborted();
    const network = this.#network.loaded ?? (await this.#network.load(init.signal ?? undefined));
    const { proxy } = this.#options;
    try {
      return await network.fetch(url, init);
    } catch (error) {
      if (proxy === undefined || init.signal?.aborted === true) throw error;
      const status = refusedByProxy(error);
      if (status === undefined || status >= 500) throw proxyFailure(error);
      throw new TransportError(
        `The proxy ${proxy.origin} did not open a tunnel to ${new URL(url).host} (HTTP ${status}): ${advice(status)}`,
      );
    }
  }
}

function advice(status: number): string {
  return status === 407
    ? "check the user name and password in proxy."
    : "check the port in proxy, and whether the proxy allows this host and port.";
}
