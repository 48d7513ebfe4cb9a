/** DISCARD or SWEEP of one run, while it may be committed. */
import type { Emit } from "../search.js";
import type { State } from "../states.js";
import { FATE, RECEIPT } from "./steps.js";
import type { World } from "./world.js";

/** Steps of the discarder: it has not begun, deletes segment 1, deletes segment 2, has ended. */
const BEGIN = 1;
const FIRST = 2;
const SECOND = 3;
const END = 0;

export function discardSteps(world: World, state: State, emit: Emit): void {
  switch (state.get(world.discarding)) {
    case BEGIN:
      begin(world, state, emit);
      break;
    case FIRST:
      go(world, state, emit, "deletes segment 1", SECOND, 1);
      break;
    case SECOND:
      go(world, state, emit, "deletes segment 2", END, 2);
      break;
    default:
  }
}

function begin(world: World, state: State, emit: Emit): void {
  const run = world.configuration.discard ?? 0;
  const fate = state.get(world.fate + run);
  if (!world.has("COMMIT 3 fate")) go(world, state, emit, "begins", FIRST);
  else if (state.get(world.receipt + run) !== RECEIPT.none)
    go(world, state, emit, "finds the receipt, and deletes what is left", FIRST);
  else if (fate === FATE.commit) go(world, state, emit, "is refused: a commit has begun", END);
  else go(world, state, emit, "claims the fate discard", FIRST, 0, FATE.discard);
}

function go(world: World, state: State, emit: Emit, act: string, step: number, segment = 0, fate = 0): void {
  const run = world.configuration.discard ?? 0;
  const next = state.copy();
  next.set(world.discarding, step);
  next.set(world.segments + run, next.get(world.segments + run) & ~segment);
  if (fate !== 0) next.set(world.fate + run, fate);
  emit("a discard", act, next);
}
