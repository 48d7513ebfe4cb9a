import type { Comparison } from "./comparison.js";
import type { Options } from "./options.js";
import type { Servers } from "./processes.js";

/** What a group needs to make its comparisons. */
export interface Context extends Options {
  readonly servers: Servers;
}

/** Makes the comparisons of a group. Nothing is started before the first of them runs. */
export type ComparisonsOf = (context: Context) => readonly Comparison[];
