/** Once a fault has been drawn this often, it should also have struck. */
const OFTEN = 200;

/** Counts what the programs of a soak went through. */
export class Tally {
  #programs = 0;
  readonly #sums = new Map<string, number>();
  readonly #drawn = new Map<string, number>();
  readonly #struck = new Map<string, number>();

  /** Counts a program and adds its figures. */
  add(figures: Readonly<Record<string, number>>): void {
    this.#programs += 1;
    for (const [name, figure] of Object.entries(figures)) count(this.#sums, name, figure);
  }

  /** Counts the drawn and the struck faults of a program by name. */
  noteFaults(drawn: readonly string[], struck: readonly string[]): void {
    for (const name of drawn) count(this.#drawn, name, 1);
    for (const name of struck) count(this.#struck, name, 1);
  }

  /** The totals, and the programs per minute. */
  figures(seconds: number): Readonly<Record<string, number>> {
    const programsPerMinute = Math.round((this.#programs / seconds) * 60);
    return { programs: this.#programs, ...Object.fromEntries(this.#sums), programsPerMinute };
  }

  /** How often each fault was drawn, and how often it struck. */
  get faults() {
    return [...this.#drawn]
      .map(([fault, drawn]) => ({ fault, drawn, struck: this.#struck.get(fault) ?? 0 }))
      .sort((a, b) => a.fault.localeCompare(b.fault));
  }

  /** Faults that should have struck by now but never did. */
  get idle() {
    return this.faults.filter(({ drawn, struck }) => drawn >= OFTEN && struck === 0);
  }
}

function count(counts: Map<string, number>, name: string, by: number): void {
  counts.set(name, (counts.get(name) ?? 0) + by);
}
