/** What must hold in every state, and in those after which nothing happens. `service.ts` checks each completion. */
import type { State } from "../states.js";
import { knownContents } from "./ledger.js";
import { BATCH, FATE, isEnd, nameOf, RECEIPT, STEP } from "./steps.js";
import { ALL, type World } from "./world.js";

export function violationOf(world: World, state: State): string | undefined {
  const last = state.get(world.last);
  if (last === 0) return undefined;
  if (world.has("PLAIN ledger") && (knownContents(world, state) & (1 << last)) === 0)
    return "the ledger does not know the service's last snapshot";
  if (last <= world.runs && state.get(world.receipt + last) === RECEIPT.superseded)
    return "a run is called superseded, and is the service's last snapshot";
  return undefined;
}

export function violationOfEnd(world: World, state: State): string | undefined {
  if (state.get(world.lock) !== 0) return "a lock is left";
  for (let actor = 0; actor < world.configuration.actors.length; actor += 1) {
    const step = state.get(world.step + actor);
    if (!isEnd(step)) return `an actor is stuck at ${nameOf(step)}`;
    if (step !== STEP.refused) continue;
    const run = world.contentOf(world.batchOf(state, actor));
    if (state.get(world.receipt + run) === RECEIPT.none && !hasReasonToRefuse(world, state, run))
      return "a run was refused without a reason";
  }
  for (let run = 1; run <= world.runs; run += 1) {
    const receipt = state.get(world.receipt + run);
    if (receipt === RECEIPT.completed && state.get(world.watermark + run) === 0)
      return "a committed run has lost its watermarks: its events are sent again";
    const isDiscarded = state.get(world.fate + run) === FATE.discard;
    const isGone = state.get(world.segments + run) === 0;
    if (
      isGone &&
      receipt === RECEIPT.none &&
      !isDiscarded &&
      (state.get(world.everCompleted) & (1 << run)) !== 0
    )
      return "the segments of a completed run are gone, and it has no receipt";
    if (receipt === RECEIPT.none && world.isUntouched(state) && !isExcused(world, state, run))
      return "a run was not committed although nothing went wrong";
  }
  return undefined;
}

/** Discarded, or a run that was read later is completed, pending or got as far as that. */
function hasReasonToRefuse(world: World, state: State, run: number): boolean {
  if (state.get(world.fate + run) === FATE.discard || world.configuration.discard === run) return true;
  const newer = ~world.olderThan(run);
  if (((knownContents(world, state) | state.get(world.everCompleted)) & newer) !== 0) return true;
  for (let batch = 0; batch < world.batches; batch += 1) {
    const isNewer = ((1 << world.contentOf(batch)) & newer) !== 0;
    const wasPending =
      state.get(world.batchState + batch) === BATCH.ended && state.get(world.windows + batch) === ALL;
    if (isNewer && wasPending) return true;
  }
  return false;
}

function isExcused(world: World, state: State, run: number): boolean {
  if (hasReasonToRefuse(world, state, run)) return true;
  const { actors } = world.configuration;
  const own = [...actors.keys()].filter((actor) => world.contentOf(world.batchOf(state, actor)) === run);
  return own.length === 0 || own.some((actor) => state.get(world.step + actor) === STEP.gaveUp);
}
