import { noteCallSite, withCallSite, withFrequentSite } from "../../core/call-site.js";
import { InvalidInputError } from "../../core/errors/index.js";
import type { KeysOf } from "../../core/validate.js";
import type { CollectionName, RecordOf } from "../collections.js";
import type { WriteResult } from "./outcomes.js";
import { PushedRecords } from "./pushed-records.js";

/** Options of a seal. */
export interface SealOptions {
  /**
   * How many records were to be pushed, such as the vendor's own total, where it is known only now.
   * @default not checked
   */
  readonly expectedCount?: number | undefined;
}

/** The names of {@link SealOptions}. */
export const SEAL_NAMES = { expectedCount: true } satisfies KeysOf<SealOptions>;

/**
 * Writes one collection piece by piece, for sources that interleave collections: several may be open at a time.
 *
 * Made by `batch.open`. The batch can be completed only when every open collection is sealed.
 */
export interface CollectionWriter<C extends CollectionName = CollectionName> {
  /** The collection that it writes. */
  readonly collection: C;
  /**
   * Takes records in; resolves when there is room for more. Calls queue up in order. An array is copied at once and may
   * be used again; a record must stay as it is until its push has resolved.
   * @throws {InvalidInputError} a record is invalid or too large, one was pushed again before its last push had
   *   resolved, or the collection is sealed; the batch can then no longer be completed
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
  /** The signal that the collection was opened with. */
  readonly signal: AbortSignal | undefined;
  readonly take: (records: unknown) => Promise<void>;
  /** A copy of a seal's options. @throws {InvalidInputError} they are not what they should be */
  readonly readSeal: (options: SealOptions) => SealOptions;
  readonly finish: (options: SealOptions) => Promise<WriteResult>;
  /** Checks the number of records of what is sealed already. */
  readonly recount: (options: SealOptions) => Promise<WriteResult>;
  /** The collection is being sealed: a completion waits for it, also where the caller does not. */
  readonly sealing: (sealed: Promise<WriteResult>) => void;
  /** Records came that cannot be taken in: what is sealed, or will be, is not whole. */
  readonly late: (error: unknown) => void;
}

/** Puts the calls of a collection writer in order. */
export function collectionWriter<C extends CollectionName>(
  collection: C,
  { signal, take, readSeal, finish, recount, sealing, late }: CollectionWriterParts,
): CollectionWriter<C> {
  let queue: Promise<unknown> = Promise.resolve();
  let sealed: Promise<WriteResult> | undefined;
  const pushed = new PushedRecords();
  const opened = noteCallSite(collectionWriter);
  const refuse = (error: unknown): Promise<never> => {
    late(error);
    return Promise.reject(error);
  };
  const push = (records: unknown): Promise<void> => {
    if (sealed !== undefined) {
      return refuse(
        new InvalidInputError(
          `${collection} is sealed, and records came after that: it was not whole. Await every push before the seal, and send all of it in a new batch or run.`,
        ),
      );
    }
    let held: unknown;
    try {
      held = pushed.hold(records);
    } catch (error) {
      // What was pushed before is a part only, which nothing seals.
      const refused = refuse(error);
      queue = queue.then(() => refused);
      queue.catch(() => {});
      return refused;
    }
    const taken = queue.then(() => take(held)).finally(() => pushed.release(held));
    queue = taken;
    return taken;
  };
  const seal = (options: SealOptions): Promise<WriteResult> => {
    let own: SealOptions;
    try {
      own = readSeal(options);
    } catch (error) {
      return refuse(error);
    }
    if (sealed !== undefined && own.expectedCount === undefined) return sealed;
    sealed = sealed === undefined ? queue.then(() => finish(own)) : sealed.then(() => recount(own));
    sealing(sealed);
    return sealed;
  };
  return {
    collection,
    // A push that nobody awaits stands in the way of seal() and complete().
    push: (records) => withFrequentSite(signal, opened, () => push(records)),
    seal: (options = {}) => {
      const result = withCallSite(signal, () => seal(options));
      result.catch(() => {});
      return result;
    },
  };
}
