/**
 * How runs and people change the state of a ledger: each change stores the next state. A held run stays a baseline of
 * each held collection until a later snapshot of that collection is completed.
 */
import { ConfigurationError } from "../../core/errors/index.js";
import { bestEffort, withinGrace } from "../../sync/call.js";
import type { SyncConfiguration } from "../../sync/options.js";
import {
  type InstallationLedger,
  isForPeople,
  type LedgerEntry,
  nextSequence,
} from "./installation-ledger.js";
import {
  type Baseline,
  type Baselines,
  type CollectionState,
  type CompletedRun,
  type HeldRun,
  isIds,
  isOfState,
  type LedgerSnapshot,
  type LedgerState,
  readLedger,
  SUBJECT,
} from "./state.js";
import { putIfAbsent } from "./value.js";

/** The number of completed runs to remember. */
const KEPT_RUNS = 30;
/** How many times to try to store the next state, and the first pause between tries, in milliseconds. */
const TRIES = 5;
const PAUSE_MS = 100;

/** What a completed run changes. */
export interface Completion {
  readonly run: CompletedRun;
  /** Its snapshots, by the wire names of the collections. */
  readonly snapshots: Baselines;
  /** The watermarks that it advanced to, and those that it began with. */
  readonly advanced: Readonly<Record<string, string>>;
  readonly before: Readonly<Record<string, string>>;
}

/** A stored state and the one before it; `stateKey` is the key of the one before. */
interface Noted extends LedgerSnapshot {
  readonly before: LedgerState;
}

/**
 * Records a completed run, which ends the holds of its collections, and deletes what is no longer needed.
 * @throws the run could not be recorded within 5 seconds
 */
export async function noteCompleted(
  ledger: InstallationLedger,
  completion: Completion,
  configuration: Pick<SyncConfiguration, "clock" | "logger">,
): Promise<void> {
  const isNoted = ({ runs }: LedgerState) => runs.some(({ token }) => token === completion.run.token);
  const needless = await withinGrace(configuration.clock, async (over) => {
    const noted = await change(ledger, (seen) => stateAfter(seen, completion), over, isNoted);
    return [...(await needlessOf(ledger, noted)), ...formerOf(noted)];
  });
  const message = "could not delete values that the ledger no longer needs";
  await bestEffort(configuration, { level: "warn", message }, () => ledger.delete(needless));
}

/**
 * Records a held run, and the approval of another one if the run used it.
 * @param over Fires once nobody waits for this any more.
 */
export async function noteHeld(ledger: InstallationLedger, hold: Hold, over: AbortSignal): Promise<void> {
  const { approval, expiresAt } = hold.run;
  const isNoted = ({ held }: LedgerState) =>
    held.some((one) => one.approval === approval && one.expiresAt === expiresAt);
  const noted = await change(ledger, (seen) => withHeld(seen.state, hold), over, isNoted);
  const { entries, state } = noted;
  const isReplaced = (entry: LedgerEntry) =>
    isOfHeld(entry, state) && entry.sequence < (hold.baselines[entry.subject]?.sequence ?? 0);
  await ledger.delete([...entries.filter(isReplaced), ...formerOf(noted)]);
}

/** Records that a person approved a held run. */
export async function noteApproved(ledger: InstallationLedger, approval: string): Promise<void> {
  await change(ledger, ({ state }) => withApproved(state, approval));
}

/**
 * Stores the next state, with a few retries: if two processes do so at the same time, one starts over.
 * @param isNoted Whether a state already includes the change. Without this check, a process that is suspended
 *   before it stores the state could lose its change: others may store the same key and delete it in the meantime.
 * @returns the previous state and the new one
 */
async function change(
  ledger: InstallationLedger,
  next: (seen: LedgerSnapshot) => LedgerState,
  over?: AbortSignal,
  isNoted?: (state: LedgerState) => boolean,
): Promise<Noted> {
  const { clock } = ledger.limits;
  for (let tries = 1; ; tries += 1) {
    over?.throwIfAborted();
    const seen = await readLedger(ledger);
    if (tries > 1 && isNoted?.(seen.state) === true) return { ...seen, before: seen.state };
    const state = next(seen);
    over?.throwIfAborted();
    const sequence = nextSequence(seen.entries.filter(isOfState));
    const key = ledger.keyOf({ subject: SUBJECT, sequence, token: "", kind: "" });
    const isPut = await putIfAbsent(ledger.store, key, { ...ledger.scope, ...state });
    const later =
      isPut && isNoted === undefined ? undefined : (await ledger.entries(SUBJECT)).filter(isOfState);
    if (isPut && (later === undefined || nextSequence(later) <= sequence + 1))
      return { ...seen, before: seen.state, state };
    if (tries === TRIES)
      throw notStored(ledger.placeOf(key), later?.some((entry) => entry.key === key) === true);
    await clock.sleep(PAUSE_MS * 2 ** (tries - 1) * (0.5 + Math.random() / 2), over);
  }
}

/** @param isListed Whether the store lists an entry with this name, put by another process. */
function notStored(place: string, isListed: boolean): ConfigurationError {
  const why = isListed
    ? "other processes were faster each time. Try again later"
    : "the store has something with this name but doesn't list it. Remove it";
  return new ConfigurationError(`The ledger could not store ${place} in ${TRIES} tries: ${why}.`, {
    retryable: isListed,
  });
}

/**
 * Another run may have completed after this one. Its later snapshot is kept, and so is a watermark that it advanced.
 */
