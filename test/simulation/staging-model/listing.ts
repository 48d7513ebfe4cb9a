/**
 * COMMIT 9 beside a reader: does a run that has the lock see what the service has, while the committers before it promote?
 * Neither `list` of a folder nor several statements of READ COMMITTED show one moment: each key is looked at in its own.
 *
 * X was completed, then A, then B; A and B promote late. The reader must know B.
 */
import type { Emit, Model } from "./search.js";
import { Layout, type State } from "./states.js";

export const PROMOTIONS = {
  marker: "the marker is put beside the ids, which stay; then everything lower is deleted",
  rename:
    "the key of the completed ids is put, then that of the pending ones is deleted, then everything lower",
  transaction: "as rename, in one transaction",
} as const;

export const READINGS = {
  folder: "each key is looked at in its own moment, in any order",
  pages: "each key is looked at in its own moment, in the order of keys: pages of a table",
  statement: "all keys are looked at in one moment",
} as const;

export interface ListingConfiguration {
  readonly promotion: keyof typeof PROMOTIONS;
  readonly reading: keyof typeof READINGS;
}

/** Two keys of each snapshot, in the order of keys: its marker or completed ids, and its ids or pending ids. */
const completedKey = (snapshot: number) => 1 << (2 * snapshot);
const idsKey = (snapshot: number) => 2 << (2 * snapshot);
const [X, A, B] = [0, 1, 2] as const;
const ALL_KEYS = 63;
const NAMES = ["X", "A", "B"];

const STEP = { list: 0, put: 1, remove: 2, done: 3 } as const;

export function listingModel({ promotion, reading }: ListingConfiguration): Model {
  const layout = new Layout();
  const keys = layout.cells();
  const step = layout.cells(3);
  const listed = layout.cells(3);
  const looked = layout.cells();
  const seen = layout.cells();
  const initial = layout.empty();
  const isMarker = promotion === "marker";
  initial.set(keys, completedKey(X) | (isMarker ? idsKey(X) : 0) | idsKey(A) | idsKey(B));
  initial.set(step + X, STEP.done);

  const go = (state: State, emit: Emit, who: string, act: string, change: (next: State) => void) => {
    const next = state.copy();
    change(next);
    emit(who, act, next);
  };
  const promote = (state: State, emit: Emit, snapshot: number) => {
    const who = NAMES[snapshot] ?? "?";
    const there = state.get(keys);
    const isGone = (there & idsKey(snapshot)) === 0;
    if (state.get(step + snapshot) === STEP.list)
      go(state, emit, who, isGone && !isMarker ? "finds its pending gone" : "lists the ledger", (next) => {
        next.set(listed + snapshot, there);
        next.set(step + snapshot, isGone && !isMarker ? STEP.done : STEP.put);
      });
    if (state.get(step + snapshot) === STEP.put) {
      const highest = highestOf(state.get(listed + snapshot));
      const isHighest = highest <= snapshot;
      const lower = lowerThan(Math.max(snapshot, highest));
      const own = isMarker ? 0 : idsKey(snapshot);
      go(state, emit, who, promotion === "transaction" ? "promotes" : "puts its completed key", (next) => {
        if (isHighest) next.set(keys, there | completedKey(snapshot));
        if (promotion === "transaction") next.set(keys, next.get(keys) & ~(lower | own));
        // What is listed from now on is what it deletes.
        next.set(
          listed + snapshot,
          promotion === "transaction" ? 0 : (state.get(listed + snapshot) & lower) | own,
        );
        next.set(step + snapshot, STEP.remove);
      });
    }
    if (state.get(step + snapshot) !== STEP.remove) return;
    const left = state.get(listed + snapshot);
    if (left === 0) go(state, emit, who, "has promoted", (next) => next.set(step + snapshot, STEP.done));
    for (let key = 1; key <= left; key <<= 1)
      if ((left & key) !== 0)
        go(state, emit, who, `deletes ${nameOf(key)}`, (next) => {
          next.set(keys, there & ~key);
          next.set(listed + snapshot, left & ~key);
        });
  };
  const look = (state: State, emit: Emit, key: number, act: string) =>
    go(state, emit, "the reader", act, (next) => {
      next.set(looked, state.get(looked) | key);
      next.set(seen, state.get(seen) | (state.get(keys) & key));
    });

  return {
    initial,
    next: (state, emit) => {
      for (const snapshot of [A, B]) promote(state, emit, snapshot);
      const done = state.get(looked);
      if (reading === "statement" && done === 0) look(state, emit, ALL_KEYS, "looks at all keys");
      for (let key = 1; reading !== "statement" && key <= ALL_KEYS; key <<= 1) {
        if ((done & key) !== 0) continue;
        look(state, emit, key, `looks at ${nameOf(key)}`);
        if (reading === "pages") break;
      }
    },
    violationOf: (state) => {
      if (state.get(looked) !== ALL_KEYS) return undefined;
      const highest = highestOf(state.get(seen));
      const knows = highest === B || (state.get(seen) & idsKey(B)) !== 0;
      return knows ? undefined : "a reader does not know the service's last snapshot";
    },
  };
}

/** The highest completed snapshot of a list of keys; -1 if there is none. */
function highestOf(list: number): number {
  return [B, A, X].find((snapshot) => (list & completedKey(snapshot)) !== 0) ?? -1;
}

function lowerThan(snapshot: number): number {
  return completedKey(snapshot) - 1;
}

function nameOf(key: number): string {
  const bit = Math.log2(key);
  return `${NAMES[Math.floor(bit / 2)] ?? "?"}'s ${bit % 2 === 0 ? "completed key" : "ids"}`;
}
