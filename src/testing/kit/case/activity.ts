type Kind = "running" | "calls" | "pulls" | "held" | "works";

/** What is under way in a run: a driver lets time pass only if nothing is. */
export class Activity {
  /** Whether the connector's `run` was called and has not settled. */
  running = 0;
  /** Calls of the connector to its batch that have not settled. */
  calls = 0;
  /** Times that the SDK waits for a source of the connector. */
  pulls = 0;
  /** Waits of a fault. */
  held = 0;
  /** Real work that a fault does. */
  works = 0;
  /** Attempts of RPCs without an answer. */
  rpcs = 0;
  /** Number of the latest attempt. */
  rpc = 0;
  #changes = 0;

  /** Grows whenever something begins or ends. */
  get changes(): number {
    return this.#changes;
  }

  /** Whether whatever happens next is up to the SDK. */
  get isInSdk(): boolean {
    return this.pulls === 0 && (this.running === 0 || this.calls > 0);
  }

  begin(what: Kind | "rpcs"): () => void {
    this.#changes += 1;
    this[what] += 1;
    let ended = false;
    return () => {
      if (ended) return;
      ended = true;
      this.#changes += 1;
      this[what] -= 1;
    };
  }

  async during<T>(what: Kind, work: () => T | Promise<T>): Promise<T> {
    const end = this.begin(what);
    try {
      return await work();
    } finally {
      end();
    }
  }
}
