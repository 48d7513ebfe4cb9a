/** Guesses which name took the place of another. */

/** Returns the name that shares the most words with another, or undefined if none shares half of them. */
export function nearestName(name: string, names: readonly string[]): string | undefined {
  const ranked = names
    .map((candidate) => ({ candidate, score: similarity(name, candidate) }))
    .sort((a, b) => b.score - a.score);
  const [best] = ranked;
  return best !== undefined && best.score >= 0.34 ? best.candidate : undefined;
}

/** The share of words that two names have in common, from 0 to 1. Shorter forms of a word count half. */
export function similarity(a: string, b: string): number {
  if (a === b) return 1;
  const [left, right] = [wordsOf(a), wordsOf(b)];
  let common = 0;
  for (const word of left) {
    if (right.includes(word)) common += 1;
    else if (right.some((other) => other.startsWith(word) || word.startsWith(other))) common += 0.5;
  }
  return (2 * common) / (left.length + right.length);
}

function wordsOf(name: string): readonly string[] {
  return name
    .replace(/([a-z0-9])([A-Z])/g, "$1_$2")
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== "")
    .map((word) => word.replace(/(?<=..)s$/, ""));
}
