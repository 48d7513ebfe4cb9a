/**
 * A plain run as it is built (src/sync/run, src/sync/guard): it reads its source under its own batch, drafts its ids under
 * the lock, judges a collection when it is sealed, and saves, completes and promotes as a staged one does.
 */
import { knownContents, nextSequence } from "./ledger.js";
import { startBatch } from "./service.js";
import { BATCH, STEP } from "./steps.js";
import type { Turn } from "./turn.js";

export function plainStart(turn: Turn): void {
  const { world, state, actor } = turn;
  const readsEarly = !world.has("PLAIN lock") || !world.has("PLAIN sequence");
  if (readsEarly && turn.of(world.judged) === 0)
    turn.go("reads the ledger", STEP.plainStart, (next) => {
      next.set(world.judged + actor, knownContents(world, state));
      if (!world.has("PLAIN sequence")) next.set(world.sequence + actor, nextSequence(world, state));
    });
  else startBatch(turn, STEP.plainDraft);
}

export function plainDraft(turn: Turn): void {
  const { world, state, actor } = turn;
  turn.go("drafts its ids", STEP.plainFirst, (next) => {
    if (world.has("PLAIN sequence")) next.set(world.sequence + actor, nextSequence(world, state));
  });
}

export function plainJudge(turn: Turn): void {
  const { world, state, batch } = turn;
  turn.go("judges its first collection", STEP.plainSecond, (next) => {
    const judges = world.has("PLAIN lock") && next.get(world.batchState + batch) === BATCH.active;
    if (judges) next.set(world.batchJudged + batch, knownContents(world, state));
  });
}
