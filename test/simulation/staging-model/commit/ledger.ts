/**
 * The ledger as `src/sync/ledger/keys.ts` describes it. The highest `completed` marker counts; ids above it are pending
 * ones; everything below it is garbage.
 */
import type { State } from "../states.js";
import { STEP } from "./steps.js";
import type { Turn } from "./turn.js";
import type { World } from "./world.js";

/** The contents that the service may have, as a set: what verdicts are about. */
export function knownContents(world: World, state: State): number {
  return (1 << world.completedContent(state)) | pendingContents(world, state);
}

/** COMMIT 2: the token T names the state of the ledger by batches, except those of the run itself. */
export function tokenOf(world: World, state: State, run: number): { pendings: number; completed: number } {
  if (!world.has("COMMIT 2 batches"))
    return {
      pendings: pendingContents(world, state) & ~(1 << run),
      completed: world.completedContent(state),
    };
  const marker = state.get(world.completedBatch);
  const isOwn = marker !== 0 && world.contentOf(marker - 1) === run;
  let pendings = 0;
  for (let batch = 0; batch < world.batches; batch += 1) {
    const isPending = state.get(world.pending + batch) > state.get(world.completedSequence);
    if (isPending && world.contentOf(batch) !== run) pendings |= 1 << batch;
  }
  return { pendings, completed: isOwn ? 0 : marker };
}

export function pendingContents(world: World, state: State): number {
  const completed = state.get(world.completedSequence);
  let known = 0;
  for (let batch = 0; batch < world.batches; batch += 1)
    if (state.get(world.pending + batch) > completed) known |= 1 << world.contentOf(batch);
  return known;
}

/** One more than all that is listed. A draft is not listed before it is saved, so a sequence may be drawn twice. */
export function nextSequence(world: World, state: State): number {
  let last = state.get(world.completedSequence);
  for (let batch = 0; batch < world.batches; batch += 1)
    last = Math.max(last, state.get(world.pending + batch));
  return last + 1;
}

/** COMMIT 7: the pending of the actor's batch, durable before CompleteSyncBatch. */
export function savePending(turn: Turn): void {
  const { world } = turn;
  const after = world.has("COMMIT 7 first") ? STEP.complete : STEP.mark;
  if (keyOf(turn) === undefined) turn.go("finds that the key of its pending is taken", STEP.abort);
  else
    turn.go("saves pending", after, (next) => {
      if (world.has("PLAIN ledger") || !world.isPlain(turn.actor))
        next.set(world.pending + turn.batch, turn.of(world.sequence));
    });
  if (turn.state.get(world.fullDisks) > 0)
    turn.go("finds the disk full, and has not saved pending", STEP.abort, (next) =>
      next.set(world.fullDisks, turn.state.get(world.fullDisks) - 1),
    );
}

/** COMMIT 8: after an abort. A pending whose completion is unclear stays, whatever the abort was answered. */
export function dropPending(turn: Turn): void {
  const { world, actor, batch } = turn;
  const keeps = turn.of(world.unclear) === 1 && world.has("COMMIT 8 unclear");
  turn.may(keeps ? "keeps its pending" : "drops its pending", (next) => {
    if (!keeps) for (const key of sameKeys(turn)) next.set(world.pending + key, 0);
    if (!keeps) next.set(world.pending + batch, 0);
    world.nextAttempt(next, actor, world.firstStep(actor));
    return undefined;
  });
}

/** COMMIT 9, first half: the marker, unless a higher one is there. */
export function putMarker(turn: Turn, batch: number, sequence: number, after: number): void {
  const { world } = turn;
  turn.go(`puts the marker of batch ${batch + 1}`, after, (next) => {
    if (world.isPlain(turn.actor) && !world.has("PLAIN ledger")) return;
    if (sequence <= next.get(world.completedSequence) && world.has("COMMIT 9 sequence")) return;
    next.set(world.completedBatch, batch + 1);
    next.set(world.completedSequence, sequence);
  });
}

/** COMMIT 9, second half: pendings below the highest marker, or its own, are garbage. */
export function deleteOlder(turn: Turn, after: number): void {
  const { world } = turn;
  turn.go("deletes what is below the highest marker", after, (next) => {
    const completed = world.has("COMMIT 9 sequence") ? next.get(world.completedSequence) : 255;
    for (let batch = 0; batch < world.batches; batch += 1)
      if (next.get(world.pending + batch) <= completed) next.set(world.pending + batch, 0);
  });
}

/** @returns undefined if the key of the batch's pending is taken */
function keyOf(turn: Turn): number | undefined {
  return sameKeys(turn).length > 0 ? undefined : turn.batch;
}

/** Pendings that have the key of this batch: none, as long as each batch has its own. */
function sameKeys({ world, state, actor, batch, content }: Turn): readonly number[] {
  if (world.has("COMMIT 7 batch")) return [];
  const sequence = state.get(world.sequence + actor);
  const same: number[] = [];
  for (let other = 0; other < world.batches; other += 1) {
    const isOther = other !== batch && world.contentOf(other) === content;
    if (isOther && sequence > 0 && state.get(world.pending + other) === sequence) same.push(other);
  }
  return same;
}
