/** Middle, smallest and largest of some values. */
export interface Spread {
  readonly median: number;
  readonly least: number;
  readonly most: number;
}

/** The spread of the values; NaN if there are none. */
export function spread(values: readonly number[]): Spread {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (index: number) => sorted[index] ?? Number.NaN;
  const half = (sorted.length - 1) / 2;
  return {
    median: (at(Math.floor(half)) + at(Math.ceil(half))) / 2,
    least: at(0),
    most: at(sorted.length - 1),
  };
}

/** Such as `1.43 (1.31-1.60)`; if all values look the same, only `1.43`. */
export function show({ median, least, most }: Spread, digits: number): string {
  const middle = median.toFixed(digits);
  const range = `${least.toFixed(digits)}-${most.toFixed(digits)}`;
  return range === `${middle}-${middle}` ? middle : `${middle} (${range})`;
}
