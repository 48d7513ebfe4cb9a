/**
 * What a ledger knows of an installation after a completed run: the value of its entry `state` with the highest sequence.
 * A run puts the next one, and of two runs at once, one begins again with what the other has put. The state before is
 * kept: it is what is known if the last one is damaged.
 */
import { type Check, isCount, isText, listOf, objectOf, recordOf } from "../../core/validate.js";
import {
  type InstallationLedger,
  isList,
  type LedgerEntry,
  nextSequence,
  runOf,
} from "./installation-ledger.js";
import { arePasts, type PastSnapshots } from "./past.js";

const SUBJECT = "state";
/** Older completed runs are forgotten. */
const KEPT_RUNS = 30;

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

export interface LedgerState {
  /** The latest one last. */
  readonly runs: readonly CompletedRun[];
  /** By the wire names of the collections. */
  readonly snapshots: Readonly<Record<string, Baseline>>;
  /** Until when events were sent, by the wire names of the collections. */
  readonly watermarks: Readonly<Record<string, string>>;
}

/** What a ledger has of an installation at one moment. */
export interface LedgerLook {
  readonly entries: readonly LedgerEntry[];
  /** The last one that can be read. */
  readonly state: LedgerState;
  /** Why a later one cannot be read. */
  readonly problem?: unknown;
}

export const NOTHING_SEEN: LedgerLook = { entries: [], state: { runs: [], snapshots: {}, watermarks: {} } };

const isState: Check<LedgerState> = objectOf<LedgerState>({
  runs: listOf(
    objectOf<CompletedRun>({ at: isCount, receipt: (value): value is unknown => value !== undefined }),
  ),
  snapshots: recordOf(objectOf<Baseline>({ sequence: isCount, token: isText, pasts: arePasts })),
  watermarks: recordOf(isText),
});

/** @throws the entries cannot be listed */
export async function look(ledger: InstallationLedger): Promise<LedgerLook> {
  const seen = await lookOnce(ledger);
  // Once more, because the run before may have replaced its state meanwhile.
  return seen.problem === undefined ? seen : lookOnce(ledger);
}

/** Whether the ledger knows a completed snapshot of any collection. */
export function knowsSnapshots({ state }: LedgerLook): boolean {
  return Object.keys(state.snapshots).length > 0;
}

/** The ids of a collection that may have been completed after the last ones that certainly were. */
export function unclearOf({ entries, state }: LedgerLook, subject: string): readonly LedgerEntry[] {
  const last = state.snapshots[subject]?.sequence ?? 0;
  return entries.filter((entry) => isIds(entry) && entry.subject === subject && entry.sequence > last);
}

/**
 * Names what the service may have according to the ledger: the last completed snapshots, later ones that may have been
 * completed, and the watermarks.
 * @param except Id of a run whose snapshots do not count.
 */
export function nameOf(seen: LedgerLook, except: string): string {
  const { snapshots, watermarks } = seen.state;
  const completed = Object.entries(snapshots).map(([subject, { token }]) => [subject, token]);
  const unclear = [...new Set(seen.entries.map(({ subject }) => subject))]
    .flatMap((subject) => unclearOf(seen, subject))
    .filter(({ token }) => runOf(token) !== except)
    .map(({ key }) => key);
  return JSON.stringify([completed.sort(), Object.entries(watermarks).sort(), unclear.sort()]);
}

/** What a completed run changes. */
export interface Completion {
  readonly run: CompletedRun;
  /** Its snapshots, by the wire names of the collections. */
  readonly snapshots: Readonly<Record<string, Baseline>>;
  /** The watermarks that it has advanced, and those that it has begun with. */
  readonly advanced: Readonly<Record<string, string>>;
  readonly before: Readonly<Record<string, string>>;
  /** The approval that it has used. */
  readonly approval: string | undefined;
}

/**
 * Notes a completed run, after which nothing is held any more, and deletes what is not needed then.
 * @param over Fires when nobody waits any more.
 */
export async function noteCompleted(
  ledger: InstallationLedger,
  completion: Completion,
  over: AbortSignal,
): Promise<void> {
  for (;;) {
    over.throwIfAborted();
    const seen = await look(ledger);
    const states = seen.entries.filter(isOfState);
    const state = stateAfter(seen.state, completion);
    over.throwIfAborted();
    const entry = { subject: SUBJECT, sequence: nextSequence(states), token: "", kind: "" };
    if (!(await ledger.putIfAbsent(entry, { ...ledger.scope, ...state }))) continue;
    await ledger.delete([...states.slice(0, -1), ...garbageIn(seen.entries, state, completion.approval)]);
    return;
  }
}

/** Another run may have been completed since this one was: a later snapshot stays, and so does a watermark that it advanced. */
function stateAfter({ runs, snapshots, watermarks }: LedgerState, completion: Completion): LedgerState {
  const { run, advanced, before } = completion;
  const later = Object.entries(completion.snapshots).filter(
    ([subject, { sequence }]) => sequence >= (snapshots[subject]?.sequence ?? 0),
  );
  const moved = Object.entries(advanced).filter(([subject]) => watermarks[subject] === before[subject]);
  return {
    runs: [...runs, run].slice(-KEPT_RUNS),
    snapshots: { ...snapshots, ...Object.fromEntries(later) },
    watermarks: { ...watermarks, ...Object.fromEntries(moved) },
  };
}

/** The lists first: without the note of its use, an approval would be valid again. */
function garbageIn(
  entries: readonly LedgerEntry[],
  { snapshots }: LedgerState,
  approval: string | undefined,
): readonly LedgerEntry[] {
  const lists = entries.filter(isList);
  const used = lists.filter(({ token }) => token === approval);
  const waiting = new Set(lists.filter((list) => !used.includes(list)).map(({ token }) => token));
  return [
    ...used,
    ...entries.filter((entry) => isIds(entry) && entry.sequence < (snapshots[entry.subject]?.sequence ?? 0)),
    ...entries.filter(
      ({ subject, kind, token }) => subject === "runs" && !(kind === "used" && waiting.has(token)),
    ),
  ];
}

async function lookOnce(ledger: InstallationLedger): Promise<LedgerLook> {
  const entries = await ledger.entries();
  let problem: unknown;
  for (const { key } of entries.filter(isOfState).toReversed()) {
    try {
      const fields = await ledger.readOnce(key);
      if (!isState(fields)) throw ledger.unusable(key, fields ? "it is not a state" : "it is missing");
      return { entries, state: fields, problem };
    } catch (error) {
      problem ??= error;
    }
  }
  return { ...NOTHING_SEEN, entries, problem };
}

function isOfState({ subject }: LedgerEntry): boolean {
  return subject === SUBJECT;
}

function isIds({ kind }: LedgerEntry): boolean {
  return kind === "ids";
}
