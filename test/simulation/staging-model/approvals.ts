/**
 * APPROVAL: what an offer of a held run is bound to, and when it is used up. Staged runs 1 and 2 would remove the same
 * records; the baseline may change once, and a commit may crash once.
 */
import type { Emit, Model } from "./search.js";
import { Layout, type State } from "./states.js";

export const APPROVAL_RULES = {
  "APPROVAL digest": "an approval passes for every run that removes the same records",
  "APPROVAL token": "an approval passes whatever the ledger has by now",
  "COMMIT 9 used up": "an approval is used up when the run is judged",
} as const;

export type ApprovalRule = keyof typeof APPROVAL_RULES;

const PHASE = { new: 0, held: 1, passed: 2, committed: 3, crashed: 4 } as const;
const RUNS = [1, 2] as const;

export function approvalModel(without: readonly ApprovalRule[] = []): Model {
  const layout = new Layout();
  const offeredTo = layout.cells();
  const offeredFor = layout.cells();
  const isUsed = layout.cells();
  const baseline = layout.cells();
  const crashes = layout.cells();
  const phase = layout.cells(3);
  const has = (rule: ApprovalRule) => !without.includes(rule);
  const initial = layout.empty();
  initial.set(crashes, 1);

  const step = (state: State, emit: Emit, act: string, change: (next: State) => string | undefined) => {
    const next = state.copy();
    emit("", act, next, change(next));
  };
  const pass = (state: State, emit: Emit, run: number) => {
    const isOwn = state.get(offeredTo) === run;
    const isSame = state.get(offeredFor) === state.get(baseline);
    if ((!isOwn && has("APPROVAL digest")) || (!isSame && has("APPROVAL token"))) return;
    step(state, emit, `run ${run} passes with the approval`, (next) => {
      next.set(phase + run, PHASE.passed);
      if (!has("COMMIT 9 used up")) next.set(isUsed, 1);
      if (!isOwn) return "a run passed with the approval that was shown for another one";
      return isSame ? undefined : "a run passed with an approval that was shown for another baseline";
    });
  };

  return {
    initial,
    next: (state, emit) => {
      const isOffered = state.get(offeredTo) !== 0;
      for (const run of RUNS) {
        const at = state.get(phase + run);
        const isOpen = at === PHASE.new || at === PHASE.held || at === PHASE.crashed;
        if (at === PHASE.new && !isOffered)
          step(state, emit, `run ${run} is held, and an approval is offered`, (next) => {
            next.set(offeredTo, run);
            next.set(offeredFor, state.get(baseline));
            next.set(phase + run, PHASE.held);
            return undefined;
          });
        if (isOpen && isOffered && state.get(isUsed) === 0) pass(state, emit, run);
        if (at === PHASE.crashed && state.get(isUsed) === 1)
          step(state, emit, `run ${run} is held again`, (next) => {
            next.set(phase + run, PHASE.held);
            return "an approval was used up by a commit that crashed";
          });
        if (at !== PHASE.passed) continue;
        step(state, emit, `run ${run} is completed, and the approval used up`, (next) => {
          next.set(phase + run, PHASE.committed);
          next.set(isUsed, 1);
          return undefined;
        });
        if (state.get(crashes) > 0)
          step(state, emit, `the commit of run ${run} crashes`, (next) => {
            next.set(crashes, 0);
            next.set(phase + run, PHASE.crashed);
            return undefined;
          });
      }
      if (state.get(baseline) === 0)
        step(
          state,
          emit,
          "another run is completed: the baseline changes",
          (next) => void next.set(baseline, 1),
        );
    },
  };
}
