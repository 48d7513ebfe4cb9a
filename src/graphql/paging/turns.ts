/** Runs steps one after the other, in the order in which they were asked for. */
export class Turns {
  #last: Promise<void> | undefined;

  /** True while no step is under way. */
  get idle(): boolean {
    return this.#last === undefined;
  }

  /** Runs `step` when all before it have ended, whether well or badly. */
  run<T>(step: () => Promise<T>): Promise<T> {
    const result = this.#last === undefined ? step() : this.#last.then(step);
    const ended = () => {
      if (this.#last === last) this.#last = undefined;
    };
    const last: Promise<void> = result.then(ended, ended);
    this.#last = last;
    return result;
  }
}
