import { Layout, type State } from "../states.js";
import type { Configuration } from "./configuration.js";
import type { Rule } from "./rules.js";
import { BATCH, STEP } from "./steps.js";

/** Both windows of a run are accepted, or both of its segments are there. */
export const ALL = 3;

/**
 * The cells of a state, and what follows from the configuration. Staged runs have the numbers 1 to `runs`; what a plain
 * run sends is another content in each batch, because each reads anew. Content 0 is the baseline before them all.
 */
export class World {
  readonly #layout = new Layout();
  readonly configuration: Configuration;
  readonly #without: ReadonlySet<Rule>;
  readonly runs: number;
  readonly batches: number;
  readonly tells: boolean;
  readonly #contents: readonly number[];
  readonly #older: readonly number[];
  readonly #names: readonly string[];

  // The service: who has the lock (batch + 1), the last content, all completed ones, and completions of each run.
  readonly lock = this.#layout.cells();
  readonly last = this.#layout.cells();
  readonly everCompleted = this.#layout.cells();
  readonly completions: number;
  readonly batchState: number;
  readonly windows: number;
  readonly underWay: number;
  readonly answer: number;
  // The ledger: the highest marker (batch + 1), and the sequence of each batch's pending.
  readonly completedBatch = this.#layout.cells();
  readonly completedSequence = this.#layout.cells();
  readonly pending: number;
  // The staging store.
  readonly segments: number;
  readonly fate: number;
  readonly receipt: number;
  readonly watermark: number;
  // The actors; `judged` is a set of contents, `token` one of batches.
  readonly step: number;
  readonly attempt: number;
  readonly judged: number;
  readonly batchJudged: number;
  readonly token: number;
  readonly tokenCompleted: number;
  readonly sequence: number;
  readonly unclear: number;
  readonly resumed: number;
  readonly discarding = this.#layout.cells();
  // What may still go wrong.
  readonly crashes = this.#layout.cells();
  readonly lostAnswers = this.#layout.cells();
  readonly pauses = this.#layout.cells();
  readonly fullDisks = this.#layout.cells();

  constructor(configuration: Configuration) {
    const { actors, attempts, after, tells = true, without = [] } = configuration;
    this.configuration = configuration;
    this.tells = tells;
    this.#without = new Set(without);
    this.runs = after.length;
    this.batches = actors.length * attempts;
    let contents = this.runs;
    this.#contents = actors.flatMap((actor) =>
      Array.from({ length: attempts }, () => {
        if (actor !== "plain") return actor.staged;
        contents += 1;
        return contents;
      }),
    );
    this.#older = after.map((older, index) => older.reduce((set, run) => set | (1 << run), 1 | (2 << index)));
    this.#names = this.#contents.map((content, batch) => {
      const run = content > this.runs ? "plain run" : `run ${content}`;
      return `${"ABCDE"[this.ownerOf(batch)] ?? "?"} (${run}, batch ${batch + 1})`;
    });
    const { batches } = this;
    const cells = (count: number) => this.#layout.cells(count);
    [this.completions, this.segments, this.fate] = [
      cells(this.runs + 1),
      cells(this.runs + 1),
      cells(this.runs + 1),
    ];
    [this.receipt, this.watermark] = [cells(this.runs + 1), cells(this.runs + 1)];
    [this.batchState, this.windows, this.underWay] = [cells(batches), cells(batches), cells(batches)];
    [this.answer, this.pending, this.batchJudged] = [cells(batches), cells(batches), cells(batches)];
    const own = () => cells(actors.length);
    [this.step, this.attempt, this.judged] = [own(), own(), own()];
    [this.token, this.tokenCompleted] = [own(), own()];
    [this.sequence, this.unclear, this.resumed] = [own(), own(), own()];
  }

  initial(): State {
    const state = this.#layout.empty();
    const { actors, crashes, lostAnswers, pauses, fullDisks = 0, discard = 0 } = this.configuration;
    for (let run = 1; run <= this.runs; run += 1) state.set(this.segments + run, ALL);
    for (const [actor, kind] of actors.entries())
      state.set(this.step + actor, kind === "plain" ? STEP.plainStart : STEP.readReceipt);
    state.set(this.crashes, crashes);
    state.set(this.lostAnswers, lostAnswers);
    state.set(this.pauses, pauses);
    state.set(this.fullDisks, fullDisks);
    state.set(this.discarding, discard === 0 ? 0 : 1);
    return state;
  }

  has(rule: Rule): boolean {
    return !this.#without.has(rule);
  }

  isPlain(actor: number): boolean {
    return this.configuration.actors[actor] === "plain";
  }

  ownerOf(batch: number): number {
    return Math.floor(batch / this.configuration.attempts);
  }

  contentOf(batch: number): number {
    return this.#contents[batch] ?? 0;
  }

  nameOf(batch: number): string {
    return this.#names[batch] ?? "?";
  }

  /** The content that the ledger has as completed. */
  completedContent(state: State): number {
    const batch = state.get(this.completedBatch);
    return batch === 0 ? 0 : this.contentOf(batch - 1);
  }

  batchOf(state: State, actor: number): number {
    return actor * this.configuration.attempts + state.get(this.attempt + actor);
  }

  /** The contents that a staged run may follow: its own, the baseline, and those of its plan's `after`. */
  olderThan(run: number): number {
    return this.#older[run - 1] ?? 0;
  }

  isUntouched(state: State): boolean {
    const { crashes, lostAnswers, pauses, fullDisks = 0 } = this.configuration;
    const left = [this.crashes, this.lostAnswers, this.pauses, this.fullDisks].map((cell) => state.get(cell));
    return left.join() === [crashes, lostAnswers, pauses, fullDisks].join();
  }

  /** The batch takes nothing more; its lock is free. */
  endBatch(state: State, batch: number): void {
    if (state.get(this.batchState + batch) !== BATCH.active) return;
    state.set(this.batchState + batch, BATCH.ended);
    if (state.get(this.lock) === batch + 1) state.set(this.lock, 0);
  }

  /** An attempt is over; the next one begins at `step`, if there is one. */
  nextAttempt(state: State, actor: number, step: number): void {
    for (const cell of [this.judged, this.token, this.tokenCompleted, this.sequence, this.unclear])
      state.set(cell + actor, 0);
    const attempt = state.get(this.attempt + actor) + 1;
    const isLast = attempt >= this.configuration.attempts;
    if (!isLast) state.set(this.attempt + actor, attempt);
    state.set(this.step + actor, isLast ? STEP.gaveUp : step);
  }

  firstStep(actor: number): number {
    return this.isPlain(actor) ? STEP.plainStart : STEP.readReceipt;
  }
}
