import { Client, connectivityState } from "@grpc/grpc-js";
import { raceAbort } from "../../core/abort.js";
import { type Clock, elapsedSince, type Moment, momentOf } from "../../core/clock.js";
import { ClosedError, ConfigurationError, TimeoutError, TransportError } from "../../core/errors/index.js";
import { NETWORK_ERRORS, type NetworkError } from "../../core/network-errors.js";
import type { SyncConfiguration } from "../options.js";
import type { CallBounds } from "../transport.js";
import { channelCredentials, channelOptions, idleLimitMs, proxyRoute } from "./options.js";
import { OwnedSockets } from "./sockets.js";

/** How long connecting may take in milliseconds, from the name lookup to HTTP/2. grpc-js sets no limit. */
const CONNECT_LIMIT_MS = 15_000;
/** The fraction of a call's time that connecting may take. The rest leaves room for an error that names the reason. */
const CONNECT_SHARE = 0.9;
/** A connection is replaced after this many transient failures in a row: perhaps only its own server is down. */
const MOST_FAILURES = 2;

/**
 * The connection that calls use, and the connections that it replaced.
 *
 * The next call replaces a connection that failed, stalled, sat idle or was discarded. Each retry of the SDK thus makes
 * one attempt to connect. On its own, grpc-js would fail the calls in between with a stale reason, pause on a schedule
 * of its own, and wait forever for a peer that accepts the connection and then says nothing.
 */
export class Connections {
  readonly #target: string;
  readonly #configuration: SyncConfiguration;
  readonly #makeClient: () => Client;
  readonly #replaced = new Set<Connection>();
  #current: Connection | undefined;
  #closed = false;

  constructor(target: string, configuration: SyncConfiguration) {
    this.#target = target;
    this.#configuration = configuration;
    const credentials = channelCredentials(configuration);
    const route = proxyRoute(configuration.proxy, target);
    const options = { ...route.options, ...channelOptions(configuration) };
    // Without the scheme, grpc-js would read hosts called unix, dns or ipv4 as schemes.
    this.#makeClient = () => new Client(`dns:${route.target}`, credentials, options);
  }

