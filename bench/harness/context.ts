import type { Comparison } from "./comparison.js";
import type { Options } from "./options.js";
import type { Servers } from "./processes.js";

/** What a group of comparisons needs. */
export interface Context extends Options {
  readonly servers: Servers;
}

/** Makes the comparisons of a group, without starting anything yet. */
export type ComparisonsOf = (context: Context) => readonly Comparison[];
