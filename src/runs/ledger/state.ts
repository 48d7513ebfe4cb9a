/**
 * What a ledger knows of an installation beside ids: the value of its entry `state` with the highest sequence. Who changes
 * it puts the next one, and of two at once, one begins again with what the other has put. The state before is kept: it is
 * what is known if the last one is damaged.
 */
import { ConfigurationError } from "../../core/errors/index.js";
import {
  type Check,
  isCount,
  isFlag,
  isText,
  listOf,
  objectOf,
  optional,
  recordOf,
} from "../../core/validate.js";
import { type InstallationLedger, type LedgerEntry, runOf } from "./installation-ledger.js";
import { arePasts, type PastSnapshots } from "./past.js";

export const SUBJECT = "state";

/** A completed run. */
export interface CompletedRun {
  /** When it was completed, in milliseconds since 1970. */
  readonly at: number;
  readonly receipt: unknown;
}

/** The last completed snapshot of a collection. */
export interface Baseline {
  /** Those of the entry with its ids. */
  readonly sequence: number;
  readonly token: string;
  /** What is remembered of it and of those before it. */
  readonly pasts: PastSnapshots;
}

/** The run that waits for an approval. */
export interface HeldRun {
  /** When it was held, in milliseconds since 1970. */
  readonly at: number;
  /** The id of its approval. */
  readonly approval: string;
  /** Whether a person approved it. */
  readonly isApproved: boolean;
  /** As JSON. */
  readonly report: unknown;
  readonly text: string;
}

export interface LedgerState {
  /** The latest one last. */
  readonly runs: readonly CompletedRun[];
  /** By the wire names of the collections. */
  readonly snapshots: Readonly<Record<string, Baseline>>;
  /** Until when events were sent, by the wire names of the collections. */
  readonly watermarks: Readonly<Record<string, string>>;
  /** Undefined if the last run was completed. */
  readonly held?: HeldRun | undefined;
  /**
   * By approvals: the batches that were to be completed with them. They stay as long as the approval waits in a list, if
   * nobody knows whether the service has completed the batch.
   */
  readonly used: Readonly<Record<string, readonly string[]>>;
  /** Why a later state could not be read, until a run is completed. */
  readonly damage?: string | undefined;
}

/** What a ledger has of an installation at one moment. */
export interface LedgerSnapshot {
  readonly entries: readonly LedgerEntry[];
  /** The last one that can be read. */
  readonly state: LedgerState;
  /** Why a later one cannot be read. */
  readonly problem?: unknown;
}

export const NOTHING_SEEN: LedgerSnapshot = {
  entries: [],
  state: { runs: [], snapshots: {}, watermarks: {}, used: {} },
};

const isAny = (_: unknown): _ is unknown => true;

const isState: Check<LedgerState> = objectOf<LedgerState>({
  runs: listOf(objectOf<CompletedRun>({ at: isCount, receipt: isAny })),
  snapshots: recordOf(objectOf<Baseline>({ sequence: isCount, token: isText, pasts: arePasts })),
  watermarks: recordOf(isText),
  held: optional(
    objectOf<HeldRun>({ at: isCount, approval: isText, isApproved: isFlag, report: isAny, text: isText }),
  ),
  used: recordOf(listOf(isText)),
  damage: optional(isText),
});

/** @throws the entries cannot be listed, or a state cannot be read now */
export async function readLedger(ledger: InstallationLedger): Promise<LedgerSnapshot> {
  const seen = await readOnce(ledger);
  // Once more, because the run before may have replaced its state meanwhile.
  return seen.problem === undefined ? seen : readOnce(ledger);
}

/** Whether the ledger knows a completed snapshot of any collection. */
export function knowsSnapshots({ state }: LedgerSnapshot): boolean {
  return Object.keys(state.snapshots).length > 0;
}

/** The ids of a collection that may have been completed after the last ones that certainly were. */
export function unclearOf({ entries, state }: LedgerSnapshot, subject: string): readonly LedgerEntry[] {
  const last = state.snapshots[subject]?.sequence ?? 0;
  return entries.filter((entry) => isIds(entry) && entry.subject === subject && entry.sequence > last);
}

/**
 * The version of what the service may have of some collections according to the ledger: the last completed snapshots,
 * later ones that may have been completed, and the watermarks.
 * @param subjects The wire names of the collections.
 * @param except Id of a run whose snapshots do not count.
 */
export function ledgerVersion(
  { entries, state }: LedgerSnapshot,
  subjects: Iterable<string>,
  except: string,
): string {
  const versions = [...subjects].map((subject) => {
    const unclear = unclearOf({ entries, state }, subject).filter(({ token }) => runOf(token) !== except);
    const keys = unclear.map(({ key }) => key).sort();
    return [subject, state.snapshots[subject]?.token, state.watermarks[subject], keys];
  });
  return JSON.stringify(versions);
}

async function readOnce(ledger: InstallationLedger): Promise<LedgerSnapshot> {
  const entries = await ledger.entries();
  let problem: ConfigurationError | undefined;
  for (const { key } of entries.filter(isOfState).toReversed()) {
    try {
      const fields = await ledger.readOnce(key);
      if (!isState(fields)) throw ledger.unusable(key, fields ? "it is not a state" : "it is missing");
      // The last run that was held may have been decided since then.
      const held = problem === undefined ? fields.held : undefined;
      if (fields.damage !== undefined) problem ??= new ConfigurationError(fields.damage);
      return { entries, state: { ...fields, held, damage: problem?.message }, problem };
    } catch (error) {
      // A state that is only out of reach must not be taken for a damaged one.
      if (!(error instanceof ConfigurationError) || error.cause !== undefined) throw error;
      problem ??= error;
    }
  }
  return { entries, state: { ...NOTHING_SEEN.state, damage: problem?.message }, problem };
}

/** A copy that a person has made of a state may have another ending. */
export function isOfState({ subject, kind }: LedgerEntry): boolean {
  return subject === SUBJECT && kind === "";
}

export function isIds({ kind }: LedgerEntry): boolean {
  return kind === "ids";
}
