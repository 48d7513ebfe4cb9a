import { InvalidInputError } from "../../core/errors/index.js";
import { copyOf } from "../../core/record-location.js";
import { isObject } from "../../core/validate.js";

/**
 * What was pushed and not taken in yet: as it was when it was pushed, whatever the caller does with the array
 * afterwards. The records themselves are the caller's own objects, so one that comes again meanwhile was filled anew
 * too early.
 */
export class PushedRecords {
  readonly #waiting = new Set<object>();

  /**
   * The records as they are now, to be released when they were taken in.
   * @throws {InvalidInputError} the array cannot be read, or one of the records waits already
   */
  hold(records: unknown): unknown {
    const held = copyIfList(records);
    const objects = listOf(held).filter(isObject);
    if (objects.some((record) => this.#waiting.has(record))) throw new InvalidInputError(PUSHED_TWICE);
    for (const record of objects) this.#waiting.add(record);
    return held;
  }

  /** They were taken in, or refused. */
  release(held: unknown): void {
    for (const record of listOf(held).filter(isObject)) this.#waiting.delete(record);
  }
}

const PUSHED_TWICE =
  "A record object was pushed again before its last push had resolved, so what it held then may be lost. Await each push, or make a new object for each record; then start a new batch.";

function copyIfList(records: unknown): unknown {
  try {
    return Array.isArray(records) ? copyOf(records) : records;
  } catch (cause) {
    throw new InvalidInputError("What was pushed cannot be read: a look at it threw an exception.", {
      cause,
    });
  }
}

function listOf(held: unknown): readonly unknown[] {
  return Array.isArray(held) ? held : [held];
}
