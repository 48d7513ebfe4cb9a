/** The smallest damage that a person would see in the figures of a snapshot. */
const VISIBLE = 0.3;
/** The smallest damage that counts, such as a lost region or page. Damage below VISIBLE is a separate class. */
const SMALLER = 0.05;
/** What disasters hit: fields, ids, fields in the first week, referenced records, or too few records to see. */
export const CONCERNS = ["fields", "ids", "early", "references", "smaller"] as const;
/** If the same event causes another run to be held within this many days, the operator is asked the same question. */
const SAME_DAYS = 21;
/** Size classes of collections, by their minimum number of records. */
export const SIZES = [50, 10, 0] as const;
export type Size = (typeof SIZES)[number];

/** A held collection: the rules that held it, and the recent events that an operator should be asked about. */
export interface Held {
  readonly rules: readonly string[];
  readonly events: readonly string[];
}

export interface Outcome {
  readonly kind: string;
  readonly concerns: (typeof CONCERNS)[number];
  readonly records: number;
  readonly damage: number;
  readonly isHeld: boolean;
}

interface Runs {
  runs: number;
  falseHolds: number;
  approvals: number;
  repeated: number;
  /** The rules that caused false holds. */
  readonly rules: Set<string>;
}

interface Disasters {
  readonly concerns: Outcome["concerns"];
  readonly visible: Record<Size, number>;
  readonly missed: Record<Size, number>;
}

/** Counts of a simulation. */
export class Tally {
  years = 0;
  readonly organisations = new Map<string, Runs>();
  readonly falseHolds = new Map<string, number>();
  readonly disasters = new Map<string, Disasters>();
  readonly #asked = new Map<string, number>();

  run(organisation: string, held: readonly Held[], day: number): void {
    const counts = this.organisations.get(organisation) ?? {
      runs: 0,
      falseHolds: 0,
      approvals: 0,
      repeated: 0,
      rules: new Set<string>(),
    };
    this.organisations.set(organisation, counts);
    counts.runs += 1;
    if (held.length === 0) return;
    const events = held.flatMap((one) => one.events).map((event) => `${organisation}: ${event}`);
    const rules = [...new Set(held.flatMap((one) => one.rules))].sort();
    if (events.length === 0) {
      counts.falseHolds += 1;
      for (const rule of rules) counts.rules.add(rule);
      this.falseHolds.set(`${rules}`, (this.falseHolds.get(`${rules}`) ?? 0) + 1);
      return;
    }
    const since =
      day - Math.max(...events.map((event) => this.#asked.get(event) ?? Number.NEGATIVE_INFINITY));
    if (since >= 0 && since < SAME_DAYS) counts.repeated += 1;
    else counts.approvals += 1;
    for (const event of events) this.#asked.set(event, day);
  }

  disaster({ damage, ...outcome }: Outcome): void {
    if (damage < SMALLER) return;
    const isVisible = damage >= VISIBLE;
    const concerns = isVisible ? outcome.concerns : "smaller";
    const kind = isVisible ? outcome.kind : `${outcome.kind}, 5 to 30%`;
    const { records, isHeld } = outcome;
    const none = () => ({ 50: 0, 10: 0, 0: 0 });
    const counts = this.disasters.get(kind) ?? { concerns, visible: none(), missed: none() };
    this.disasters.set(kind, counts);
    const size = SIZES.find((least) => records >= least) ?? 0;
    counts.visible[size] += 1;
    if (!isHeld) counts.missed[size] += 1;
  }

  sumOf(field: "runs" | "falseHolds" | "approvals" | "repeated"): number {
    return [...this.organisations.values()].reduce((sum, counts) => sum + counts[field], 0);
  }

  sumOfDisasters(
    field: "visible" | "missed",
    concerns: Outcome["concerns"] | "all",
    sizes: readonly Size[] = SIZES,
  ): number {
    const counts = [...this.disasters.values()].filter((disaster) =>
      concerns === "all" ? disaster.concerns !== "smaller" : disaster.concerns === concerns,
    );
    return counts.reduce(
      (sum, disaster) => sum + sizes.reduce<number>((all, size) => all + disaster[field][size], 0),
      0,
    );
  }
}
