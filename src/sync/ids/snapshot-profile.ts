/** Counts of what the records of a snapshot hold, without their values. Plain JSON of at most 1 KiB. */
export interface SnapshotProfile {
  /** Number of records. */
  readonly records: number;
  /** For each field, in how many records it has a value that is not empty; fields of a variant are `variant.field`. */
  readonly filled: Readonly<Record<string, number>>;
  /** For each boolean and enum field, how often each value occurs. */
  readonly choices: Readonly<Record<string, Readonly<Record<string, number>>>>;
  /** Hashes of a few records, always of the same ids: see {@link changedRecords}. Empty if the collection has no names. */
  readonly sample: string;
}

export const EMPTY_PROFILE: SnapshotProfile = { records: 0, filled: {}, choices: {}, sample: "" };