  /**
   * Makes a call. If no connection can be established, the call fails with grpc-js's error, or with that of `toError`
   * if connecting stalls.
   * @throws {ClosedError} the connections are closed
   */
  async use<T>(
    bounds: CallBounds,
    call: (client: Client, discard: () => void) => Promise<T>,
    toError: (stall: NetworkError) => Error,
  ): Promise<T> {
    for (;;) {
      const connection = this.#usable();
      if (!(await connection.settled(bounds))) throw toError(connection.stall);
      // Another call may have replaced the connection in the meantime.
      if (connection === this.#current) return connection.use(call);
    }
  }

  close(): void {
    this.#closed = true;
    for (const connection of this.#replaced) connection.destroy();
    this.#current?.destroy();
    this.#current = undefined;
  }

  #usable(): Connection {
    if (this.#closed) throw new ClosedError("The client is closed. Create a new one.");
    if (this.#current?.isLost === true) this.#replace(this.#current);
    this.#current ??= this.#connection();
    return this.#current;
  }

  #connection(): Connection {
    try {
      return new Connection(this.#makeClient(), this.#configuration);
    } catch (cause) {
      throw new ConfigurationError("channelOptions contain a value that gRPC cannot use.", { cause });
    }
  }

  #replace(connection: Connection): void {
    this.#configuration.logger.debug("saas-management: reconnecting", { target: this.#target });
    connection.retire();
    this.#replaced.add(connection);
    for (const old of this.#replaced) if (old.isReleased) this.#replaced.delete(old);
    this.#current = undefined;
  }
}

class Connection {
  readonly #client: Client;
  readonly #clock: Clock;
  readonly #idleLimitMs: number;
  readonly #sockets = new OwnedSockets();
  #calls = 0;
  /** When the last call ended. */
  #usedAt: Moment;
  /** Transient failures since a call last succeeded. */
  #failures = 0;
  /** When a call first found no established connection, in monotonic time. */
  #connectingSince: number | undefined;
  #discarded = false;
  #retired = false;

  constructor(client: Client, configuration: SyncConfiguration) {
    this.#client = client;
    this.#clock = configuration.clock;
    this.#idleLimitMs = idleLimitMs(configuration);
    this.#usedAt = momentOf(this.#clock);
  }

  /** Whether the next call needs another connection. */
  get isLost(): boolean {
    if (this.#discarded || this.#isIdle || this.#state === connectivityState.TRANSIENT_FAILURE) return true;
    if (this.#state === connectivityState.READY || this.#connectingSince === undefined) return false;
    return this.#clock.monotonic() - this.#connectingSince >= CONNECT_LIMIT_MS;
  }

  get isReleased(): boolean {
    return this.#retired && this.#calls === 0;
  }

  get stall(): NetworkError {
    return this.#sockets.connected ? NETWORK_ERRORS.SILENT : NETWORK_ERRORS.ETIMEDOUT;
  }

  /**
   * Connects if necessary, and waits for success or failure, but for no more than a fraction of the call's time.
   * @returns false if time ran out
   */
  async settled({ signal, unlessSent, timeoutMs }: CallBounds): Promise<boolean> {
    // Almost every call finds the connection established, and needs no timer.
    if (this.#connect() === connectivityState.READY) return true;
    let ended = false;
    let stopTimer = () => {};
    const settled = new Promise<boolean>((resolve) => {
      const ms = Math.min(CONNECT_LIMIT_MS, timeoutMs * CONNECT_SHARE);
      stopTimer = this.#clock.after(ms, () => resolve(false));
      const look = () => {
        if (ended) return;
        const state = this.#connect();
        if (state === connectivityState.IDLE || state === connectivityState.CONNECTING)
          this.#client.getChannel().watchConnectivityState(state, Number.POSITIVE_INFINITY, look);
        else resolve(true);
      };
      look();
    });
    try {
      return await raceAbort(settled, signal, unlessSent);
    } finally {
      ended = true;
      stopTimer();
    }
  }

  async use<T>(call: (client: Client, discard: () => void) => Promise<T>): Promise<T> {
    const discard = () => {
      this.#discarded = true;
    };
    const make = () => call(this.#client, discard);
    this.#calls += 1;
    try {
      const isReady = this.#connect() === connectivityState.READY;
      const answer = await (isReady ? make() : this.#sockets.during(make));
      this.#failures = 0;
      return answer;
    } catch (error) {
      this.#failures = error instanceof TransportError && error.retryable ? this.#failures + 1 : 0;
      // A router may have forgotten the connection, which grpc-js would take minutes to notice.
      if (isDeadline(error) || this.#failures >= MOST_FAILURES) discard();
      throw error;
    } finally {
      this.#calls -= 1;
      this.#usedAt = momentOf(this.#clock);
      if (this.isReleased) this.destroy();
    }
  }

  /** Closes the connection once the calls in flight have ended. */
  retire(): void {
    this.#retired = true;
    if (this.isReleased) this.destroy();
  }

  destroy(): void {
    this.#retired = true;
    const connecting = this.#state === connectivityState.CONNECTING;
    this.#client.close();
    this.#sockets.destroy();
    // While it's connecting, the client may still open a socket.
    if (!connecting) this.#sockets.settled();
  }

  /**
   * Whether the network may have silently dropped the connection. grpc-js closes idle connections too, but up to 10
   * seconds late, and its clock stops while the machine sleeps.
   */
  get #isIdle(): boolean {
    return this.#calls === 0 && elapsedSince(this.#clock, this.#usedAt) >= this.#idleLimitMs;
  }

  get #state(): connectivityState {
    return this.#client.getChannel().getConnectivityState(false);
  }

  #connect(): connectivityState {
    if (this.#state !== connectivityState.READY) {
      this.#connectingSince ??= this.#clock.monotonic();
    } else if (this.#connectingSince !== undefined) {
      this.#connectingSince = undefined;
      this.#sockets.settled();
    }
    // Only an idle client is asked to connect, because even a closed client would connect.
    if (this.#state === connectivityState.IDLE)
      this.#sockets.during(() => this.#client.getChannel().getConnectivityState(true));
    return this.#state;
  }
}

function isDeadline(error: unknown): boolean {
  return (
    error instanceof TimeoutError ||
    (error instanceof TransportError && error.grpcStatus === "DEADLINE_EXCEEDED")
  );
}
