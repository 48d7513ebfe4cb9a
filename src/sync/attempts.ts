import { isRefusal } from "./batch/state.js";
import type { CallContext } from "./transport.js";

/** What the failed attempts of one operation tell of it, all together. */
export class Attempts {
  #mayBeDone = false;
  #refused = false;

  /** Whether the service may have done it: an attempt was sent, and no answer proves that it was refused. */
  get mayBeDone(): boolean {
    return this.#mayBeDone;
  }

  /** Whether the service refused an attempt. Where it did not, and `mayBeDone` is false, nothing reached it. */
  get refused(): boolean {
    return this.#refused;
  }

  /** Makes one attempt and takes down how it failed. */
  async make<T>(call: CallContext, attempt: (call: CallContext) => Promise<T>): Promise<T> {
    let unsent = false;
    const onUnsent = () => {
      unsent = true;
    };
    try {
      return await attempt({ ...call, onUnsent });
    } catch (error) {
      if (!unsent && isRefusal(error)) this.#refused = true;
      else if (!unsent) this.#mayBeDone = true;
      throw error;
    }
  }
}
