/**
 * Tells whether a call comes from within a source that the same batch is reading: a source that awaits a write of its
 * own batch waits for itself.
 *
 * Asynchronous context (AsyncLocalStorage) would tell it too, but makes every promise of the process about four times
 * as dear in Node before 24. V8 knows the chain of awaiting functions anyway, and shows it in a stack trace, so the
 * function that reads a source gets a name that no other function has.
 */
import { randomUUID } from "node:crypto";

/** Frames that are looked at: far more than a source is deep. */
const MAX_FRAMES = 200;

/** Recognizes calls from within what it has run. */
export class ReentrancyMark {
  readonly #name = `readSource_${randomUUID().replaceAll("-", "")}`;

  /** Runs `step`; while it runs, calls that it makes or awaits are recognized. */
  run<T>(step: () => Promise<T>): Promise<T> {
    const named = {
      [this.#name]: async () => {
        return await step();
      },
    };
    return named[this.#name]?.() ?? step();
  }

  /** Whether the caller runs within `run`. */
  isWithin(): boolean {
    const limit = Error.stackTraceLimit;
    Error.stackTraceLimit = MAX_FRAMES;
    const { stack = "" } = new Error();
    Error.stackTraceLimit = limit;
    return stack.includes(this.#name);
  }
}
