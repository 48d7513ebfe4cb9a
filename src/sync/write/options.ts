import { checkSignal } from "../../core/abort.js";
import { InvalidInputError } from "../../core/errors/index.js";
import { type KeysOf, readOptions } from "../../core/validate.js";
import type { Collection } from "../collections.js";
import type { OnProgress } from "../progress.js";

/** Options of one write. */
export interface WriteOptions {
  /** Ends the write: it rejects with the signal's reason, and the batch can no longer be completed. @default none */
  readonly signal?: AbortSignal | undefined;
  /** Called after each accepted window and before each retry of this write. @default none */
  readonly onProgress?: OnProgress | undefined;
  /**
   * How many records the source must have, such as the vendor's own total. With more or fewer the write fails, and the
   * batch can no longer be completed.
   * @default not checked
   */
  readonly expectedCount?: number | undefined;
}

/** Options of a seal. */
export interface SealOptions {
  /**
   * How many records must have been pushed, if the vendor's total is known only now.
   * @default not checked
   */
  readonly expectedCount?: number | undefined;
}

const WRITE_KEYS = { signal: true, onProgress: true, expectedCount: true } satisfies KeysOf<WriteOptions>;
const SEAL_KEYS = { expectedCount: true } satisfies KeysOf<SealOptions>;

/** @throws {InvalidInputError} an option is unknown or invalid */
export function readWriteOptions(place: string, given: WriteOptions): WriteOptions {
  const options = readOptions(place, given, WRITE_KEYS);
  checkSignal(options.signal);
  checkExpectedCount(options.expectedCount);
  return options;
}

/** @throws {InvalidInputError} an option is unknown or invalid */
export function readSealOptions(given: SealOptions): SealOptions {
  const options = readOptions("seal", given, SEAL_KEYS);
  checkExpectedCount(options.expectedCount);
  return options;
}

function checkExpectedCount(expectedCount: number | undefined): void {
  if (expectedCount === undefined || (Number.isInteger(expectedCount) && expectedCount >= 0)) return;
  throw new InvalidInputError("expectedCount must be a whole number, 0 or more.");
}

/** @throws {InvalidInputError} the source had another number of records than expected */
export function requireCount(expectedCount: number, collection: Collection, records: number): void {
  if (records === expectedCount) return;
  throw new InvalidInputError(
    `The source of ${collection} had ${records} records, but expectedCount is ${expectedCount}. The batch cannot be completed: check the source and start a new one.`,
  );
}
