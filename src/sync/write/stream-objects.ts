import { InvalidInputError } from "../../core/errors/index.js";
import { isObject } from "../../core/validate.js";

/** So many objects, at least, are remembered: far more than there are in a pool that somebody fills in turn. */
const REMEMBERED = 512;

/**
 * The arrays and record objects that a stream gave lately: it makes the next one while one waits to be taken in, so
 * each must be its own. That of all of them would cost several times what a record does.
 */
export class StreamObjects {
  #latest = new Set<object>();
  #before = new Set<object>();

  /**
   * Looks at a record or an array of them before it is taken in.
   * @throws {InvalidInputError} one came before: what it held then may have been lost
   */
  take(value: unknown): void {
    if (Array.isArray(value)) {
      const records: readonly unknown[] = value;
      this.#remember(records, ARRAY);
      for (let position = 0; position < records.length; position += 1) this.#takeRecord(records[position]);
    } else {
      this.#takeRecord(value);
    }
    // An array's records are remembered together: the next one may be made of the same objects.
    if (this.#latest.size < REMEMBERED) return;
    this.#before = this.#latest;
    this.#latest = new Set();
  }

  #takeRecord(record: unknown): void {
    if (!isObject(record)) return;
    this.#remember(record, RECORD);
    const variant = variantOf(record);
    if (variant !== undefined) this.#remember(variant, RECORD);
  }

  #remember(object: object, { what, advice }: Refusal): void {
    const { size } = this.#latest;
    if (this.#latest.add(object).size > size && !this.#before.has(object)) return;
    throw new InvalidInputError(
      `The source is a stream that gave the same ${what} again: it fills the next one while one is read, so what was sent may be a part. Make a new ${advice}; then start a new batch.`,
    );
  }
}

/** How a repeated object is told. */
interface Refusal {
  readonly what: string;
  readonly advice: string;
}

const ARRAY: Refusal = { what: "array", advice: "array for each chunk" };
const RECORD: Refusal = { what: "record object", advice: "object for each record" };

/** The object that holds a record's fields, which may be filled anew in a wrapping that is new each time. */
function variantOf(record: object): object | undefined {
  try {
    for (const name in record) {
      const value: unknown = Reflect.get(record, name);
      if (isObject(value)) return value;
    }
  } catch {
    // Whoever examines the record finds out that it cannot be read.
  }
  return undefined;
}
