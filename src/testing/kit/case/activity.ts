type Kind = "running" | "calls" | "pulls";

/** What is under way in a run: a driver lets time pass only if nothing is. */
export class Activity {
  /** Whether the connector's `run` was called and has not settled. */
  running = 0;
  /** Calls of the connector to its batch that have not settled. */
  calls = 0;
  /** Times that the SDK waits for a source of the connector. */
  pulls = 0;
  #changes = 0;

  /** Grows whenever something begins or ends. */
  get changes(): number {
    return this.#changes;
  }

  async during<T>(what: Kind, work: () => T | Promise<T>): Promise<T> {
    this.#changes += 1;
    this[what] += 1;
    try {
      return await work();
    } finally {
      this.#changes += 1;
      this[what] -= 1;
    }
  }
}
