import type { Comparison, Figures } from "./comparison.js";
import { type Spread, spread } from "./spread.js";

/** The figures of all candidates in one round, by their names. */
export type Round = ReadonlyMap<string, Figures>;

/** What a comparison found. */
export class Measured {
  readonly comparison: Comparison;
  readonly rounds: readonly Round[];

  constructor(comparison: Comparison, rounds: readonly Round[]) {
    this.comparison = comparison;
    this.rounds = rounds;
  }

  /** A figure of a candidate over all rounds. */
  figure(candidate: string, figure: string): Spread {
    return spread(this.values(candidate, figure));
  }

  /** A figure of a candidate in each round. */
  values(candidate: string, figure: string): number[] {
    return this.rounds.map((round) => round.get(candidate)?.[figure] ?? Number.NaN);
  }

  /**
   * The ratio of the figures of `of` and `against`, over the rounds. Both sides of each ratio come from the same round:
   * other programs on the machine affect a round's duration more than the ratios within it.
   */
  ratio(of: string, against: string, figure: string): Spread {
    const theirs = this.values(against, figure);
    return spread(this.values(of, figure).map((ours, round) => ours / (theirs[round] ?? Number.NaN)));
  }

  /** By how much the figure of `of` exceeds that of `against`, over the rounds. */
  difference(of: string, against: string, figure: string): Spread {
    const theirs = this.values(against, figure);
    return spread(this.values(of, figure).map((ours, round) => ours - (theirs[round] ?? Number.NaN)));
  }
}

/** Measures the candidates in turn, round after round, starting with a different one each time. */
export async function measure(comparison: Comparison, rounds: number): Promise<Measured> {
  const { candidates, roundsFactor = 1 } = comparison;
  const measured: Round[] = [];
  for (let round = 0; round < rounds * roundsFactor; round += 1) {
    const first = round % candidates.length;
    const figures = new Map<string, Figures>();
    for (const { name, run } of [...candidates.slice(first), ...candidates.slice(0, first)]) {
      figures.set(name, await run());
    }
    measured.push(figures);
  }
  return new Measured(comparison, measured);
}
