/** A committer and a discard beside the workers. What COMMIT does about locks and ledgers is in `../commit`. */
import type { Emit, Model } from "../search.js";
import type { State } from "../states.js";
import { schedulerSteps, spend, workerSteps } from "./workers.js";
import {
  BOTH,
  COMMITTER,
  type ExtractConfiguration,
  ExtractWorld,
  FATE,
  may,
  PLANS,
  SCHEDULER,
  WHOLE,
} from "./world.js";

export function extractModel(configuration: ExtractConfiguration): Model {
  const world = new ExtractWorld(configuration);
  return {
    initial: world.initial(),
    next: (state, emit) => {
      schedulerSteps(world, state, emit);
      workerSteps(world, state, emit);
      committerSteps(world, state, emit);
      discardSteps(world, state, emit);
      for (const plan of PLANS)
        if (state.get(world.rots) > 0 && state.get(world.pieces + plan) !== 0)
          may(state, emit, "a disk", `changes the segment of plan ${plan}`, (next) => {
            spend(next, world.rots);
            next.set(world.rotten + plan, 1);
          });
    },
    violationOfEnd: (state) => violationOfEnd(world, state),
  };
}

function committerSteps(world: ExtractWorld, state: State, emit: Emit): void {
  const plan = state.get(world.committerPlan);
  const go = (act: string, step: number, change: (next: State) => string | undefined = () => undefined) =>
    may(state, emit, "the committer", act, (next) => {
      next.set(world.committer, step);
      if (step === COMMITTER.idle || step === COMMITTER.done) next.set(world.committerPlan, 0);
      if (step === COMMITTER.idle || step === COMMITTER.done) next.set(world.judged, 0);
      return change(next);
    });
  switch (state.get(world.committer)) {
    case COMMITTER.idle: {
      const found = world.currentPlan(state);
      const isReady =
        found !== 0 && state.get(world.version + found) !== 0 && state.get(world.pieces + found) !== 0;
      // The footer's digest shows a segment that changed before it was judged.
      if (!isReady || state.get(world.receipt + found) !== 0 || state.get(world.rotten + found) !== 0) return;
      go(`judges the segment of plan ${found}`, COMMITTER.judged, (next) => {
        next.set(world.committerPlan, found);
        next.set(world.judged, world.digestOf(state, found));
        return undefined;
      });
      return;
    }
    case COMMITTER.judged:
      if (state.get(world.fate + plan) === FATE.discard) go("refuses: discarded", COMMITTER.idle);
      else
        go("claims the fate commit", COMMITTER.claimed, (next) => {
          next.set(world.fate + plan, FATE.commit);
          return undefined;
        });
      return;
    case COMMITTER.claimed: {
      const isSame = world.digestOf(state, plan) === state.get(world.judged);
      if (!isSame && world.has("COMMIT 6 hash"))
        go("aborts: a segment differs from what was judged", COMMITTER.idle);
      else go("sends and completes", COMMITTER.receipt, (next) => complete(world, next, plan));
      return;
    }
    case COMMITTER.receipt:
      go("puts the receipt", COMMITTER.done, (next) => {
        next.set(world.receipt + plan, 1);
        return undefined;
      });
      return;
    case COMMITTER.done:
      // Whoever opens the key again may also commit it again.
      go("is asked to commit again", COMMITTER.idle);
      return;
    default:
  }
}

/** The promises, at the moment of completion. */
function complete(world: ExtractWorld, state: State, plan: number): string | undefined {
  const isSame = world.digestOf(state, plan) === state.get(world.judged);
  state.set(world.completions, state.get(world.completions) + 1);
  if (state.get(world.completions) > 1) return "one run key was completed twice";
  if (!isSame) return "other bytes were sent than judged";
  if (state.get(world.pieces + plan) !== WHOLE) return "a segment was completed that lacks records";
  if (state.get(world.readFor + plan) !== state.get(world.instance + plan))
    return "a segment was completed that was read for an earlier plan of the same key";
  if (state.get(world.readVersion + plan) !== state.get(world.version + plan))
    return "a segment was completed that another version has read than its plan's";
  return undefined;
}

/** DISCARD before a commit, SWEEP after it. */
function discardSteps(world: ExtractWorld, state: State, emit: Emit): void {
  const plan = world.currentPlan(state);
  if (state.get(world.discards) === 0 || plan === 0 || state.get(world.version + plan) === 0) return;
  const isCommitted = state.get(world.receipt + plan) !== 0;
  if (!isCommitted && state.get(world.fate + plan) === FATE.commit) return;
  may(state, emit, isCommitted ? "a sweep" : "a discard", `ends plan ${plan}`, (next) => {
    spend(next, world.discards);
    for (const cell of [world.pieces, world.readFor, world.readBy, world.readVersion, world.rotten])
      next.set(cell + plan, 0);
    const isForgotten = isCommitted ? !world.has("DISCARD receipt") : !world.has("OPEN 1 number");
    if (isForgotten)
      for (const cell of [world.version, world.fate, world.receipt, world.instance]) next.set(cell + plan, 0);
    else if (!isCommitted) next.set(world.fate + plan, FATE.discard);
    for (const scheduler of BOTH) next.set(world.scheduler + scheduler, SCHEDULER.opening);
    if (next.get(world.committer) === COMMITTER.done) next.set(world.committer, COMMITTER.idle);
  });
}

function violationOfEnd(world: ExtractWorld, state: State): string | undefined {
  const plan = world.currentPlan(state);
  if (plan === 0 || state.get(world.rotten + plan) !== 0 || state.get(world.receipt + plan) !== 0)
    return undefined;
  const isAccepted = BOTH.some((scheduler) => state.get(world.scheduler + scheduler) === SCHEDULER.opened);
  if (!isAccepted) return "a plan is there, and its own scheduler was refused";
  if (state.get(world.pieces + plan) !== 0) return "a sealed run was not committed";
  const wasDiscarded = state.get(world.discards) < world.configuration.discards;
  return wasDiscarded ? undefined : "nobody has sealed";
}
