import { resolve } from "node:path";
import { parseArgs } from "node:util";

/** The options of the command line. */
export interface Options {
  /** Smaller sizes and fewer comparisons, which take less than two minutes. */
  readonly quick: boolean;
  readonly rounds: number;
  /** Multiplies the numbers of records and pages. */
  readonly size: number;
  /** Whole or partial names of the comparisons to run; empty for all quick or all full ones. */
  readonly only: readonly string[];
  /** The `dist` folder of another build of the package, to compare with. */
  readonly against: string | undefined;
  /** Whether to only list the comparisons. */
  readonly list: boolean;
}

/** @throws an option is unknown or not a positive number */
export function parseOptions(args: readonly string[]): Options {
  const { values, positionals } = parseArgs({
    args: [...args],
    options: {
      quick: { type: "boolean", default: false },
      rounds: { type: "string" },
      size: { type: "string" },
      against: { type: "string" },
      list: { type: "boolean", default: false },
    },
    allowPositionals: true,
  });
  const { quick, list } = values;
  return {
    quick,
    list,
    against: values.against === undefined ? undefined : resolve(values.against),
    rounds: Math.ceil(positive("--rounds", values.rounds ?? (quick ? "2" : "5"))),
    size: positive("--size", values.size ?? (quick ? "0.1" : "1")),
    only: positionals,
  };
}

function positive(name: string, value: string): number {
  const number = Number(value);
  if (number > 0 && Number.isFinite(number)) return number;
  throw new Error(`${name} must be a number above 0.`);
}
