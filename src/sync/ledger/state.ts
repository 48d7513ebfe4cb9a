/**
 * What a ledger knows of an installation beside ids: the value of its entry `state` with the highest sequence. Who changes
 * it puts the next one, and of two at once, one begins again with what the other has put. The state before is kept: it is
 * what is known if the last one is damaged.
 */
import { ConfigurationError, type HeldReport } from "../../core/errors/index.js";
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
import {
  type InstallationLedger,
  isList,
  type LedgerEntry,
  nextSequence,
  runOf,
} from "./installation-ledger.js";
import { arePasts, type PastSnapshots } from "./past.js";
import { putIfAbsent } from "./value.js";

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
export interface LedgerLook {
  readonly entries: readonly LedgerEntry[];
  /** The last one that can be read. */
  readonly state: LedgerState;
  /** Why a later one cannot be read. */
  readonly problem?: unknown;
}

export const NOTHING_SEEN: LedgerLook = {
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
  const run = JSON.stringify(completion.run);
  const isNoted = ({ runs }: LedgerState) => runs.some((one) => JSON.stringify(one) === run);
  const { entries, state } = await change(ledger, (seen) => stateAfter(seen, completion), over, isNoted);
  const isUsed = (entry: LedgerEntry) => isList(entry) && entry.token === completion.approval;
  const isReplaced = (entry: LedgerEntry) =>
    isIds(entry) && entry.sequence < (state.snapshots[entry.subject]?.sequence ?? 0);
  const needless = entries.filter((entry) => isUsed(entry) || isReplaced(entry));
  await ledger.delete([...needless, ...formerOf(entries)]);
}

/**
 * Notes a held run in place of an earlier one, if the ledger could store its approval.
 * @param over Fires when nobody waits any more.
 */
export async function noteHeld(
  ledger: InstallationLedger,
  report: HeldReport,
  at: number,
  over: AbortSignal,
): Promise<void> {
  const approval = report.approval?.id;
  if (approval === undefined) return;
  // Ids are in the lists of removals only, which a later ledger may have to hash.
  const reasons = report.reasons.map((reason) => ({ ...reason, examples: [] }));
  const held = { at, approval, report: { ...report, reasons }, text: report.toString() };
  const { entries } = await change(
    ledger,
    ({ state }) => {
      const { held: before } = state;
      return { ...state, held: { ...held, isApproved: before?.approval === approval && before.isApproved } };
    },
    over,
  );
  await ledger.delete(formerOf(entries));
}

/** Notes that a person approved a held run, for the next run to use. */
export async function noteApproved(ledger: InstallationLedger, approval: string): Promise<void> {
  await change(ledger, ({ state }) => {
    const { held } = state;
    return { ...state, held: held?.approval === approval ? { ...held, isApproved: true } : held };
  });
}

/**
 * Notes whether a batch may be completed with an approval.
 * @param over Fires when nobody waits any more.
 */
export async function noteUse(
  ledger: InstallationLedger,
  approval: string,
  token: string,
  isUsed: boolean,
  over: AbortSignal,
): Promise<void> {
  const usersIn = ({ used }: LedgerState) => used[approval] ?? [];
  const next = ({ state }: LedgerLook) => {
    const others = usersIn(state).filter((other) => other !== token);
    return { ...state, used: { ...state.used, [approval]: isUsed ? [...others, token] : others } };
  };
  await change(ledger, next, over, (state) => usersIn(state).includes(token) === isUsed);
}

/**
 * Puts the next state.
 * @param isNoted Whether a state has the change already. Then the change is not lost if this process is suspended before
 *   its put: others may have put the same key meanwhile, and deleted it again.
 * @returns what was there before, with that state
 */
async function change(
  ledger: InstallationLedger,
  next: (seen: LedgerLook) => LedgerState,
  over?: AbortSignal,
  isNoted?: (state: LedgerState) => boolean,
): Promise<LedgerLook> {
  for (let isFirst = true; ; isFirst = false) {
    over?.throwIfAborted();
    const seen = await look(ledger);
    if (!isFirst && isNoted?.(seen.state) === true) return seen;
    const state = next(seen);
    over?.throwIfAborted();
    const sequence = nextSequence(seen.entries.filter(isOfState));
    const key = ledger.keyOf({ subject: SUBJECT, sequence, token: "", kind: "" });
    if (!(await putIfAbsent(ledger.store, key, { ...ledger.scope, ...state }))) continue;
    const later = isNoted && (await ledger.entries(SUBJECT)).filter(isOfState);
    if (later === undefined || nextSequence(later) <= sequence + 1) return { ...seen, state };
  }
}

/** Another run may have been completed since this one was: a later snapshot stays, and so does a watermark that it advanced. */
function stateAfter(
  { entries, problem, state: { runs, snapshots, watermarks, used } }: LedgerLook,
  completion: Completion,
): LedgerState {
  // Nobody has approved it: without snapshots, no run is held for a damaged state.
  if (problem !== undefined && Object.keys(completion.snapshots).length === 0) throw problem;
  const { run, advanced, before } = completion;
  const later = Object.entries(completion.snapshots).filter(
    ([subject, { sequence }]) => sequence >= (snapshots[subject]?.sequence ?? 0),
  );
  const moved = Object.entries(advanced).filter(([subject]) => watermarks[subject] === before[subject]);
  const waiting = new Set(entries.filter(isList).map(({ token }) => token));
  return {
    runs: [...runs, run].slice(-KEPT_RUNS),
    snapshots: { ...snapshots, ...Object.fromEntries(later) },
    watermarks: { ...watermarks, ...Object.fromEntries(moved) },
    used: Object.fromEntries(Object.entries(used).filter(([approval]) => waiting.has(approval))),
  };
}

async function lookOnce(ledger: InstallationLedger): Promise<LedgerLook> {
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

/** The states before the one before. */
function formerOf(entries: readonly LedgerEntry[]): readonly LedgerEntry[] {
  return entries.filter(isOfState).slice(0, -1);
}

/** A copy that a person has made of a state may have another ending. */
function isOfState({ subject, kind }: LedgerEntry): boolean {
  return subject === SUBJECT && kind === "";
}

function isIds({ kind }: LedgerEntry): boolean {
  return kind === "ids";
}
