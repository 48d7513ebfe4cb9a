import { type Client, connectivityState } from "@grpc/grpc-js";
import type { Clock } from "../clock.js";
import { OwnedSockets } from "./channel-sockets.js";
import { type ConnectionFailure, NO_ANSWER, SILENT } from "./connection-failure.js";

/** How long a connection may take, in milliseconds: name, TCP, TLS and HTTP/2 together. grpc-js sets no limit. */
export const CONNECT_LIMIT_MS = 15_000;

/** A gRPC client, whether it is connected, and whether it is of any more use. */
export class Connection {
  readonly #client: Client;
  readonly #clock: Clock;
  readonly #sockets = new OwnedSockets();
  #calls = 0;
  /** Monotonic time since when calls found it without a connection. */
  #connectingSince: number | undefined;
  #unanswered = false;
  #retired = false;

  constructor(makeClient: () => Client, clock: Clock) {
    this.#client = makeClient();
    this.#clock = clock;
  }

  /** Whether the next call needs another one: it could not connect, takes too long to, or left a call unanswered. */
  get isLost(): boolean {
    return (
      this.#unanswered ||
      this.#state === connectivityState.TRANSIENT_FAILURE ||
      (this.#connectingSince !== undefined &&
        this.#clock.monotonic() - this.#connectingSince >= CONNECT_LIMIT_MS)
    );
  }

  /** What to say of a connection that does not come about. */
  get stall(): ConnectionFailure {
    return this.#sockets.connected ? SILENT : NO_ANSWER;
  }

  /**
   * Waits, at most `ms`, until it is connected, could not be, or was retired; begins to connect where it has not.
   * @returns whether that came to pass
   */
  settled(ms: number, signal: AbortSignal): Promise<boolean> {
    return new Promise((resolve, reject) => {
      const stopTimer = this.#clock.after(ms, () => end(() => resolve(false)));
      const abort = () => end(() => reject(signal.reason));
      let ended = false;
      const end = (settle: () => void) => {
        ended = true;
        stopTimer();
        signal.removeEventListener("abort", abort);
        settle();
      };
      const look = () => {
        if (ended) return;
        const state = this.#connect();
        if (state === connectivityState.IDLE || state === connectivityState.CONNECTING) {
          this.#client.getChannel().watchConnectivityState(state, Number.POSITIVE_INFINITY, look);
        } else end(() => resolve(true));
      };
      signal.addEventListener("abort", abort, { once: true });
      look();
    });
  }

  /** Makes a call. */
  async use<T>(call: (client: Client) => Promise<T>): Promise<T> {
    this.#calls += 1;
    try {
      return await this.#sockets.during(() => call(this.#client));
    } finally {
      this.#calls -= 1;
      this.#release();
    }
  }

  /** A call got no answer until its deadline: what stands may be dead, as behind a router that forgot it. */
  suspect(): void {
    this.#unanswered = true;
  }

  /** Takes no more calls; those under way are not disturbed, and end it when they have ended. */
  retire(): void {
    if (this.#retired) return;
    this.#retired = true;
    this.#client.close();
    this.#release();
  }

  /** Ends it at once, with everything that is under way. */
  destroy(): void {
    this.retire();
    this.#sockets.destroy();
  }

  /** Whether nothing of it is left. */
  get isReleased(): boolean {
    return this.#retired && this.#calls === 0;
  }

  get #state(): connectivityState {
    return this.#client.getChannel().getConnectivityState(false);
  }

  /** Begins to connect where it has not, and notes since when. */
  #connect(): connectivityState {
    if (this.#state === connectivityState.READY) this.#connectingSince = undefined;
    else this.#connectingSince ??= this.#clock.monotonic();
    // Never on a client that is closed: it would connect all the same.
    if (this.#state === connectivityState.IDLE)
      this.#sockets.during(() => this.#client.getChannel().getConnectivityState(true));
    return this.#state;
  }

  #release(): void {
    if (this.isReleased) this.#sockets.destroy();
  }
}
