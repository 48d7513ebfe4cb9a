/** What one run measured, by figure name. */
export type Figures = Readonly<Record<string, number>>;

/** A figure as the table shows it. */
export interface Column {
  /** The figure's name in {@link Figures}. */
  readonly figure: string;
  /** Heading of its column, with the unit. */
  readonly head: string;
  readonly digits: number;
  /** Whether the table also shows the subject's figure divided by each candidate's. */
  readonly ratio: boolean;
}

/** Something that is compared with others; each measurement runs in a new process. */
export interface Candidate {
  readonly name: string;
  run(): Promise<Figures>;
}

/** The value that a figure should reach. */
export interface Target {
  readonly figure: string;
  /** Candidate to compare with; if omitted, the figure itself is checked. */
  readonly against?: string;
  /** Whether to check the difference from `against` instead of the ratio. @default false */
  readonly added?: boolean;
  /** Candidate that has to reach the target. @default the subject */
  readonly of?: string;
  readonly atLeast?: number;
  readonly atMost?: number;
}

/** `quick` comparisons always run, `full` ones only without `--quick`, `named` ones only by their whole name. */
export type Runs = "quick" | "full" | "named";

/** Candidates that do the same task. */
export interface Comparison {
  /** `group/name`, to select the comparison on the command line. */
  readonly id: string;
  /** The task, with its sizes. */
  readonly title: string;
  /** When the comparison runs. */
  readonly runs: Runs;
  /** Name of the candidate to compare with each of the others. */
  readonly subject: string;
  readonly candidates: readonly Candidate[];
  readonly columns: readonly Column[];
  readonly targets: readonly Target[];
  /** Multiplies the number of rounds. @default 1 */
  readonly roundsFactor?: number;
  /** Why candidates are missing, and other notes for readers. */
  readonly notes?: readonly string[];
}
