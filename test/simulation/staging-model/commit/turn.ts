import type { Emit } from "../search.js";
import type { State } from "../states.js";
import { STEP } from "./steps.js";
import type { World } from "./world.js";

/** Changes the next state. @returns what must not be, if it is done */
type Change = (next: State) => string | undefined;

/** The turn of one actor: its next step can be taken in one of a few ways. */
export class Turn {
  readonly world: World;
  readonly state: State;
  readonly actor: number;
  readonly batch: number;
  /** The staged run, or the content of a plain run's batch. */
  readonly content: number;
  readonly #emit: Emit;

  constructor(world: World, state: State, actor: number, emit: Emit) {
    this.world = world;
    this.state = state;
    this.actor = actor;
    this.batch = world.batchOf(state, actor);
    this.content = world.contentOf(this.batch);
    this.#emit = emit;
  }

  get step(): number {
    return this.of(this.world.step);
  }

  /** The actor's own cell. */
  of(cell: number): number {
    return this.state.get(cell + this.actor);
  }

  /** The cell of the actor's batch. */
  ofBatch(cell: number): number {
    return this.state.get(cell + this.batch);
  }

  /** The cell of the actor's run. */
  ofRun(cell: number): number {
    return this.state.get(cell + this.content);
  }

  /** Does something, and goes to a step. @returns true: the turn was taken */
  go(act: string, step: number, change?: (next: State) => void): true {
    return this.may(act, (next) => {
      next.set(this.world.step + this.actor, step);
      change?.(next);
      return undefined;
    });
  }

  may(act: string, change: Change): true {
    const next = this.state.copy();
    const violation = change(next);
    forget(this.world, next);
    this.#emit(this.world.nameOf(this.batch), act, next, violation);
    return true;
  }
}

/** Clears what nobody reads any more, so that states which differ only in it are one. */
export function forget(world: World, state: State): void {
  for (let batch = 0; batch < world.batches; batch += 1) {
    const owner = world.ownerOf(batch);
    const listens = world.batchOf(state, owner) === batch && state.get(world.step + owner) === STEP.wait;
    if (!listens) state.set(world.answer + batch, 0);
    const batchState = state.get(world.batchState + batch);
    if (batchState === 1) continue;
    state.set(world.batchJudged + batch, 0);
    if (state.get(world.windows + batch) !== 3 || batchState === 2) state.set(world.windows + batch, 0);
    if (!listens) state.set(world.underWay + batch, 0);
  }
  for (let actor = 0; actor < world.configuration.actors.length; actor += 1) {
    const step = state.get(world.step + actor);
    const keepsVerdict = step <= STEP.ledger || (step >= STEP.plainDraft && step <= STEP.plainFirst);
    if (!keepsVerdict)
      for (const cell of [world.judged, world.token, world.tokenCompleted]) state.set(cell + actor, 0);
    if (step >= STEP.watermarks || step === STEP.resumeMark || step === STEP.resumeDelete) {
      state.set(world.sequence + actor, 0);
      state.set(world.unclear + actor, 0);
    }
    if (step !== STEP.resumeMark && step !== STEP.resumeDelete) state.set(world.resumed + actor, 0);
  }
}
