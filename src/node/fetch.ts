import type { TlsOptions } from "../core/endpoint.js";
import { ClosedError, TransportError } from "../core/errors/index.js";
import type { HttpProxy } from "./proxy.js";
import { proxyFailure, refusedByProxy } from "./proxy-failure.js";

/** What a {@link NodeFetch} connects with. */
export interface NodeFetchOptions {
  readonly tls: TlsOptions | undefined;
  readonly proxy: HttpProxy | undefined;
}

type Network = ReturnType<typeof import("./undici.js").openNetwork>;

/** A fetch with TLS settings or a proxy, which Node's own does not take. undici is loaded with the first request. */
export class NodeFetch {
  readonly #options: NodeFetchOptions;
  #network: Promise<Network> | undefined;
  #closed = false;

  constructor(options: NodeFetchOptions) {
    this.#options = options;
  }

  /**
   * Sends a request, as `globalThis.fetch` does.
   * @throws {TransportError} the proxy refuses to open a tunnel
   */
  readonly fetch = async (url: string, init: RequestInit): Promise<Response> => {
    const network = await this.#open();
    init.signal?.throwIfAborted();
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
  };

  /** Closes the connections. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#network?.then(
      (network) => network.close(),
      () => {},
    );
  }

  async #open(): Promise<Network> {
    if (this.#closed) throw new ClosedError("The client is closed.");
    this.#network ??= import("./undici.js").then(({ openNetwork }) => openNetwork(this.#options));
    return this.#network;
  }
}

function advice(status: number): string {
  return status === 407
    ? "check the user name and password in proxy."
    : "check the port in proxy, and whether the proxy allows this host and port.";
}
