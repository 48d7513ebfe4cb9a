import { type State, StateSet } from "./states.js";

/**
 * Receives what may happen next: who does what, and the state after it; with a violation, the state may be missing.
 * The state must not be changed afterwards.
 */
export type Emit = (
  actor: string,
  act: string,
  next: State | undefined,
  violation?: string | undefined,
) => void;

/** A protocol and its surroundings, as far as the promises depend on them. */
export interface Model {
  readonly initial: State;
  next(state: State, emit: Emit): void;
  /** @returns what must not be, if the state is it */
  violationOf?(state: State): string | undefined;
  /** As {@link violationOf}, of a state after which nothing happens. */
  violationOfEnd?(state: State): string | undefined;
}

interface Violation {
  readonly what: string;
  /** The shortest way to it. */
  readonly trace: readonly string[];
}

export interface SearchResult {
  readonly states: number;
  readonly transitions: number;
  readonly violations: readonly Violation[];
  /** Whether every state that can be reached was seen. */
  readonly isWhole: boolean;
}

interface SearchOptions {
  readonly maxStates?: number;
  /** Ends after so many different violations. */
  readonly maxViolations?: number;
}

/** Visits all states breadth first, so that a trace is a shortest one. */
export function search(
  model: Model,
  { maxStates = 12_000_000, maxViolations = 1 }: SearchOptions = {},
): SearchResult {
  const seen = new StateSet(model.initial);
  const found = new Map<string, readonly string[]>();
  let transitions = 0;
  let at = 0;
  for (; at < seen.size && seen.size <= maxStates && found.size < maxViolations; at += 1) {
    const state = seen.at(at);
    let successors = 0;
    model.next(state, (actor, act, next, violation) => {
      successors += 1;
      const broken = violation ?? (next && model.violationOf?.(next));
      if (broken === undefined) return void (next && seen.add(next, at));
      if (!found.has(broken)) found.set(broken, traceTo(model, seen, at, `${actor} ${act}`));
    });
    transitions += successors;
    const stuck = successors === 0 ? model.violationOfEnd?.(state) : undefined;
    if (stuck !== undefined && !found.has(stuck)) found.set(stuck, traceTo(model, seen, at));
  }
  const violations = [...found].map(([what, trace]) => ({ what, trace }));
  return { states: seen.size, transitions, violations, isWhole: at === seen.size };
}

function traceTo(model: Model, seen: StateSet, end: number, last?: string): readonly string[] {
  const trace = last === undefined ? [] : [last];
  for (let at = end; seen.parentOf(at) >= 0; at = seen.parentOf(at)) {
    const wanted = seen.at(at);
    let step = "";
    model.next(seen.at(seen.parentOf(at)), (actor, act, next) => {
      if (step === "" && next?.equals(wanted)) step = `${actor} ${act}`;
    });
    trace.unshift(step);
  }
  return trace;
}
