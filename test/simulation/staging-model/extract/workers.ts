/** OPEN and EXTRACT. */
import type { Emit } from "../search.js";
import type { State } from "../states.js";
import { BOTH, type ExtractWorld, FATE, may, SCHEDULER, WHOLE, WORKER } from "./world.js";

export function schedulerSteps(world: ExtractWorld, state: State, emit: Emit): void {
  for (const scheduler of BOTH) {
    if (state.get(world.scheduler + scheduler) !== SCHEDULER.opening) continue;
    const version = world.configuration.versions[scheduler];
    const who = `scheduler ${scheduler + 1}`;
    const plan = world.currentPlan(state);
    if (plan === 0) continue;
    const found = state.get(world.version + plan);
    if (found !== 0) {
      const isEqual = found === version || !world.has("OPEN 2 equal");
      may(
        state,
        emit,
        who,
        isEqual ? `finds plan ${plan}` : "is refused: the plan has another version",
        (next) => next.set(world.scheduler + scheduler, isEqual ? SCHEDULER.opened : SCHEDULER.refused),
      );
      continue;
    }
    may(state, emit, who, `puts plan ${plan}`, (next) => {
      put(world, next, plan, version);
      next.set(world.scheduler + scheduler, SCHEDULER.opened);
    });
    if (state.get(world.lostAnswers) > 0)
      may(state, emit, who, `puts plan ${plan}, the answer is lost, and it opens again`, (next) => {
        spend(next, world.lostAnswers);
        put(world, next, plan, version);
      });
  }
}

function put(world: ExtractWorld, state: State, plan: number, version: number): void {
  state.set(world.version + plan, version);
  state.set(world.opened, state.get(world.opened) + 1);
  state.set(world.instance + plan, state.get(world.opened));
}

export function workerSteps(world: ExtractWorld, state: State, emit: Emit): void {
  for (const worker of BOTH) {
    const step = state.get(world.worker + worker);
    const who = `worker ${worker + 1}`;
    if (step === WORKER.idle) begin(world, state, emit, worker, who);
    if (step !== WORKER.reading) continue;
    const pieces = state.get(world.workerPieces + worker);
    if (state.get(world.workerCut + worker) === 0 && pieces < WHOLE) read(world, state, emit, worker, who);
    else seal(world, state, emit, worker, who);
    if (state.get(world.crashes) > 0)
      may(state, emit, who, "is killed, and begins again", (next) => {
        spend(next, world.crashes);
        stop(world, next, worker, WORKER.idle);
      });
  }
}

function begin(world: ExtractWorld, state: State, emit: Emit, worker: number, who: string): void {
  const plan = world.currentPlan(state);
  if (plan === 0 || state.get(world.version + plan) === 0) return;
  const isOver = state.get(world.fate + plan) !== FATE.none || state.get(world.receipt + plan) !== 0;
  if (isOver && world.has("EXTRACT fate")) return;
  // A worker has the connector of the scheduler that has started it.
  if (state.get(world.scheduler + worker) !== SCHEDULER.opened) return;
  may(state, emit, who, `begins to extract for plan ${plan}`, (next) => {
    next.set(world.worker + worker, WORKER.reading);
    next.set(world.workerPlan + worker, plan);
    next.set(world.workerInstance + worker, state.get(world.instance + plan));
    next.set(world.workerVersion + worker, world.configuration.versions[worker === 0 ? 0 : 1]);
  });
}

function read(world: ExtractWorld, state: State, emit: Emit, worker: number, who: string): void {
  const pieces = state.get(world.workerPieces + worker) + 1;
  may(state, emit, who, `reads piece ${pieces}`, (next) => {
    next.set(world.workerPieces + worker, pieces);
    if (!world.has("EXTRACT atomic")) publish(world, next, worker);
  });
  if (state.get(world.cuts) > 0)
    may(state, emit, who, "has its source cut off", (next) => {
      spend(next, world.cuts);
      next.set(world.workerCut + worker, 1);
    });
}

/** EXTRACT: the segment is the seal. */
function seal(world: ExtractWorld, state: State, emit: Emit, worker: number, who: string): void {
  if (state.get(world.workerCut + worker) === 1 && world.has("EXTRACT whole")) {
    may(state, emit, who, "drops what it has read: the source did not end by itself", (next) =>
      stop(world, next, worker, WORKER.idle),
    );
    return;
  }
  const plan = state.get(world.workerPlan + worker);
  const isTaken = state.get(world.pieces + plan) !== 0;
  const isOwn =
    state.get(world.readBy + plan) === worker + 1 &&
    state.get(world.readFor + plan) === state.get(world.workerInstance + worker);
  if (isTaken && world.has("EXTRACT replace") && world.has("EXTRACT atomic")) {
    const isSuccess = isOwn && world.has("EXTRACT token");
    may(
      state,
      emit,
      who,
      isSuccess ? "finds its own segment: sealed" : "is late, and drops its segment",
      (next) => {
        stop(world, next, worker, isSuccess ? WORKER.sealed : WORKER.late);
        return isOwn && !isSuccess
          ? "a worker is told that it was late, and its segment is the sealed one"
          : undefined;
      },
    );
    return;
  }
  may(state, emit, who, "puts its segment", (next) => {
    publish(world, next, worker);
    stop(world, next, worker, WORKER.sealed);
  });
  if (state.get(world.lostAnswers) > 0)
    may(state, emit, who, "puts its segment, and the answer is lost", (next) => {
      spend(next, world.lostAnswers);
      publish(world, next, worker);
    });
  if (state.get(world.fullDisks) > 0)
    may(state, emit, who, "finds the disk full", (next) => {
      spend(next, world.fullDisks);
      stop(world, next, worker, WORKER.idle);
    });
}

function publish(world: ExtractWorld, state: State, worker: number): void {
  const plan = state.get(world.workerPlan + worker);
  state.set(world.pieces + plan, state.get(world.workerPieces + worker));
  state.set(world.readFor + plan, state.get(world.workerInstance + worker));
  state.set(world.readBy + plan, worker + 1);
  state.set(world.readVersion + plan, state.get(world.workerVersion + worker));
}

function stop(world: ExtractWorld, state: State, worker: number, step: number): void {
  state.set(world.worker + worker, step);
  for (const cell of [world.workerPlan, world.workerInstance, world.workerVersion])
    state.set(cell + worker, 0);
  for (const cell of [world.workerPieces, world.workerCut]) state.set(cell + worker, 0);
}

export function spend(state: State, budget: number): void {
  state.set(budget, state.get(budget) - 1);
}
