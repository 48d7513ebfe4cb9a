import { checkSignal } from "../../core/abort.js";
import { InvalidInputError } from "../../core/errors/index.js";
import { type KeysOf, readOptions } from "../../core/validate.js";
import type { Collection } from "../collections.js";

/** Options of a write or a writer. */
export interface WriteOptions {
  /**
   * How many records the source must have, such as the vendor's own total. With more or fewer the write fails, and the
   * batch can no longer be completed.
   * @default not checked
   */
  readonly expectedCount?: number | undefined;
  /** Ends the write: it rejects with the signal's reason, and the batch can no longer be completed. @default none */
  readonly signal?: AbortSignal | undefined;
}

export type EndOptions = Pick<WriteOptions, "expectedCount">;

const END_KEYS = { expectedCount: true } satisfies KeysOf<EndOptions>;
const WRITE_KEYS = { ...END_KEYS, signal: true } satisfies KeysOf<WriteOptions>;

export function readWriteOptions(place: string, given: WriteOptions): WriteOptions {
  const options = readOptions(place, given, WRITE_KEYS);
  checkSignal(options.signal);
  checkExpectedCount(options);
  return options;
}

export function readEndOptions(given: EndOptions): EndOptions {
  const options = readOptions("end", given, END_KEYS);
  checkExpectedCount(options);
  return options;
}

function checkExpectedCount({ expectedCount }: EndOptions): void {
  if (expectedCount === undefined || (Number.isInteger(expectedCount) && expectedCount >= 0)) return;
  throw new InvalidInputError("expectedCount must be a whole number, 0 or more.");
}

/** @throws {InvalidInputError} the source had another number of records than expected */
export function requireCount(
  expectedCount: number | undefined,
  collection: Collection,
  records: number,
): void {
  if (expectedCount === undefined || records === expectedCount) return;
  throw new InvalidInputError(
    `The source of ${collection} had ${records} records, but expectedCount is ${expectedCount}. The batch cannot be completed: check the source and start a new one.`,
  );
}
