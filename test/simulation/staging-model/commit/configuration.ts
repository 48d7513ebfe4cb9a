import type { Rule } from "./rules.js";

/** Who commits: a committer of a staged run, or a plain run, which reads its source under its own batch. */
export type Actor = { readonly staged: number } | "plain";

export interface Configuration {
  readonly actors: readonly Actor[];
  /** The runs that staged run n found when it was opened: those are older. The first element is of run 1. */
  readonly after: readonly (readonly number[])[];
  /** How often an actor may start a batch. */
  readonly attempts: number;
  readonly crashes: number;
  readonly lostAnswers: number;
  /** How often a live actor is taken for dead: its lease ends, or another process aborts its batch. */
  readonly pauses: number;
  readonly fullDisks?: number;
  /** A run that somebody discards meanwhile. */
  readonly discard?: number;
  /** Whether the service says that a batch is completed if it is asked again or to abort it. @default true */
  readonly tells?: boolean;
  readonly without?: readonly Rule[];
}
