import type { HeldReason } from "../../core/errors/index.js";
import type { SnapshotProfile } from "../ids/snapshot-profile.js";
import type { History, PastSnapshot } from "../ledger/history.js";
import type { Comparison } from "./comparison.js";
import { isHeld, type ResolvedRule } from "./rules.js";

/** What a snapshot is judged by. */
export interface SnapshotFacts {
  readonly compared: Comparison;
  readonly profile: SnapshotProfile;
  readonly history: History;
  /** Snapshots that may have been completed after those of the history. */
  readonly unclear: readonly PastSnapshot[];
  readonly now: number;
}

/** A rule that a snapshot breaks. */
export interface Finding {
  readonly rule: HeldReason["rule"];
  /** The fields concerned, for rules about fields. */
  readonly fields?: readonly string[];
  /** What was found, with figures and without a period. */
  readonly text: string;
}

/** Judges a snapshot by the rules that need no other collection. */
export function findingsOf({ compared }: SnapshotFacts, rule: ResolvedRule): readonly Finding[] {
  return isHeld(compared, rule) ? [{ rule: "removed", text: "too many known ids would be removed" }] : [];
}
