/** COMMIT 1, 2, 3, 5a and 10: what only a committer of a staged run does, beside what it does under the lock. */
import { knownContents, nextSequence, tokenOf } from "./ledger.js";
import { FATE, RECEIPT, STEP } from "./steps.js";
import type { Turn } from "./turn.js";
import { ALL, type World } from "./world.js";

/** COMMIT 1, and 5b before the lock: what was cut off after the completion is finished. */
export function readReceipt(turn: Turn): void {
  const { world, state, content } = turn;
  const receipt = turn.ofRun(world.receipt);
  const isCompleted = world.has("COMMIT 5b completed") && world.completedContent(state) === content;
  if (receipt === RECEIPT.completed) turn.go("returns the receipt", STEP.done);
  else if (receipt === RECEIPT.superseded) turn.go("refuses: superseded, says the receipt", STEP.refused);
  else if (isCompleted) turn.go("sees in the ledger that its run is completed", firstAfterPromotion(world));
  else turn.go("finds no receipt", beginVerdict(world));
}

/** COMMIT 2: the token of the ledger, before the verdict's baseline. */
export function readToken(turn: Turn): void {
  const { world, state, actor, content } = turn;
  const after = world.has("COMMIT 2 token") ? STEP.judge : afterVerdict(world);
  turn.go("reads the token of the ledger", after, (next) => {
    const { pendings, completed } = tokenOf(world, state, content);
    next.set(world.token + actor, pendings);
    next.set(world.tokenCompleted + actor, completed);
  });
}

/** COMMIT 2: reads every segment, and judges. */
export function judge(turn: Turn): void {
  const { world, state, actor } = turn;
  if (turn.ofRun(world.segments) !== ALL) turn.go("refuses: segments are gone", STEP.refused);
  else
    turn.go("judges", world.has("COMMIT 2 token") ? afterVerdict(world) : STEP.readToken, (next) => {
      next.set(world.judged + actor, knownContents(world, state));
      if (!world.has("COMMIT 5f sequence")) next.set(world.sequence + actor, nextSequence(world, state));
    });
}

export function beginVerdict(world: World): number {
  return world.has("COMMIT 2 token") ? STEP.readToken : STEP.judge;
}

function afterVerdict(world: World): number {
  return world.has("COMMIT 3 fate") ? STEP.claim : STEP.start;
}

/** COMMIT 3. */
export function claim(turn: Turn): void {
  const { world, content } = turn;
  if (turn.ofRun(world.fate) === FATE.discard) turn.go("refuses: discarded", STEP.refused);
  else turn.go("claims the fate commit", STEP.start, (next) => next.set(world.fate + content, FATE.commit));
}

/** COMMIT 5a. */
export function readReceiptUnderLock(turn: Turn): void {
  const { world, batch } = turn;
  const receipt = turn.ofRun(world.receipt);
  const end = receipt === RECEIPT.completed ? STEP.done : STEP.refused;
  if (receipt === RECEIPT.none || !world.has("COMMIT 5a receipt"))
    turn.go("finds no receipt under the lock", STEP.ledger);
  else turn.go("finds the receipt, and aborts its empty batch", end, (next) => world.endBatch(next, batch));
}

/** COMMIT 10: watermarks, receipt, then the segments are deleted. */
export function firstAfterPromotion(world: World): number {
  return world.has("COMMIT 10 watermarks") ? STEP.watermarks : STEP.receipt;
}

export function putReceipt(turn: Turn): void {
  const { world, content } = turn;
  const after = world.has("COMMIT 10 receipt") ? STEP.clean : STEP.done;
  const isFirst = world.has("COMMIT 10 watermarks");
  turn.go("puts the receipt", isFirst ? after : STEP.watermarks, (next) => {
    // The key may be taken by another committer that found the run superseded.
    if (turn.ofRun(world.receipt) === RECEIPT.none) next.set(world.receipt + content, RECEIPT.completed);
  });
}

export function storeWatermarks(turn: Turn): void {
  const { world, content } = turn;
  const isFirst = world.has("COMMIT 10 watermarks");
  const last = world.has("COMMIT 10 receipt") ? STEP.receipt : STEP.clean;
  turn.go("stores the watermarks", isFirst ? last : STEP.clean, (next) =>
    next.set(world.watermark + content, 1),
  );
}

export function clean(turn: Turn): void {
  const { world, content } = turn;
  turn.go("deletes the segments", world.has("COMMIT 10 receipt") ? STEP.done : STEP.receipt, (next) =>
    next.set(world.segments + content, 0),
  );
}

/** COMMIT 5d: a run that a completed one supersedes can never be committed. */
export function putSuperseded(turn: Turn): void {
  const { world, content } = turn;
  turn.go("puts the receipt: superseded", STEP.cleanRefused, (next) => {
    if (turn.ofRun(world.receipt) === RECEIPT.none) next.set(world.receipt + content, RECEIPT.superseded);
  });
}

export function cleanRefused(turn: Turn): void {
  const { world, content } = turn;
  turn.go("deletes the segments, and refuses", STEP.refused, (next) => next.set(world.segments + content, 0));
}
