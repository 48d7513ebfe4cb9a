import type { SnapshotProfile } from "../ids/snapshot-profile.js";

/** What a ledger remembers of a completed snapshot beside its ids. */
export interface PastSnapshot {
  /** When it was judged, in milliseconds since 1970. */
  readonly at: number;
  /** Number of different ids. */
  readonly sent: number;
  readonly profile: SnapshotProfile;
  /** Whether a later approval allowed what differs from this snapshot. */
  readonly superseded?: true;
}

/** The last snapshots of a collection, the latest one last. */
export type History = readonly PastSnapshot[];
