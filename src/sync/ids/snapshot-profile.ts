/** Counts of what the records of a snapshot hold, without their values. Plain JSON of at most 1 KiB. */
export interface SnapshotProfile {
  /** Number of records with different ids. */
  readonly records: number;
  /**
   * For each field, in how many records it has a value that is not empty; fields of a variant are `variant.field`. Fields
   * that no record has are left out, and so is the id, which every record has.
   */
  readonly filled: Readonly<Record<string, number>>;
  /** For each boolean and enum field, how often each value occurs. Values that do not occur are left out. */
  readonly choices: Readonly<Record<string, Readonly<Record<string, number>>>>;
  /** Hashes of a few records, the same ids in each run: see {@link changedRecords}. Empty without names and e-mails. */
  readonly sample: string;
}

export const EMPTY_PROFILE: SnapshotProfile = { records: 0, filled: {}, choices: {}, sample: "" };

/** An id of 16 bits, a name of 8 and an e-mail address of 8: too short to tell what they were. */
const SAMPLED_BYTES = 4;

/** Compares the samples of two profiles: of the records in both, how many have another name and another e-mail. */
export function changedRecords(
  before: string,
  now: string,
): { readonly kept: number; readonly changed: number } {
  const known = new Map(sampledRecords(before).map(({ id, name, email }) => [id, { name, email }]));
  let kept = 0;
  let changed = 0;
  for (const { id, name, email } of sampledRecords(now)) {
    const record = known.get(id);
    if (record === undefined) continue;
    kept += 1;
    if (record.name !== name && record.email !== email) changed += 1;
  }
  return { kept, changed };
}

interface SampledRecord {
  readonly id: number;
  readonly name: number;
  readonly email: number;
}

function sampledRecords(sample: string): SampledRecord[] {
  const bytes = Buffer.from(sample, "base64");
  return Array.from({ length: Math.floor(bytes.length / SAMPLED_BYTES) }, (_, i) => ({
    id: bytes.readUInt16LE(i * SAMPLED_BYTES),
    name: bytes.readUInt8(i * SAMPLED_BYTES + 2),
    email: bytes.readUInt8(i * SAMPLED_BYTES + 3),
  }));
}
