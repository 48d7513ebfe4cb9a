import { resolve } from "node:path";
import { parseArgs } from "node:util";

/** The options of the command line. */
export interface Options {
  /** Smaller sizes, fewer comparisons: under two minutes. */
  readonly quick: boolean;
  readonly rounds: number;
  /** Factor on the numbers of records and pages. */
  readonly size: number;
  /** Whole or partial names of the comparisons to run; empty for all of the form. */
  readonly only: readonly string[];
  /** Folder with the files of another build of the package, its `dist`, to compare with. */
  readonly against: string | undefined;
  /** Only list the comparisons. */
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
