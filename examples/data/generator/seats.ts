import { addDays, EXPORT_DAY } from "./days.js";
import type { Employee } from "./employees.js";
import type { Random } from "./random.js";
import { addressPart } from "./text.js";

/** How the holder of a seat uses the product. No group is near the limit of 30 days. */
export type Habit = "regular" | "idle" | "never";

/** The seats of a plan, by kind of holder. */
export interface SeatCounts {
  /** Seats that the company pays for. */
  readonly paid: number;
  /** Employees who used the product in the last three weeks. */
  readonly regular: number;
  /** Employees who last used it more than four months ago. */
  readonly idle: number;
  /** Employees who never used it. */
  readonly never: number;
  /** People who left more than three months ago but still have their seats. */
  readonly leavers: number;
  /** Regular users of other companies, who are not in the HR export. */
  readonly externals: number;
  /** Assignments to an account that the vendor deleted. */
  readonly nobody: number;
}

/** A person with an account at a vendor. */
export interface Holder {
  readonly name: string;
  readonly firstName: string;
  readonly lastName: string;
  /** In lower case; may be an alias of an employee. */
  readonly email: string;
  readonly since: string;
  readonly external: boolean;
  /** The last day of a person who left. */
  readonly left: string | undefined;
}

/** A seat of a plan. Without a holder it refers to a deleted account. */
export interface Seat {
  readonly holder: Holder | undefined;
  readonly planId: string;
  readonly product: string;
  readonly habit: Habit;
}

/** When the company started to use the vendors. */
const FIRST_ACCOUNTS = "2019-01-01";

/** A pool of people; each person is taken once. */
export class People {
  readonly #present: Employee[];
  readonly #leavers: Employee[];

  /** @param departments departments to take people from */
  constructor(
    employees: readonly Employee[],
    departments: readonly string[],
    private readonly random: Random,
  ) {
    const suitable = employees.filter(
      ({ email, departmentPath }) => email !== undefined && departments.includes(departmentPath[1] ?? ""),
    );
    this.#present = random.shuffled(suitable.filter(({ terminated }) => terminated === undefined));
    this.#leavers = random.shuffled(
      suitable.filter(({ terminated }) => terminated !== undefined && terminated < addDays(EXPORT_DAY, -100)),
    );
  }

  /** The next employees who work here. */
  present(count: number): Holder[] {
    return this.#take(this.#present, count);
  }

  /** The next people who have left. */
  leavers(count: number): Holder[] {
    return this.#take(this.#leavers, count);
  }

  #take(pool: Employee[], count: number): Holder[] {
    const taken = pool.splice(0, count);
    if (taken.length < count) throw new RangeError(`Only ${taken.length} of ${count} people are left.`);
    return taken.map((employee) => this.#holder(employee));
  }

  #holder({ firstName, lastName, fullName, email = "", aliases, hired, terminated }: Employee): Holder {
    const joined =
      hired < FIRST_ACCOUNTS
        ? addDays(FIRST_ACCOUNTS, this.random.int(1, 1800))
        : addDays(hired, this.random.int(1, 30));
    return {
      name: fullName,
      firstName,
      lastName,
      email: aliases.length > 0 && this.random.chance(0.1) ? (aliases[0] ?? email) : email,
      since: joined,
      external: false,
      left: terminated,
    };
  }
}

const AGENCIES = ["atelier-kranich.example", "lumenwerft.example", "foxglove-studio.example"];
const GIVEN = "Nadia Émile Ulf Piotr Yasmin Marta Owen Sanna Theo Ayşe Bruno Lin".split(" ");
const FAMILY = "Kranich Bellerose Ström Wiśniewska Haddad Quinn D'Angelo Sato Varga Ferreira".split(" ");

/** People of other companies, no two with the same name. */
export function externals(count: number, random: Random): Holder[] {
  const pairs = GIVEN.flatMap((given) => FAMILY.map((family) => ({ given, family })));
  return random
    .shuffled(pairs)
    .slice(0, count)
    .map(({ given, family }) => ({
      name: `${given} ${family}`,
      firstName: given,
      lastName: family,
      email: `${addressPart(given)}.${addressPart(family)}@${random.pick(AGENCIES)}`,
      since: addDays("2023-06-01", random.int(0, 800)),
      external: true,
      left: undefined,
    }));
}

/** The seats of a plan as counted, held by people of the pool. */
export function seatsOf(
  plan: { readonly id: string; readonly product: string; readonly seats: SeatCounts },
  people: Pick<People, "present" | "leavers">,
  outside: readonly Holder[],
): Seat[] {
  const { regular, idle, never, leavers, nobody } = plan.seats;
  const seat = (habit: Habit) => (holder: Holder | undefined) => {
    return { holder, habit, planId: plan.id, product: plan.product };
  };
  return [
    ...people.present(regular).map(seat("regular")),
    ...people.present(idle).map(seat("idle")),
    ...people.present(never).map(seat("never")),
    ...people.leavers(leavers).map(seat("idle")),
    ...outside.map(seat("regular")),
    ...Array<undefined>(nobody).fill(undefined).map(seat("idle")),
  ];
}

/** Number of seats in the counts of a plan. */
export function assigned({ regular, idle, never, leavers, externals, nobody }: SeatCounts): number {
  return regular + idle + never + leavers + externals + nobody;
}
