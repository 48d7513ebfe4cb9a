/** Committers of staged runs, plain runs, the service, the ledger and a discard: all that COMMIT is about. */
import type { Model } from "../search.js";
import { violationOf, violationOfEnd } from "./checks.js";
import type { Configuration } from "./configuration.js";
import { discardSteps } from "./discard.js";
import { deleteOlder, dropPending, putMarker, savePending } from "./ledger.js";
import { plainDraft, plainJudge, plainStart } from "./plain.js";
import {
  abortBatch,
  awaitCompletion,
  sendComplete,
  sendWindow,
  serviceSteps,
  startBatch,
} from "./service.js";
import {
  claim,
  clean,
  cleanRefused,
  firstAfterPromotion,
  judge,
  putReceipt,
  putSuperseded,
  readReceipt,
  readReceiptUnderLock,
  readToken,
  storeWatermarks,
} from "./staged.js";
import { isEnd, nameOf, STEP, type Step } from "./steps.js";
import { Turn } from "./turn.js";
import { readLedgerUnderLock } from "./under-lock.js";
import { World } from "./world.js";

type Act = (turn: Turn) => void;

const ACTS: Readonly<Record<Exclude<Step, "done" | "refused" | "gaveUp">, Act>> = {
  readReceipt,
  readToken,
  judge,
  claim,
  start: (turn) => startBatch(turn, STEP.locked),
  plainStart,
  locked: readReceiptUnderLock,
  ledger: readLedgerUnderLock,
  sendFirst: (turn) => sendWindow(turn, 1, STEP.sendSecond),
  sendSecond: (turn) =>
    sendWindow(turn, 2, turn.world.has("COMMIT 7 first") ? STEP.savePending : STEP.complete),
  plainDraft,
  plainFirst: (turn) => sendWindow(turn, 1, STEP.plainJudge),
  plainJudge,
  plainSecond: (turn) => sendWindow(turn, 2, STEP.savePending),
  savePending,
  complete: sendComplete,
  wait: awaitCompletion,
  abort: abortBatch,
  drop: dropPending,
  resumeMark: (turn) => {
    const batch = turn.of(turn.world.resumed);
    putMarker(turn, batch, turn.state.get(turn.world.pending + batch), STEP.resumeDelete);
  },
  resumeDelete: (turn) => deleteOlder(turn, firstAfterPromotion(turn.world)),
  mark: (turn) => putMarker(turn, turn.batch, turn.of(turn.world.sequence), STEP.deleteOlder),
  deleteOlder: (turn) =>
    deleteOlder(turn, turn.world.isPlain(turn.actor) ? STEP.done : firstAfterPromotion(turn.world)),
  watermarks: storeWatermarks,
  receipt: putReceipt,
  clean,
  superseded: putSuperseded,
  cleanRefused,
};

const BY_STEP: readonly (Act | undefined)[] = Object.keys(STEP).map(
  (name) => Object.entries(ACTS).find(([act]) => act === name)?.[1],
);

export function commitModel(configuration: Configuration): Model {
  const world = new World(configuration);
  return {
    initial: world.initial(),
    next: (state, emit) => {
      for (let actor = 0; actor < configuration.actors.length; actor += 1) {
        const turn = new Turn(world, state, actor, emit);
        crash(turn);
        BY_STEP[turn.step]?.(turn);
      }
      serviceSteps(world, state, emit);
      discardSteps(world, state, emit);
    },
    violationOf: (state) => violationOf(world, state),
    violationOfEnd: (state) => violationOfEnd(world, state),
  };
}

/** The process of an actor is killed, and perhaps started again. */
function crash(turn: Turn): void {
  const { world, actor, step } = turn;
  const left = turn.state.get(world.crashes);
  if (isEnd(step) || left === 0) return;
  turn.may(`is killed at ${nameOf(step)}`, (next) => {
    next.set(world.crashes, left - 1);
    world.nextAttempt(next, actor, world.firstStep(actor));
    return undefined;
  });
}
