import { ORIGIN_HEADER, RUN_HEADER, type VendorRoute } from "./routes.js";

export interface InterceptOptions {
  /** Where a request goes that begins now, in the async context of its caller; undefined: to its own address. */
  readonly route: () => VendorRoute | undefined;
  /** Calls code that belongs to no connector, such as the timers of undici. */
  readonly outside?: (<T>(work: () => T) => T) | undefined;
}

/** A request on its way to the simulated vendor. */
export interface Taken {
  readonly port: number;
  /** What the server is told in addition. */
  readonly headers: Readonly<Record<string, string>>;
  /** To call when the head of the answer is there, or the request has failed. */
  readonly answered: () => void;
}

export class InterceptedRequests {
  readonly #options: InterceptOptions;
  #pending = 0;

  constructor(options: InterceptOptions) {
    this.#options = options;
  }

  get pending(): number {
    return this.#pending;
  }

  /** @returns undefined if it goes to its own address */
  take(origin: string): Taken | undefined {
    const to = this.#options.route();
    if (to === undefined) return undefined;
    this.#pending += 1;
    let isPending = true;
    return {
      port: to.port,
      headers: { [RUN_HEADER]: to.run, [ORIGIN_HEADER]: origin },
      answered: () => {
        if (isPending) this.#pending -= 1;
        isPending = false;
      },
    };
  }

  outside<T>(work: () => T): T {
    return this.#options.outside === undefined ? work() : this.#options.outside(work);
  }
}
