import { type Client, connectivityState } from "@grpc/grpc-js";
import type { Clock } from "../../core/clock.js";
import { TimeoutError, TransportError } from "../../core/errors/index.js";
import { type ConnectionFailure, NO_ANSWER, SILENT } from "./connection-failure.js";
import { OwnedSockets } from "./sockets.js";

/** How long a connection may take, in milliseconds: name, TCP, TLS and HTTP/2 together. grpc-js sets no limit. */
export const CONNECT_LIMIT_MS = 15_000;

/** A gRPC client: whether it is connected, and whether it is of any more use. */
export class Connection {
  readonly #client: Client;
  readonly #clock: Clock;
  readonly #sockets = new OwnedSockets();
  /** Number of calls under way. */
  #calls = 0;
  /** Monotonic time since when calls found it without a connection. */
  #connectingSince: number | undefined;
  #discarded = false;
  #retired = false;

  constructor(client: Client, clock: Clock) {
    this.#client = client;
    this.#clock = clock;
  }

  /** Whether the next call needs another one: it could not connect, takes too long to, or a call discarded it. */
  get isLost(): boolean {
    if (this.#discarded || this.#state === connectivityState.TRANSIENT_FAILURE) return true;
    if (this.#state === connectivityState.READY || this.#connectingSince === undefined) return false;
    return this.#clock.monotonic() - this.#connectingSince >= CONNECT_LIMIT_MS;
  }

  /** Whether nothing of it is left. */
  get isReleased(): boolean {
    return this.#retired && this.#calls === 0;
  }

  /** What to say when it does not come about. */
  get stall(): ConnectionFailure {
    return this.#sockets.connected ? SILENT : NO_ANSWER;
  }

  /**
   * Waits, at most `ms`, until it is connected, could not be, or is closed; begins to connect where it has not.
   * @returns whether that came to pass
   */
  settled(ms: number, signal: AbortSignal): Promise<boolean> {
    return new Promise((resolve, reject) => {
      let ended = false;
      const end = () => {
        ended = true;
        stopTimer();
        signal.removeEventListener("abort", abort);
      };
      const stopTimer = this.#clock.after(ms, () => {
        end();
        resolve(false);
      });
      const abort = () => {
        end();
        reject(signal.reason);
      };
      const look = () => {
        if (ended) return;
        const state = this.#connect();
        if (state === connectivityState.IDLE || state === connectivityState.CONNECTING) {
          this.#client.getChannel().watchConnectivityState(state, Number.POSITIVE_INFINITY, look);
          return;
        }
        end();
        resolve(true);
      };
      signal.addEventListener("abort", abort, { once: true });
      look();
    });
  }

  /** Makes a call, which may say that no other should be made. */
  async use<T>(call: (client: Client, discard: () => void) => Promise<T>): Promise<T> {
    const discard = () => {
      this.#discarded = true;
    };
    this.#calls += 1;
    try {
      if (this.#connect() === connectivityState.READY) return await call(this.#client, discard);
      return await this.#sockets.during(() => call(this.#client, discard));
    } catch (error) {
      // What seems to stand may be dead, as behind a router that forgot it: grpc-js would find out minutes later.
      if (isDeadline(error)) discard();
      throw error;
    } finally {
      this.#calls -= 1;
      this.#release();
    }
  }

  /** No further call is made. Those under way are not disturbed; it ends with the last of them. */
  retire(): void {
    this.#retired = true;
    this.#release();
  }

  /** Ends it at once, with whatever is under way. */
  destroy(): void {
    this.#retired = true;
    const connecting = this.#state === connectivityState.CONNECTING;
    this.#client.close();
    this.#sockets.destroy();
    // While it connects, its socket may be still to come.
    if (!connecting) this.#sockets.settled();
  }

  get #state(): connectivityState {
    return this.#client.getChannel().getConnectivityState(false);
  }

  /** Begins to connect where it has not. */
  #connect(): connectivityState {
    if (this.#state === connectivityState.READY) {
      this.#connectingSince = undefined;
      this.#sockets.settled();
    } else {
      this.#connectingSince ??= this.#clock.monotonic();
    }
    // Asked of a closed client, this would make it connect all the same.
    if (this.#state === connectivityState.IDLE)
      this.#sockets.during(() => this.#client.getChannel().getConnectivityState(true));
    return this.#state;
  }

  #release(): void {
    if (this.isReleased) this.destroy();
  }
}

function isDeadline(error: unknown): boolean {
  return (
    error instanceof TimeoutError ||
    (error instanceof TransportError && error.grpcStatus === "DEADLINE_EXCEEDED")
  );
}
