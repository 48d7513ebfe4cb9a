import { InvalidInputError } from "../errors.js";
import type { NamesOf } from "../option-names.js";
import type { CollectionName, RecordOf } from "./collections.js";
import type { WriteResult } from "./outcomes.js";

/** Options of a seal. */
export interface SealOptions {
  /**
   * How many records were to be pushed, such as the vendor's own total, where it is known only now.
   * @default not checked
   */
  readonly expectedCount?: number | undefined;
}

/** The names of {@link SealOptions}. */
export const SEAL_NAMES = { expectedCount: true } satisfies NamesOf<SealOptions>;

/**
 * Writes one collection piece by piece, for sources that interleave collections: several may be open at a time.
 *
 * Made by `batch.open`. The batch can be completed only when every open collection is sealed.
 */
export interface CollectionWriter<C extends CollectionName = CollectionName> {
  /** The collection that it writes. */
  readonly collection: C;
  /**
   * Takes records in; resolves when there is room for more. Calls queue up in order.
   * @throws {InvalidInputError} a record is invalid or too large, or the collection is sealed; the batch can then no
   *   longer be completed
   * @throws {BatchStateError | ClosedError} the batch is not active, or another write failed
   */
  push(records: RecordOf<C> | readonly RecordOf<C>[]): Promise<void>;
  /**
   * The collection is whole: sends what is left and resolves when all of it was accepted. May be repeated.
   * @throws {InvalidInputError} the collection has not `expectedCount` records
   */
  seal(options?: SealOptions): Promise<WriteResult>;
}

/** What a collection writer does its work with. */
export interface CollectionWriterParts {
  readonly take: (records: unknown) => Promise<void>;
  readonly finish: (options: SealOptions) => Promise<WriteResult>;
  /** Records came that can no longer be taken in: what was sealed is not whole. */
  readonly late: (error: InvalidInputError) => void;
}

/** Puts the calls of a collection writer in order. */
export function collectionWriter<C extends CollectionName>(
  collection: C,
  { take, finish, late }: CollectionWriterParts,
): CollectionWriter<C> {
  let queue: Promise<unknown> = Promise.resolve();
  let sealed: Promise<WriteResult> | undefined;
  return {
    collection,
    push: (records) => {
      if (sealed !== undefined) {
        const error = new InvalidInputError(
          `${collection} is sealed, and records came after that: it was not whole. Await every push before the seal, and start a new batch.`,
        );
        late(error);
        const refused = Promise.reject<void>(error);
        // Where nobody awaits it, it still stands in the way of completion.
        refused.catch(() => {});
        return refused;
      }
      const taken = queue.then(() => take(records));
      queue = taken;
      // A push that nobody awaits is no unhandled rejection: seal() and complete() tell of it.
      taken.catch(() => {});
      return taken;
    },
    seal: (options = {}) => {
      sealed ??= queue.then(() => finish(options));
      sealed.catch(() => {});
      return sealed;
    },
  };
}
