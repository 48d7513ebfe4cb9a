import type { Modelled } from "./fields.js";
import { zipf } from "./fields.js";
import type { Habit, Organisation } from "./organisations.js";
import { drawn, Population } from "./population.js";
import type { Random } from "./random.js";

/** Which records refer to which others, and the field with the other record's id. */
const REFERENCES: readonly (readonly [child: Modelled, path: string, parent: Modelled])[] = [
  ["licenses", "sourceAccountId", "accounts"],
  ["licenses", "sourcePlanId", "plans"],
  ["groupMembers", "sourceGroupId", "groups"],
];
/** How long a license outlives its account if nobody takes it back immediately: until the next invoice. */
const LINGERING_DAYS = 30;

/** Records that refer to other records by id. */
export interface Reference {
  readonly child: Population;
  readonly path: string;
  readonly parent: Population;
}

/** The records of an organisation with a connector. */
export class Installation {
  readonly organisation: Organisation;
  readonly random: Random;
  readonly people: number;
  /** The share of people who join in a day, and of those who leave. */
  readonly churn: number;
  readonly collections: ReadonlyMap<Modelled, Population>;
  /** Days since a Monday at midnight (`day`), and since the previous run (`elapsed`). */
  day = 0;
  elapsed = 0;
  /** Whether licenses outlive their accounts, because nobody takes them back immediately. */
  readonly lingers: boolean;
  /** Records of people who stay only for a season, or are sometimes away. */
  readonly seasonal = new Map<Modelled, Int32Array>();

  constructor(organisation: Organisation, random: Random) {
    const { people, churn, collections } = organisation;
    this.organisation = organisation;
    this.random = random;
    this.people = people > 50 ? Math.round(people * random.between(0.7, 1.2)) : people;
    this.churn = (churn * random.between(0.7, 1.3)) / 100 / 30;
    this.lingers = random.fork("lingers").chance(0.35);
    this.collections = new Map(
      collections.map((collection) => [collection, new Population(collection, random.fork(collection))]),
    );
    // Plans and groups come before the records that refer to them.
    for (const collection of ["plans", "groups", ...collections] as const) {
      const population = this.of(collection);
      if (population?.size !== 0) continue;
      this.#tieParents(population);
      population.add(this.#sizeOf(collection));
    }
  }

  of(collection: Modelled): Population | undefined {
    return this.collections.get(collection);
  }

  has(habit: Habit): boolean {
    return this.organisation.habits.includes(habit);
  }

  get hour(): number {
    return (this.day % 1) * 24;
  }

  get isWeekend(): boolean {
    return Math.floor(this.day) % 7 >= 5;
  }

  get references(): readonly Reference[] {
    return REFERENCES.flatMap(([name, path, other]) => {
      const [child, parent] = [this.of(name), this.of(other)];
      return child === undefined || parent === undefined ? [] : [{ child, path, parent }];
    });
  }

  /** Removes the records that refer to a removed one; in some installations, licenses go later. */
  follow(): void {
    for (const { child, path, parent } of this.references) {
      const left = child.slots(path, (value) => parent.alive[value] !== 1);
      const isKept = () =>
        path === "sourceAccountId" && this.lingers && !this.random.chance(this.elapsed / LINGERING_DAYS);
      child.remove(left.filter(() => !isKept()));
    }
  }

  #sizeOf(collection: Modelled): number {
    const { people, random } = this;
    if (collection === "plans") return people < 6 ? 1 : 2 + random.below(people < 1000 ? 3 : 10);
    if (collection === "groups") return this.#groups;
    if (collection === "groupMembers") return 3 * people;
    return collection === "licenses" ? Math.max(1, Math.floor(people * random.between(0.6, 1.2))) : people;
  }

  get #groups(): number {
    return Math.max(2, Math.floor(3 * Math.sqrt(this.people)));
  }

  /** Half of the licenses are for the first plan, half of the rest for the second, and so on. */
  #tieParents(population: Population): void {
    const plan = population.field("sourcePlanId");
    const group = population.field("sourceGroupId");
    const manager = population.field("managerId");
    const account = population.field("sourceAccountId");
    const groups = this.of("groups");
    const place = drawn(zipf(this.#groups, 0.8));
    if (group !== undefined)
      group.draw = (random) => {
        const slots = groups?.slots() ?? new Int32Array();
        return groups === undefined ? place(random) : (slots[Math.min(place(random), slots.length - 1)] ?? 0);
      };
    if (account !== undefined) account.draw = (random) => random.of(this.of("accounts")?.slots());
    if (manager !== undefined) manager.draw = drawn(zipf(Math.max(2, Math.floor(this.people / 8)), 0));
    if (plan !== undefined)
      plan.draw = (random) => {
        const plans = this.of("plans")?.slots() ?? new Int32Array([0, 1, 2]);
        let at = 0;
        while (at < plans.length - 1 && random.chance(0.5)) at += 1;
        return plans[at] ?? 0;
      };
  }
}
