import type { Comparison, Figures } from "./comparison.js";
import { type Spread, spread } from "./spread.js";

/** The figures of all candidates in one round, by candidate name. */
export type Round = ReadonlyMap<string, Figures>;

/** The result of a comparison. */
export class Measured {
  readonly comparison: Comparison;
  readonly rounds: readonly Round[];

  constructor(comparison: Comparison, rounds: readonly Round[]) {
    this.comparison = comparison;
    this.rounds = rounds;
  }

  /** The spread of a candidate's figure over all rounds. */
  figure(candidate: string, figure: string): Spread {
    return spread(this.values(candidate, figure));
  }

  /** A candidate's figure in each round. */
  values(candidate: string, figure: string): number[] {
    return this.rounds.map((round) => round.get(candidate)?.[figure] ?? Number.NaN);
  }

  /**
   * The figure of `of` divided by that of `against`, over the rounds. Both come from the same round, because other
   * programs on the machine affect a round's duration more than the ratios within a round.
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
