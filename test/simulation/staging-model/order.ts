/**
 * OPEN 3 and COMMIT 5d: which rule keeps an older run from completing after a newer one? Runs are opened, read their source
 * and are committed, at once and under the lock. Time is the number of steps; the clock of run 1's host may go ahead.
 */
import type { Emit, Model } from "./search.js";
import { Layout, type State } from "./states.js";

export const ORDERS = {
  after: "refused if a completed or pending run is not in the plan's `after`",
  none: "never refused",
  opening: "refused if a run that was opened later is completed",
  clock: "refused if a completed run ended to read after this one began, by the clocks of their hosts",
  generation: "refused if any run was completed since this one was opened",
} as const;

export interface OrderConfiguration {
  readonly runs: number;
  readonly order: keyof typeof ORDERS;
  readonly skew?: number;
  /** Whether `after` may lack runs: a list that is not atomic misses keys that come meanwhile. */
  readonly misses?: boolean;
}

/** What a commit leaves in the ledger. */
const OUTCOME = { none: 0, unclear: 1, completed: 2 } as const;

class Run {
  readonly number: number;
  readonly opened: number;
  readonly began: number;
  readonly ended: number;
  readonly outcome: number;
  readonly isCompleted: number;
  readonly generation: number;
  readonly after: number;
  readonly refused: number;

  constructor(number: number, layout: Layout) {
    this.number = number;
    [this.opened, this.began, this.ended] = [layout.cells(), layout.cells(), layout.cells()];
    [this.outcome, this.isCompleted, this.generation] = [layout.cells(), layout.cells(), layout.cells()];
    [this.after, this.refused] = [layout.cells(), layout.cells()];
  }
}

export function orderModel({ runs: count, order, skew = 0, misses = false }: OrderConfiguration): Model {
  const layout = new Layout();
  const time = layout.cells();
  const generation = layout.cells();
  const runs = Array.from({ length: count }, (_, index) => new Run(index + 1, layout));
  const initial = layout.empty();
  initial.set(time, 1);

  const clockOf = (run: Run, state: State, cell: number) => state.get(cell) + (run.number === 1 ? skew : 0);
  const isRefused = (state: State, run: Run): boolean => {
    if (order === "generation") return state.get(run.generation) !== state.get(generation);
    return runs.some((other) => {
      if (other === run || state.get(other.outcome) === OUTCOME.none) return false;
      if (order === "opening") return state.get(other.opened) > state.get(run.opened);
      if (order === "clock") return clockOf(run, state, run.began) <= clockOf(other, state, other.ended);
      return order === "after" && (state.get(run.after) & (1 << other.number)) === 0;
    });
  };
  const step = (state: State, emit: Emit, act: string, change: (next: State) => string | undefined) => {
    const next = state.copy();
    next.set(time, state.get(time) + 1);
    emit("run", act, next, change(next));
  };
  const stamp = (state: State, emit: Emit, act: string, cell: number) =>
    step(state, emit, act, (next) => void next.set(cell, state.get(time)));
  const commit = (state: State, emit: Emit, run: Run, outcome: number, isCompleted: boolean) => {
    const how =
      outcome === OUTCOME.completed ? "is completed" : `is unclear, ${isCompleted ? "" : "not "}completed`;
    step(state, emit, `${run.number} ${how}`, (next) => {
      next.set(run.outcome, outcome);
      next.set(generation, state.get(generation) + 1);
      next.set(run.isCompleted, isCompleted ? 1 : 0);
      const overtakes = (other: Run) =>
        other !== run && state.get(other.isCompleted) === 1 && state.get(other.ended) >= state.get(run.began);
      return isCompleted && runs.some(overtakes)
        ? "a run was completed after one that was read later or at the same time"
        : undefined;
    });
  };

  return {
    initial,
    next: (state, emit) => {
      for (const run of runs) {
        const { number } = run;
        if (state.get(run.opened) === 0) {
          for (const isMissed of misses ? [false, true] : [false])
            step(state, emit, `${number} is opened${isMissed ? ", and lists nothing" : ""}`, (next) => {
              next.set(run.opened, state.get(time));
              next.set(run.generation, state.get(generation));
              for (const other of runs)
                if (!isMissed && (state.get(other.outcome) !== 0 || state.get(other.ended) !== 0))
                  next.set(run.after, next.get(run.after) | (1 << other.number));
              return undefined;
            });
        } else if (state.get(run.began) === 0) stamp(state, emit, `${number} begins to read`, run.began);
        else if (state.get(run.ended) === 0) stamp(state, emit, `${number} has read everything`, run.ended);
        else if (state.get(run.outcome) === OUTCOME.none && state.get(run.refused) === 0) {
          if (isRefused(state, run)) stamp(state, emit, `${number} is refused`, run.refused);
          else {
            commit(state, emit, run, OUTCOME.completed, true);
            commit(state, emit, run, OUTCOME.unclear, true);
            commit(state, emit, run, OUTCOME.unclear, false);
          }
        }
      }
    },
    violationOf: (state) => {
      const isHarmless = (run: Run) =>
        state.get(run.refused) !== 0 &&
        !runs.some(
          (other) =>
            other !== run &&
            state.get(other.outcome) !== 0 &&
            state.get(other.ended) >= state.get(run.opened),
        );
      return !misses && runs.some(isHarmless)
        ? "a run was refused that was opened after all others had been read"
        : undefined;
    },
  };
}
