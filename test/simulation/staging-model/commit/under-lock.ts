/** COMMIT 5b to 5f: what a committer does when it has the lock, and its batch is empty. */
import { nextSequence, pendingContents, tokenOf } from "./ledger.js";
import { beginVerdict, firstAfterPromotion } from "./staged.js";
import { BATCH, STEP } from "./steps.js";
import type { Turn } from "./turn.js";

/** The first rule that applies ends the turn. */
export function readLedgerUnderLock(turn: Turn): void {
  isCompleted(turn) || isPending(turn) || isSuperseded(turn) || isJudgedAgain(turn) || draft(turn);
}

/** COMMIT 5b. */
function isCompleted(turn: Turn): boolean {
  const { world, state, content } = turn;
  if (!world.has("COMMIT 5b completed") || world.completedContent(state) !== content) return false;
  return abortTo(turn, "sees in the ledger that its run is completed", firstAfterPromotion(world));
}

/** COMMIT 5c. The pending may be gone, because a later run was promoted: then there is nothing to promote. */
function isPending(turn: Turn): boolean {
  const { world, batch, actor } = turn;
  const own = world.has("COMMIT 5c pending") ? completedBatchOf(turn) : undefined;
  if (own === undefined) return false;
  return turn.go(
    `is told that batch ${own + 1} of its run is completed; aborts its own`,
    STEP.resumeMark,
    (next) => {
      world.endBatch(next, batch);
      next.set(world.resumed + actor, own);
    },
  );
}

/** COMMIT 5d. A completed run supersedes this one for good; a pending one perhaps. */
function isSuperseded(turn: Turn): boolean {
  const { world, state, content } = turn;
  if (!world.has("COMMIT 5d order")) return false;
  const newer = ~world.olderThan(content);
  if (((1 << world.completedContent(state)) & newer) !== 0)
    return abortTo(turn, "is superseded by a completed run", STEP.superseded);
  if (!world.has("COMMIT 5d pendings") || (pendingContents(world, state) & newer) === 0) return false;
  return abortTo(turn, "refuses: a pending run may supersede it", STEP.refused);
}

/** COMMIT 5e. */
function isJudgedAgain(turn: Turn): boolean {
  const { world, state, batch, actor, content } = turn;
  const { pendings, completed } = tokenOf(world, state, content);
  const isSame = pendings === turn.of(world.token) && completed === turn.of(world.tokenCompleted);
  if (!world.has("COMMIT 5e token") || isSame) return false;
  return turn.may("sees that the ledger changed; aborts its empty batch, and judges again", (next) => {
    world.endBatch(next, batch);
    world.nextAttempt(next, actor, beginVerdict(world));
    return undefined;
  });
}

/** COMMIT 5f. */
function draft(turn: Turn): boolean {
  const { world, state, actor, content } = turn;
  return turn.may("drafts its ids", (next) => {
    next.set(world.step + actor, STEP.sendFirst);
    if (world.has("COMMIT 5f sequence")) next.set(world.sequence + actor, nextSequence(world, state));
    return world.completedContent(state) === content
      ? "a run is sent again that the ledger has as completed"
      : undefined;
  });
}

/** The last batch of this run of which the service says that it is completed; each was noted before its completion. */
function completedBatchOf({ world, state, content }: Turn): number | undefined {
  if (!world.tells) return undefined;
  let last: number | undefined;
  for (let batch = 0; batch < world.batches; batch += 1) {
    const isCompletedBatch = state.get(world.batchState + batch) === BATCH.completed;
    const isLater = last === undefined || state.get(world.pending + batch) > state.get(world.pending + last);
    if (world.contentOf(batch) === content && isCompletedBatch && isLater) last = batch;
  }
  return last;
}

function abortTo(turn: Turn, act: string, step: number): true {
  const { world, batch } = turn;
  return turn.go(`${act}; aborts its empty batch`, step, (next) => world.endBatch(next, batch));
}
