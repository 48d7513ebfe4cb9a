import { Client } from "@grpc/grpc-js";
import { ClosedError, ConfigurationError } from "../../core/errors/index.js";
import type { SyncConfiguration } from "../configuration.js";
import type { CallBounds } from "../transport.js";
import { CONNECT_LIMIT_MS, Connection } from "./connection.js";
import type { ConnectionFailure } from "./connection-failure.js";
import { channelCredentials, channelOptions } from "./options.js";
import { proxyRoute } from "./proxy.js";

/** The share of a call's time that connecting may take: what is left is for saying why it came to nothing. */
const CONNECT_SHARE = 0.9;

/**
 * The connection that calls go over, and those that it replaced.
 *
 * A connection that failed, stalled or was discarded is replaced with the next call, so that each attempt of
 * the SDK's retries is one attempt to connect: grpc-js alone would fail the calls in between with a stale reason, pause
 * by a schedule of its own, and wait without limit for a peer that accepts and says nothing.
 */
export class Connections {
  readonly #target: string;
  readonly #configuration: SyncConfiguration;
  readonly #makeClient: () => Client;
  readonly #replaced = new Set<Connection>();
  #current: Connection | undefined;
  #closed = false;

  /** Nothing is connected yet. */
  constructor(target: string, configuration: SyncConfiguration) {
    this.#target = target;
    this.#configuration = configuration;
    const credentials = channelCredentials(configuration);
    const route = proxyRoute(configuration.proxy, target);
    const options = { ...route.options, ...channelOptions(configuration) };
    // Named by its scheme: without one, hosts that are called unix, dns or ipv4 would be taken for schemes themselves.
    this.#makeClient = () => makeClient(() => new Client(`dns:${route.target}`, credentials, options));
  }

  /**
   * Makes a call. Where no connection comes about, it fails as grpc-js tells, or after a while with `toError`.
   * @throws {ClosedError} the connections are closed
   */
  async use<T>(
    { signal, timeoutMs }: CallBounds,
    call: (client: Client, discard: () => void) => Promise<T>,
    toError: (stall: ConnectionFailure) => Error,
  ): Promise<T> {
    const limit = Math.min(CONNECT_LIMIT_MS, timeoutMs * CONNECT_SHARE);
    for (;;) {
      const connection = this.#usable();
      if (!(await connection.settled(limit, signal))) throw toError(connection.stall);
      // Another call may have replaced it meanwhile.
      if (connection === this.#current) return connection.use(call);
    }
  }

  /** Ends all connections, with whatever is under way. */
  close(): void {
    this.#closed = true;
    for (const connection of this.#replaced) connection.destroy();
    this.#current?.destroy();
    this.#current = undefined;
  }

  #usable(): Connection {
    if (this.#closed) throw new ClosedError("The client is closed. Make a new one.");
    if (this.#current?.isLost === true) this.#replace(this.#current);
    this.#current ??= new Connection(this.#makeClient(), this.#configuration.clock);
    return this.#current;
  }

  #replace(connection: Connection): void {
    this.#configuration.logger.debug("saas-management: connecting anew", { target: this.#target });
    connection.retire();
    this.#replaced.add(connection);
    for (const old of this.#replaced) if (old.isReleased) this.#replaced.delete(old);
    this.#current = undefined;
  }
}

/** grpc-js reads its options when a client is made, and throws where it cannot use one. */
function makeClient(make: () => Client): Client {
  try {
    return make();
  } catch (cause) {
    throw new ConfigurationError(
      "channelOptions hold a value that gRPC cannot use: see the cause, and leave the option out.",
      { cause },
    );
  }
}
