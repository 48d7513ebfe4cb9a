/**
 * What a ledger knows about an installation besides ids: the value of its entry `state` with the highest sequence. Each
 * change stores the next one. If two processes do so at once, one of them starts over from the other's state. The
 * previous state is kept with its ids, and is used if the last one is damaged. A damaged state is kept until a person
 * deletes it or approves a run.
 */
import { ConfigurationError } from "../../core/errors/index.js";
import { type Check, isCount, isText, listOf, objectOf, optional, recordOf } from "../../core/validate.js";
import { COLLECTIONS } from "../../sync/collections.js";
import { type InstallationLedger, isPossible, type LedgerEntry, runOf } from "./installation-ledger.js";
import { arePasts, type PastSnapshots } from "./past.js";
import { isDamage } from "./value.js";

export const SUBJECT = "state";

/** How long a held run may be approved: seven days, in milliseconds. */
export const APPROVAL_MS = 7 * 24 * 60 * 60 * 1000;

/** A completed run. */
export interface CompletedRun {
  /** When it was completed, in milliseconds since 1970. */
  readonly at: number;
  /** Its batch's token: the lists with this token are kept as long as the receipt. */
  readonly token: string;
  readonly receipt: unknown;
}

/** A snapshot that later ones are compared with. */
export interface Baseline {
  /** Sequence and token of the entry with its ids. A held snapshot's token is the id of its approval. */
  readonly sequence: number;
  readonly token: string;
  /** What is remembered of the snapshot and of those before it. */
  readonly pasts: PastSnapshots;
}

/** Baselines by the wire names of their collections. */
export type Baselines = Readonly<Record<string, Baseline>>;

/** What a ledger knows of a collection. */
export interface CollectionState {
  /** The last completed snapshot. */
  readonly completed?: Baseline | undefined;
  /** A later snapshot that was held, and that nobody has approved yet. */
  readonly held?: Baseline | undefined;
  /** A later snapshot that was held, and that a person has approved. */
  readonly approved?: Baseline | undefined;
}

/** A run that was held. The state keeps it while any collection has it as a baseline. */
export interface HeldRun {
  /** The id of its approval, which is also the token of its baselines. */
  readonly approval: string;
  /** When it was held, and until when it may be approved, in milliseconds since 1970. */
  readonly at: number;
  readonly expiresAt: number;
  /** As JSON. */
  readonly report: unknown;
}

/** A state that cannot be read. */
interface Damage {
  readonly key: string;
  /** As a sentence. */
  readonly why: string;
}

export interface LedgerState {
  /** The completed runs, the latest one last. */
  readonly runs: readonly CompletedRun[];
  /** The collections by their wire names. */
  readonly collections: Readonly<Record<string, CollectionState>>;
  /** How far events were sent, by the wire names of the collections. */
  readonly watermarks: Readonly<Record<string, string>>;
  /** The held runs that are a baseline of some collection, the latest last. */
  readonly held: readonly HeldRun[];
  /** Later states that could not be read; kept until they are deleted or a run is completed. */
  readonly damage?: readonly Damage[] | undefined;
}

/** The content of an installation's ledger at one moment. */
export interface LedgerSnapshot {
  readonly entries: readonly LedgerEntry[];
  /** The last state that can be read, and its key. */
  readonly state: LedgerState;
  readonly stateKey?: string | undefined;
  /** Why a later state can't be read. */
  readonly problem?: unknown;
}

export const NOTHING_SEEN: LedgerSnapshot = {
  entries: [],
  state: { runs: [], collections: {}, watermarks: {}, held: [] },
};

const isAny = (_: unknown): _ is unknown => true;

const isBaseline = optional(objectOf<Baseline>({ sequence: isCount, token: isText, pasts: arePasts }));

const isState: Check<LedgerState> = objectOf<LedgerState>({
  runs: listOf(objectOf<CompletedRun>({ at: isCount, token: isText, receipt: isAny })),
  collections: recordOf(
    objectOf<CollectionState>({ completed: isBaseline, held: isBaseline, approved: isBaseline }),
  ),
  watermarks: recordOf(isText),
  held: listOf(objectOf<HeldRun>({ approval: isText, at: isCount, expiresAt: isCount, report: isAny })),
  damage: optional(listOf(objectOf<Damage>({ key: isText, why: isText }))),
});

