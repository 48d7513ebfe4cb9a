/** What one run measured, by the names of the figures. */
export type Figures = Readonly<Record<string, number>>;

/** A figure as the table shows it. */
export interface Column {
  /** Its name in {@link Figures}. */
  readonly figure: string;
  /** What it is, with its unit. */
  readonly head: string;
  readonly digits: number;
  /** Whether the table also says how many times the figure of each candidate the subject's is. */
  readonly ratio: boolean;
}

/** Something that is measured against others, in a process of its own each time. */
export interface Candidate {
  readonly name: string;
  run(): Promise<Figures>;
}

/** What a figure has to reach. */
export interface Target {
  readonly figure: string;
  /** Candidate whose figure is the measure; left out, the figure is judged by itself. */
  readonly against?: string;
  /** Whether it is what the figure exceeds that of `against` by, not how many times it is. @default false */
  readonly added?: boolean;
  /** Candidate that has to reach it. @default the subject */
  readonly of?: string;
  readonly atLeast?: number;
  readonly atMost?: number;
}

/** The quick form and the full one; the full one alone; or neither, unless it is asked for by its whole name. */
export type Runs = "quick" | "full" | "named";

/** Candidates on the same task. */
export interface Comparison {
  /** `group/name`, to choose it by. */
  readonly id: string;
  /** What is done, with sizes. */
  readonly title: string;
  /** Which runs have it. */
  readonly runs: Runs;
  /** Name of the candidate that ratios are of. */
  readonly subject: string;
  readonly candidates: readonly Candidate[];
  readonly columns: readonly Column[];
  readonly targets: readonly Target[];
  /** Further rounds than the options say. @default 1, times the rounds */
  readonly roundsFactor?: number;
  /** Why candidates are missing, and what else the reader has to know. */
  readonly notes?: readonly string[];
}