function stateAfter({ problem, state }: LedgerSnapshot, completion: Completion): LedgerState {
  // A run without snapshots is never held, not even for damage, so nobody can have approved it.
  if (problem !== undefined && Object.keys(completion.snapshots).length === 0) throw problem;
  const { run, snapshots, advanced, before } = completion;
  const { runs, watermarks } = state;
  const moved = Object.entries(advanced).filter(([subject]) => watermarks[subject] === before[subject]);
  return {
    ...withCompleted(state, snapshots),
    runs: [...runs, run].slice(-KEPT_RUNS),
    watermarks: { ...watermarks, ...Object.fromEntries(moved) },
    damage: undefined,
  };
}

/**
 * Entries that neither this state nor the previous one needs. Those newer than the last completed snapshot may be in
 * use, so they are kept. A ledger that hashes ids keeps none in plain text.
 */
async function needlessOf(
  ledger: InstallationLedger,
  { entries, before, state }: Noted,
): Promise<readonly LedgerEntry[]> {
  const needless: LedgerEntry[] = [];
  for (const entry of entries) {
    const last = state.collections[entry.subject]?.completed?.sequence ?? 0;
    if (isIds(entry) ? entry.sequence >= last : entry.sequence > last || !isOfHeld(entry, state)) continue;
    const { token } = before.collections[entry.subject]?.completed ?? {};
    const isKept =
      isIds(entry) && entry.token === token && (!ledger.hashIds || (await ledger.isHashed(entry)));
    if (!isKept) needless.push(entry);
  }
  return needless;
}

/** Whether an entry belongs to a held run that no longer waits for approval, or is a list whose run has no receipt. */
function isOfHeld(entry: LedgerEntry, state: LedgerState): boolean {
  const { subject, token, kind } = entry;
  if (kind !== "held" && !isForPeople(entry)) return false;
  return !holdsOf(state, subject).includes(token) && !state.runs.some((run) => run.token === token);
}

/** All earlier states except those that let a person go back: the previous one and damaged ones. */
function formerOf({ entries, stateKey, state: { damage = [] } }: Noted): readonly LedgerEntry[] {
  const kept = [stateKey, ...damage.map(({ key }) => key)];
  return entries.filter((entry) => isOfState(entry) && !kept.includes(entry.key));
}

/** What a held run changes. */
export interface Hold {
  readonly run: HeldRun;
  /** The snapshots that were held. */
  readonly baselines: Baselines;
  /** The approval id that the run was given. */
  readonly approve: string | undefined;
  readonly now: number;
}

/**
 * Adds a held run. It replaces undecided runs of the same collections; approved runs are kept until they expire.
 * @throws another run has completed one of the collections in the meantime
 */
export function withHeld(before: LedgerState, { run, baselines, approve, now }: Hold): LedgerState {
  const state = withApproved(before, approve);
  const expired = state.held.filter(({ expiresAt }) => expiresAt <= now).map(({ approval }) => approval);
  const collections = { ...state.collections };
  for (const [subject, held] of Object.entries(baselines)) {
    const { completed, approved } = collections[subject] ?? {};
    if (completed !== undefined && completed.sequence >= held.sequence)
      throw new Error(`Another run has completed ${subject} in the meantime.`);
    const isExpired = approved !== undefined && expired.includes(approved.token);
    collections[subject] = { completed, held, approved: isExpired ? undefined : approved };
  }
  const others = state.held.filter(({ approval }) => approval !== run.approval);
  return withoutDecided({ ...state, collections, held: [...others, run] });
}

/** Approves a held run in all collections where it is pending. */
export function withApproved(state: LedgerState, approval: string | undefined): LedgerState {
  if (approval === undefined) return state;
  const approved = mapped(state, (one) =>
    one.held?.token === approval ? { ...one, held: undefined, approved: one.held } : one,
  );
  return withoutDecided(approved);
}

/** Completes snapshots, and drops earlier held ones of their collections. A later snapshot is kept. */
export function withCompleted(state: LedgerState, completed: Baselines): LedgerState {
  const collections = { ...state.collections };
  for (const [subject, baseline] of Object.entries(completed)) {
    const before = collections[subject];
    if (baseline.sequence >= (before?.completed?.sequence ?? 0))
      collections[subject] = { ...before, completed: baseline };
  }
  return withoutDecided({ ...state, collections });
}

/** The tokens of undecided held runs in a collection. */
export function holdsOf(state: LedgerState, subject: string): readonly string[] {
  const { held, approved } = state.collections[subject] ?? {};
  return [held, approved].flatMap((baseline) => baseline?.token ?? []);
}

function withoutDecided(state: LedgerState): LedgerState {
  const pruned = mapped(state, ({ completed, held, approved }) => {
    const waits = (one: Baseline | undefined) => one && one.sequence > (completed?.sequence ?? 0);
    return {
      completed,
      held: waits(held) ? held : undefined,
      approved: waits(approved) ? approved : undefined,
    };
  });
  const tokens = new Set(Object.keys(pruned.collections).flatMap((subject) => holdsOf(pruned, subject)));
  return { ...pruned, held: state.held.filter(({ approval }) => tokens.has(approval)) };
}

function mapped(state: LedgerState, change: (one: CollectionState) => CollectionState): LedgerState {
  const all = Object.entries(state.collections).map(([subject, one]) => [subject, change(one)]);
  return { ...state, collections: Object.fromEntries(all) };
}
