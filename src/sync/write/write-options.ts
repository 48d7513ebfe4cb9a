import { checkSignal } from "../../core/abort.js";
import { InvalidInputError } from "../../core/errors/index.js";
import type { KeysOf } from "../../core/validate.js";
import { readOptions } from "../../core/validate.js";
import type { CollectionName } from "../collections.js";
import type { OnProgress } from "../progress.js";
import { SEAL_NAMES, type SealOptions } from "./collection-writer.js";

/** Options of one write. */
export interface WriteOptions {
  /** Ends the write; it rejects with the signal's reason, and the batch can no longer be completed. @default none */
  readonly signal?: AbortSignal | undefined;
  /** Called after each accepted window and before each retry of this write. @default none */
  readonly onProgress?: OnProgress | undefined;
  /**
   * How many records the source must have, such as the vendor's own total: the write fails where it has more or fewer,
   * and the batch can no longer be completed.
   * @default not checked
   */
  readonly expectedCount?: number | undefined;
}

const WRITE_NAMES = {
  signal: true,
  onProgress: true,
  expectedCount: true,
} satisfies KeysOf<WriteOptions>;

/**
 * A copy of the options, each of which is read once.
 * @throws {InvalidInputError} they cannot be read, or one of them is not known or not what it should be
 */
export function checkWriteOptions(name: string, given: WriteOptions): WriteOptions {
  const options = readOptions(name, given, WRITE_NAMES);
  checkSignal(options.signal);
  checkExpectedCount(options.expectedCount);
  return options;
}

/** The same for those of a seal. */
export function checkSealOptions(given: SealOptions): SealOptions {
  const options = readOptions("The options of seal", given, SEAL_NAMES);
  checkExpectedCount(options.expectedCount);
  return options;
}

function checkExpectedCount(expectedCount: number | undefined): void {
  if (expectedCount === undefined || (Number.isInteger(expectedCount) && expectedCount >= 0)) return;
  throw new InvalidInputError("expectedCount must be a whole number, 0 or more.");
}

/** A source that ended early without an error is told by the number of its records, where that is known. */
export function checkCount(
  expectedCount: number | undefined,
  collection: CollectionName,
  records: number,
): void {
  if (expectedCount === undefined || records === expectedCount) return;
  throw new InvalidInputError(
    `The source of ${collection} had ${records} records, and expectedCount says ${expectedCount}. The batch cannot be completed: find out what is missing or too much, and start a new one.`,
  );
}
