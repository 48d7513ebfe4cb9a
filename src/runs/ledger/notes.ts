/** What runs and people note in the state of a ledger, each time as its next value. */
import { ConfigurationError, type HeldReport } from "../../core/errors/index.js";
import { type InstallationLedger, isList, type LedgerEntry, nextSequence } from "./installation-ledger.js";
import {
  type Baseline,
  type CompletedRun,
  isIds,
  isOfState,
  type LedgerSnapshot,
  type LedgerState,
  readLedger,
  SUBJECT,
} from "./state.js";
import { putIfAbsent } from "./value.js";

/** Older completed runs are forgotten. */
const KEPT_RUNS = 30;
/** How often the next state is put, and how long is waited in between at first, in milliseconds. */
const TRIES = 5;
const PAUSE_MS = 100;

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
 * Notes a completed run, after which nothing is held any more.
 * @param over Fires when nobody waits any more.
 * @returns what is not needed any more
 */
export async function noteCompleted(
  ledger: InstallationLedger,
  completion: Completion,
  over: AbortSignal,
): Promise<readonly LedgerEntry[]> {
  const run = JSON.stringify(completion.run);
  const isNoted = ({ runs }: LedgerState) => runs.some((one) => JSON.stringify(one) === run);
  const { entries, state } = await change(ledger, (seen) => stateAfter(seen, completion), over, isNoted);
  const isUsed = (entry: LedgerEntry) => isList(entry) && entry.token === completion.approval;
  const isReplaced = (entry: LedgerEntry) =>
    isIds(entry) && entry.sequence < (state.snapshots[entry.subject]?.sequence ?? 0);
  const needless = entries.filter((entry) => isUsed(entry) || isReplaced(entry));
  return [...needless, ...formerOf(entries)];
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
  const next = ({ state }: LedgerSnapshot) => {
    const others = usersIn(state).filter((other) => other !== token);
    return { ...state, used: { ...state.used, [approval]: isUsed ? [...others, token] : others } };
  };
  await change(ledger, next, over, (state) => usersIn(state).includes(token) === isUsed);
}

/**
 * Puts the next state, in a few tries: who puts it at the same time begins again.
 * @param isNoted Whether a state has the change already. Then the change is not lost if this process is suspended before
 *   its put: others may have put the same key meanwhile, and deleted it again.
 * @returns what was there before, with that state
 */
async function change(
  ledger: InstallationLedger,
  next: (seen: LedgerSnapshot) => LedgerState,
  over?: AbortSignal,
  isNoted?: (state: LedgerState) => boolean,
): Promise<LedgerSnapshot> {
  const { clock } = ledger.limits;
  for (let tries = 1; ; tries += 1) {
    over?.throwIfAborted();
    const seen = await readLedger(ledger);
    if (tries > 1 && isNoted?.(seen.state) === true) return seen;
    const state = next(seen);
    over?.throwIfAborted();
    const sequence = nextSequence(seen.entries.filter(isOfState));
    const key = ledger.keyOf({ subject: SUBJECT, sequence, token: "", kind: "" });
    const isPut = await putIfAbsent(ledger.store, key, { ...ledger.scope, ...state });
    const later =
      isPut && isNoted === undefined ? undefined : (await ledger.entries(SUBJECT)).filter(isOfState);
    if (isPut && (later === undefined || nextSequence(later) <= sequence + 1)) return { ...seen, state };
    if (tries === TRIES)
      throw notStored(ledger.placeOf(key), later?.some((entry) => entry.key === key) === true);
    await clock.sleep(PAUSE_MS * 2 ** (tries - 1) * (0.5 + Math.random() / 2), over);
  }
}

/** @param isListed Whether the store lists what it has in place of the state. */
function notStored(place: string, isListed: boolean): ConfigurationError {
  const why = isListed
    ? "other processes stored theirs first. Try again later"
    : "the store has something of this name, and does not list it. Remove it";
  return new ConfigurationError(`The ledger could not store ${place} in ${TRIES} tries: ${why}.`, {
    retryable: isListed,
  });
}

/** Another run may have been completed since this one was: a later snapshot stays, and so does a watermark that it advanced. */
function stateAfter(
  { entries, problem, state: { runs, snapshots, watermarks, used } }: LedgerSnapshot,
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

/** The states before the one before. */
function formerOf(entries: readonly LedgerEntry[]): readonly LedgerEntry[] {
  return entries.filter(isOfState).slice(0, -1);
}
