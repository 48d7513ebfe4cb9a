import { TransportError } from "../errors.js";
import type { TlsOptions } from "../options.js";
import type { HttpProxy } from "./proxy.js";
import { proxyFailure, refusedByProxy } from "./proxy-failure.js";

type Undici = typeof import("./undici.js");
type Network = ReturnType<Undici["openNetwork"]>;

/** What a {@link NodeFetch} connects by. */
export interface NodeFetchOptions {
  readonly tls: TlsOptions | undefined;
  readonly proxy: HttpProxy | undefined;
}

/**
 * A fetch with TLS settings and a proxy of its own, which that of Node does not take. undici, which does, is loaded
 * with the first request. A proxy serves every host, loopback too; variables of the environment are not read.
 */
export class NodeFetch {
  readonly #options: NodeFetchOptions;
  #opening: Promise<Network> | undefined;

  constructor(options: NodeFetchOptions) {
    this.#options = options;
  }

  /**
   * Sends a request, as `globalThis.fetch` does.
   * @throws {TransportError} the proxy refuses to open a tunnel
   */
  readonly fetch = async (url: string, init: RequestInit): Promise<Response> => {
    init.signal?.throwIfAborted();
    const network = await this.#open();
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

  /** Ends its connections. */
  async close(): Promise<void> {
    const network = await this.#opening?.catch(() => undefined);
    await network?.close();
  }

  #open(): Promise<Network> {
    this.#opening ??= import("./undici.js").then(({ openNetwork }) => openNetwork(this.#options));
    return this.#opening;
  }
}

function advice(status: number): string {
  return status === 407
    ? "check the user name and password in proxy."
    : "check the port in proxy, and whether the proxy allows this host and port.";
}