/** @throws the entries cannot be listed, or a state cannot be read now */
export async function readLedger(ledger: InstallationLedger): Promise<LedgerSnapshot> {
  const seen = await readOnce(ledger);
  // Reads again, because another run may have replaced the state in the meantime.
  return seen.problem === undefined ? seen : readOnce(ledger);
}

/** Whether the ledger knows a completed snapshot of any collection. */
export function knowsSnapshots({ state }: LedgerSnapshot): boolean {
  return Object.values(COLLECTIONS).some(
    ({ model, wireName }) => model === "snapshot" && state.collections[wireName]?.completed !== undefined,
  );
}

/** The ids of snapshots after the last one known to be completed; each may have been completed too. */
export function unclearOf({ entries, state }: LedgerSnapshot, subject: string): readonly LedgerEntry[] {
  const last = state.collections[subject]?.completed?.sequence ?? 0;
  return entries.filter((entry) => isIds(entry) && entry.subject === subject && entry.sequence > last);
}

/**
 * A string that changes with the ledger's knowledge of some collections: the last completed snapshots, later ones that
 * may have been completed, and the watermarks.
 * @param subjects The wire names of the collections.
 * @param except Id of a run whose snapshots are ignored.
 */
export function ledgerVersion(seen: LedgerSnapshot, subjects: Iterable<string>, except: string): string {
  const { collections, watermarks } = seen.state;
  const versions = [...subjects].map((subject) => {
    const unclear = unclearOf(seen, subject).filter(({ token }) => runOf(token) !== except);
    const keys = unclear.map(({ key }) => key).sort();
    return [subject, collections[subject]?.completed?.token, watermarks[subject], keys];
  });
  return JSON.stringify(versions);
}

async function readOnce(ledger: InstallationLedger): Promise<LedgerSnapshot> {
  const entries = await ledger.entries();
  const damage: Damage[] = [];
  for (const { key, sequence } of entries.filter(isOfState).toReversed()) {
    try {
      if (!isPossible(sequence)) throw ledger.unusable(key, "no run can have given it this number");
      const fields = await ledger.readOnce(key);
      if (!isState(fields)) throw ledger.unusable(key, fields ? "it isn't a state" : "it is missing");
      const known = withClampedExpiry(ledger.limits.clock.now(), fields);
      // A damaged later state may have contained decisions about the held runs of this one.
      const state = damage.length === 0 ? known : withoutHolds(known);
      // A person who deletes a damaged file goes back to the state before.
      const left = (fields.damage ?? []).filter((one) => entries.some((entry) => entry.key === one.key));
      return snapshotOf(entries, { ...state, damage: [...damage, ...left] }, key);
    } catch (error) {
      // A state that is merely out of reach must not count as damaged.
      if (!isDamage(error)) throw error;
      damage.push({ key, why: error.message });
    }
  }
  return snapshotOf(entries, { ...NOTHING_SEEN.state, damage });
}

function snapshotOf(
  entries: readonly LedgerEntry[],
  { damage, ...state }: LedgerState,
  stateKey?: string,
): LedgerSnapshot {
  const [first] = damage ?? [];
  if (first === undefined) return { entries, state, stateKey };
  const next =
    stateKey === undefined
      ? "the next run is a first one"
      : "runs continue from the previous state, and may send events again";
  const problem = new ConfigurationError(`${first.why} If it is deleted, ${next}.`);
  return { entries, state: { ...state, damage }, stateKey, problem };
}

/** If the clock was fast when a run was held, the hold expires as if it began now; the next state stores that time. */
function withClampedExpiry(now: number, state: LedgerState): LedgerState {
  const held = state.held.map(({ expiresAt, ...run }) => {
    return { ...run, expiresAt: Math.min(expiresAt, now + APPROVAL_MS) };
  });
  return { ...state, held };
}

function withoutHolds(state: LedgerState): LedgerState {
  const completed = Object.entries(state.collections).map(([subject, one]) => [
    subject,
    { completed: one.completed },
  ]);
  return { ...state, collections: Object.fromEntries(completed), held: [] };
}

/** Excludes copies of a state that a person made, whose names may end differently. */
export function isOfState({ subject, kind }: LedgerEntry): boolean {
  return subject === SUBJECT && kind === "";
}

export function isIds({ kind }: LedgerEntry): boolean {
  return kind === "ids";
}
