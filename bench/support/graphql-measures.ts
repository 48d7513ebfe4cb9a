/** What one walk through all pages took. */
export interface Walked {
  readonly pages: number;
  readonly nodes: number;
  readonly msPerPage: number;
  /** CPU of the client's process, user and system. */
  readonly cpuMsPerPage: number;
  readonly peakRssMiB: number;
  /** From before the client was loaded until its first page was there. */
  readonly firstPageMs: number;
}

/** Middle, smallest and largest of some values. */
export interface Spread {
  readonly median: number;
  readonly least: number;
  readonly most: number;
}

export function spread(values: readonly number[]): Spread {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (index: number) => sorted[Math.min(sorted.length - 1, Math.max(0, index))] ?? Number.NaN;
  const half = (sorted.length - 1) / 2;
  return {
    median: (at(Math.floor(half)) + at(Math.ceil(half))) / 2,
    least: at(0),
    most: at(sorted.length - 1),
  };
}

/** `1.43 (1.31-1.60)` */
export function show({ median, least, most }: Spread, digits: number): string {
  return `${median.toFixed(digits)} (${least.toFixed(digits)}-${most.toFixed(digits)})`;
}
