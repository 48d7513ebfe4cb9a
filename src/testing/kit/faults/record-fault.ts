import type { Collection } from "../../../sync/collections.js";

/** What the clean run wrote, as plain objects. */
export type PlainRecords = { readonly [C in Collection]?: readonly object[] };

/** What misbehaves about a source of records, for connectors that do not use HTTP. */
export interface RecordFault {
  /** Stable, in kebab case: `source-fails-midway`. */
  readonly name: string;
  readonly summary: string;
  /**
   * Applies the fault to what the clean run wrote.
   * @returns undefined if there is nothing that it could strike
   */
  strike(clean: PlainRecords): StruckRecords | undefined;
}

/** A block of records on its way into a write. */
export interface PassedBlock {
  readonly collection: Collection;
  readonly records: readonly object[];
  /** Index of the first record in its collection, in this attempt. */
  readonly index: number;
  /** Waits in virtual time. */
  readonly sleep: (ms: number) => Promise<void>;
}

/** The records of one run under a fault. */
export interface StruckRecords {
  /** What is struck: `accounts, from record 7`. */
  readonly cause: string;
  /**
   * Returns the records to pass on: the same array if the block is left alone. Throws if the source fails.
   */
  pass(block: PassedBlock): readonly object[] | Promise<readonly object[]>;
  /** Records to add at the end of a collection. */
  end?(collection: Collection): readonly object[];
}
