/** The service, and the network before it: the lock, the lease, and completions whose answers are lost or come late. */
import type { Emit } from "../search.js";
import type { State } from "../states.js";
import { ANSWER, BATCH, FATE, holdsBatch, STEP } from "./steps.js";
import { forget, type Turn } from "./turn.js";
import { ALL, type World } from "./world.js";

/** COMMIT 4, or the start of a plain run. A lost answer leaves a batch that nobody knows. */
export function startBatch(turn: Turn, after: number): void {
  const { world, actor, batch } = turn;
  if (turn.state.get(world.lock) !== 0) return;
  turn.go("starts its batch", after, (next) => start(world, next, batch, turn.of(world.judged)));
  const attempt = turn.of(world.attempt);
  if (turn.state.get(world.lostAnswers) === 0 || attempt + 1 >= world.configuration.attempts) return;
  turn.may("starts its batch, and the answer is lost", (next) => {
    start(world, next, batch, turn.of(world.judged));
    lose(next, world.lostAnswers);
    next.set(world.attempt + actor, attempt + 1);
    return undefined;
  });
}

function start(world: World, state: State, batch: number, judged: number): void {
  state.set(world.lock, batch + 1);
  state.set(world.batchState + batch, BATCH.active);
  state.set(world.batchJudged + batch, judged);
}

/** COMMIT 6: a window of the batch. */
export function sendWindow(turn: Turn, window: 1 | 2, after: number): void {
  const { world, batch } = turn;
  const isGone = !world.isPlain(turn.actor) && (turn.ofRun(world.segments) & window) === 0;
  if (isGone)
    turn.may(`misses segment ${window}`, (next) => {
      next.set(world.step + turn.actor, STEP.abort);
      return turn.ofRun(world.receipt) === 0 ? "segments of a commit under way are gone" : undefined;
    });
  else if (turn.ofBatch(world.batchState) !== BATCH.active)
    turn.go(`is refused window ${window}: its batch is over`, STEP.abort);
  else
    turn.go(`sends window ${window}`, after, (next) =>
      next.set(world.windows + batch, next.get(world.windows + batch) | window),
    );
}

/** COMMIT 8. */
export function sendComplete(turn: Turn): void {
  turn.go("sends CompleteSyncBatch", STEP.wait, (next) => {
    next.set(turn.world.underWay + turn.batch, 1);
    next.set(turn.world.answer + turn.batch, ANSWER.none);
  });
}

export function awaitCompletion(turn: Turn): void {
  const { world, actor } = turn;
  const answer = turn.ofBatch(world.answer);
  const confirmed = world.has("COMMIT 7 first") ? STEP.mark : STEP.savePending;
  if (answer === ANSWER.completed) turn.go("is told that its batch is completed", confirmed);
  if (answer === ANSWER.refused) turn.go("is refused the completion", STEP.abort);
  if (answer === ANSWER.lost)
    turn.go("gets no answer, and asks again", STEP.complete, (next) => next.set(world.unclear + actor, 1));
  if (answer === ANSWER.none && turn.state.get(world.lostAnswers) > 0)
    turn.go("gives up while the completion is under way", STEP.abort, (next) => {
      lose(next, world.lostAnswers);
      next.set(world.unclear + actor, 1);
    });
}

/** COMMIT 8: a refused abort of a completed batch is the proof that it is completed. */
export function abortBatch(turn: Turn): void {
  const { world, batch } = turn;
  const isProof = world.tells && turn.ofBatch(world.batchState) === BATCH.completed;
  turn.go("aborts its batch", isProof ? STEP.mark : STEP.drop, (next) => world.endBatch(next, batch));
}

/** What the network and the service do by themselves. */
export function serviceSteps(world: World, state: State, emit: Emit): void {
  for (let batch = 0; batch < world.batches; batch += 1)
    if (state.get(world.underWay + batch) !== 0) deliverCompletion(world, state, batch, emit);
  const batch = state.get(world.lock) - 1;
  if (batch < 0) return;
  const owner = world.ownerOf(batch);
  const isHeld = world.batchOf(state, owner) === batch && holdsBatch(state.get(world.step + owner));
  if (isHeld && state.get(world.pauses) === 0) return;
  const next = state.copy();
  world.endBatch(next, batch);
  if (isHeld) lose(next, world.pauses);
  forget(world, next);
  if (isHeld)
    emit(world.nameOf(batch), "is paused, and its lease ends (or a journal aborts its batch)", next);
  else emit(world.nameOf(batch), "is gone, and its lease ends (or a journal aborts its batch)", next);
}

function deliverCompletion(world: World, state: State, batch: number, emit: Emit): void {
  const before = state.get(world.batchState + batch);
  const isKnown = before === BATCH.active || (world.tells && before === BATCH.completed);
  for (const fate of FATES) {
    const isLost = fate !== "answered";
    if (isLost && state.get(world.lostAnswers) === 0) continue;
    const next = state.copy();
    const owner = world.ownerOf(batch);
    const listens = world.batchOf(next, owner) === batch && next.get(world.step + owner) === STEP.wait;
    next.set(world.underWay + batch, 0);
    if (isLost) lose(next, world.lostAnswers);
    if (listens)
      next.set(world.answer + batch, isLost ? ANSWER.lost : isKnown ? ANSWER.completed : ANSWER.refused);
    const takesEffect = before === BATCH.active && fate !== "lost";
    const violation = takesEffect ? completeBatch(world, next, batch) : undefined;
    forget(world, next);
    emit(world.nameOf(batch), DELIVERY[fate], next, violation);
  }
}

const FATES = ["answered", "unanswered", "lost"] as const;
const DELIVERY = {
  answered: ": the service gets the completion",
  unanswered: ": the service gets the completion, and the answer is lost",
  lost: ": the completion is lost on the way",
} as const;

/** The promises, at the moment in which a completion takes effect. */
function completeBatch(world: World, state: State, batch: number): string | undefined {
  const content = world.contentOf(batch);
  const isStaged = content <= world.runs;
  const last = state.get(world.last);
  const newer = isStaged ? state.get(world.everCompleted) & ~world.olderThan(content) : 0;
  const again = isStaged && state.get(world.completions + content) > 0;
  const judged = state.get(world.batchJudged + batch);
  state.set(world.batchState + batch, BATCH.completed);
  state.set(world.lock, 0);
  state.set(world.last, content);
  state.set(world.everCompleted, state.get(world.everCompleted) | (1 << content));
  if (isStaged) state.set(world.completions + content, 1);
  if (state.get(world.windows + batch) !== ALL) return "a batch was completed that lacks records";
  if (newer !== 0) return "a run was completed after one that was read later or at the same time";
  if (last !== content && (judged & (1 << last)) === 0)
    return "a run was judged against another baseline than the service's last snapshot";
  if (again && last !== content) return "a run was completed again after another one";
  // A service that tells nothing leaves no other way.
  if (again && world.tells) return "a run was completed twice";
  if (isStaged && state.get(world.fate + content) === FATE.discard && world.has("COMMIT 3 fate"))
    return "a discarded run was completed";
  return undefined;
}

function lose(state: State, budget: number): void {
  state.set(budget, state.get(budget) - 1);
}
