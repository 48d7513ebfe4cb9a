/** What one run measured, by the names of the figures. */
export type Figures = Readonly<Record<string, number>>;

/** A figure as the table shows it. */
export interface Column {
  /** Its name in {@link Figures}. */
  readonly figure: string;
  /** What it is, with its unit. */
  readonly head: string;
  readonly digits: number;
  /** Whether the table also has the ratio of the subject's figure to each candidate's. */
  readonly ratio: boolean;
}

/** Something that is measured against others, in a new process each time. */
export interface Candidate {
  readonly name: string;
  run(): Promise<Figures>;
}

/** The target of a figure. */
export interface Target {
  readonly figure: string;
  /** Candidate whose figure is the yardstick; if omitted, the figure is judged by itself. */
  readonly against?: string;
  /** Whether to use the difference to `against` instead of the ratio. @default false */
  readonly added?: boolean;
  /** Candidate that has to reach it. @default the subject */
  readonly of?: string;
  readonly atLeast?: number;
  readonly atMost?: number;
}

/** In the quick and the full form, only in the full one, or in neither unless requested by its whole name. */
export type Runs = "quick" | "full" | "named";

/** Candidates on the same task. */
export interface Comparison {
  /** `group/name`, which selects it on the command line. */
  readonly id: string;
  /** What is done, with sizes. */
  readonly title: string;
  /** The runs that include it. */
  readonly runs: Runs;
  /** Name of the candidate that ratios are of. */
  readonly subject: string;
  readonly candidates: readonly Candidate[];
  readonly columns: readonly Column[];
  readonly targets: readonly Target[];
  /** More rounds than the options say. @default 1, times the rounds */
  readonly roundsFactor?: number;
  /** Why candidates are missing, and what else readers should know. */
  readonly notes?: readonly string[];
}
