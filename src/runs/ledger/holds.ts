/**
 * What becomes of held runs. Each is a baseline in the collections that it was held for, until a later snapshot of these is
 * completed: that one has a higher sequence.
 */
import type { Baseline, CollectionState, HeldRun, LedgerState } from "./state.js";

/** Baselines by the wire names of their collections. */
export type Baselines = Readonly<Record<string, Baseline>>;

/** What a held run changes. */
export interface Hold {
  readonly run: HeldRun;
  /** Its snapshots that were held. */
  readonly baselines: Baselines;
  /** The id of the approval that it was given. */
  readonly approve: string | undefined;
  readonly now: number;
}

/**
 * Adds a held run in place of what waits in its collections. What is approved there stays, until it expires.
 * @throws another run has completed one of the collections meanwhile
 */
export function withHeld(before: LedgerState, { run, baselines, approve, now }: Hold): LedgerState {
  const state = withApproved(before, approve);
  const expired = state.held.filter(({ expiresAt }) => expiresAt <= now).map(({ approval }) => approval);
  const collections = { ...state.collections };
  for (const [subject, held] of Object.entries(baselines)) {
    const { completed, approved } = collections[subject] ?? {};
    if (completed !== undefined && completed.sequence >= held.sequence)
      throw new Error(`Another run has completed ${subject} meanwhile.`);
    const isExpired = approved !== undefined && expired.includes(approved.token);
    collections[subject] = { completed, held, approved: isExpired ? undefined : approved };
  }
  const others = state.held.filter(({ approval }) => approval !== run.approval);
  return withoutDecided({ ...state, collections, held: [...others, run] });
}

/** Approves a held run in all collections in which it waits. */
export function withApproved(state: LedgerState, approval: string | undefined): LedgerState {
  if (approval === undefined) return state;
  const approved = mapped(state, (one) =>
    one.held?.token === approval ? { ...one, held: undefined, approved: one.held } : one,
  );
  return withoutDecided(approved);
}

/** Completes snapshots, which ends what was held in their collections before. A later snapshot stays. */
export function withCompleted(state: LedgerState, completed: Baselines): LedgerState {
  const collections = { ...state.collections };
  for (const [subject, baseline] of Object.entries(completed)) {
    const before = collections[subject];
    if (baseline.sequence >= (before?.completed?.sequence ?? 0))
      collections[subject] = { ...before, completed: baseline };
  }
  return withoutDecided({ ...state, collections });
}

/** The tokens of what was held in a collection, and is not decided. */
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
