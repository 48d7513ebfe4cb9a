import type { Emit } from "../search.js";
import { Layout, type State } from "../states.js";

/** The rules of OPEN, EXTRACT and DISCARD that can be taken away, and what is done without each. */
export const EXTRACT_RULES = {
  "OPEN 1 number": "a discarded plan is deleted, and the next one of its key has the same keys",
  "OPEN 2 equal": "a plan of another version is used",
  "EXTRACT whole": "what a source gave before it was cut off is sealed",
  "EXTRACT atomic": "a segment is there while it is written",
  "EXTRACT token": "a taken key means that another worker was first",
  "EXTRACT fate": "a partition of a discarded or committed plan is extracted",
  "EXTRACT replace": "a later segment replaces an earlier one",
  "COMMIT 6 hash": "segments are not hashed again when they are sent",
  "DISCARD receipt": "a sweep of a committed run deletes its plan, fate and receipt",
} as const;

export type ExtractRule = keyof typeof EXTRACT_RULES;

export interface ExtractConfiguration {
  /** The version of each scheduler's connector. */
  readonly versions: readonly [number, number];
  readonly crashes: number;
  readonly lostAnswers: number;
  readonly fullDisks: number;
  /** How often a source ends too early. */
  readonly cuts: number;
  /** How often a sealed segment changes on the disk. */
  readonly rots: number;
  readonly discards: number;
  readonly without?: readonly ExtractRule[];
}

/** Two plans are enough: one is discarded or committed, the other one opened after it. */
export const PLANS = [1, 2] as const;
export const BOTH = [0, 1] as const;
/** Pieces of a whole segment. */
export const WHOLE = 2;

export const SCHEDULER = { opening: 0, opened: 1, refused: 2 } as const;
export const WORKER = { idle: 0, reading: 1, late: 2, sealed: 3 } as const;
export const COMMITTER = { idle: 0, judged: 1, claimed: 2, receipt: 3, done: 4 } as const;
export const FATE = { none: 0, commit: 1, discard: 2 } as const;

/**
 * One partition of one run key: two schedulers that open it, two workers that extract it, a committer, and somebody who
 * discards or sweeps it. Plan 0 means none.
 */
export class ExtractWorld {
  readonly #layout = new Layout();
  readonly configuration: ExtractConfiguration;
  readonly #without: ReadonlySet<ExtractRule>;
  // By plan: its version, whether it was discarded by deleting it, and what lies below its id.
  readonly version = this.#layout.cells(3);
  readonly fate = this.#layout.cells(3);
  readonly receipt = this.#layout.cells(3);
  readonly pieces = this.#layout.cells(3);
  readonly readFor = this.#layout.cells(3);
  readonly readBy = this.#layout.cells(3);
  readonly readVersion = this.#layout.cells(3);
  readonly rotten = this.#layout.cells(3);
  // How many plans this key had; it tells apart plans that share their keys.
  readonly opened = this.#layout.cells();
  readonly instance = this.#layout.cells(3);
  readonly scheduler = this.#layout.cells(2);
  readonly worker = this.#layout.cells(2);
  readonly workerPlan = this.#layout.cells(2);
  readonly workerInstance = this.#layout.cells(2);
  readonly workerVersion = this.#layout.cells(2);
  readonly workerPieces = this.#layout.cells(2);
  readonly workerCut = this.#layout.cells(2);
  readonly committer = this.#layout.cells();
  readonly committerPlan = this.#layout.cells();
  readonly judged = this.#layout.cells();
  readonly completions = this.#layout.cells();
  // What may still happen.
  readonly crashes = this.#layout.cells();
  readonly lostAnswers = this.#layout.cells();
  readonly fullDisks = this.#layout.cells();
  readonly cuts = this.#layout.cells();
  readonly rots = this.#layout.cells();
  readonly discards = this.#layout.cells();

  constructor(configuration: ExtractConfiguration) {
    this.configuration = configuration;
    this.#without = new Set(configuration.without ?? []);
  }

  initial(): State {
    const state = this.#layout.empty();
    const { crashes, lostAnswers, fullDisks, cuts, rots, discards } = this.configuration;
    state.set(this.crashes, crashes);
    state.set(this.lostAnswers, lostAnswers);
    state.set(this.fullDisks, fullDisks);
    state.set(this.cuts, cuts);
    state.set(this.rots, rots);
    state.set(this.discards, discards);
    return state;
  }

  has(rule: ExtractRule): boolean {
    return !this.#without.has(rule);
  }

  /** OPEN 1: the first plan whose fate is not discard. */
  currentPlan(state: State): number {
    return PLANS.find((plan) => state.get(this.fate + plan) !== FATE.discard) ?? 0;
  }

  /** The digest of what lies at the key of the segment. */
  digestOf(state: State, plan: number): number {
    const parts = [this.pieces, this.readFor, this.readBy, this.rotten].map((cell) => state.get(cell + plan));
    return parts.reduce((digest, part) => digest * 3 + part, 1);
  }
}

/** Does something to a copy of the state. @param change Returns the text of a violation, if it is one. */
export function may(
  state: State,
  emit: Emit,
  who: string,
  act: string,
  change: (next: State) => unknown,
): void {
  const next = state.copy();
  const violation = change(next);
  emit(who, act, next, typeof violation === "string" ? violation : undefined);
}
