/**
 * Intentional changes in organisations. A comment explains each rate; rates without a source are plain estimates,
 * rather too high for events that could hold a run.
 */
import { FIELD_EVENTS } from "./field-events.js";
import type { Installation } from "./installation.js";
import { event, type LifeEvent } from "./life-event.js";
import type { Population } from "./population.js";
import type { Random } from "./random.js";

const PEOPLE = ["employees", "accounts"] as const;
const SALES = ["accounts", "licenses"] as const;
const ASKED = { isAsked: true };

/** Some of the records disappear. */
const lose = (population: Population, share: number) => population.remove(population.some(share));
/** Adds `share` new records for each existing one. */
const gain = (population: Population, share: number) => population.add(Math.floor(share * population.size));

/** All records, or some of them, get new ids. */
function renew(population: Population, old = population.slots()): Int32Array {
  population.remove(old);
  return population.add(old.length, old);
}

const EVENTS: readonly LifeEvent[] = [
  ...FIELD_EVENTS,
  // Shops and resorts take on 40% more people within two weeks.
  event(
    "season begins",
    0,
    PEOPLE,
    (population, { seasonal, people }, share) => {
      const earlier = seasonal.get(population.collection) ?? [];
      const added = population.add(Math.round(0.4 * people * share));
      seasonal.set(population.collection, Int32Array.from([...earlier, ...added]));
    },
    { habit: ["season", 1], days: 14 },
  ),
  // Seasonal workers leave within a week, and their employee records and accounts lose their memberships.
  event(
    "season ends",
    0,
    [...PEOPLE, "groupMembers"],
    (population, { seasonal, random }, share) => {
      if (population.collection === "groupMembers") {
        for (const _ of PEOPLE) lose(population, 0.2 * share);
        return;
      }
      const slots = seasonal.get(population.collection) ?? new Int32Array();
      population.remove(random.pick(slots, Math.round(slots.length * share * 1.2)));
    },
    { habit: ["season", 1], days: 7, ...ASKED },
  ),
  // One organisation in seven has a layoff each year; announced layoffs affect 5 to 15% of the people.
  event(
    "layoff",
    0.15,
    [...PEOPLE, "devices", "licenses", "groupMembers"],
    (population) => population.collection === "licenses" || lose(population, 0.12),
    { habit: ["layoff", 1] },
  ),
  // Once in four years, most people get another department and manager, and their groups follow.
  event(
    "reorganisation",
    0.25,
    ["employees", "groupMembers"],
    (population, { random }) => {
      if (population.collection === "employees") {
        for (const path of ["departmentPath", "managerId"]) population.redraw(path, population.some(0.6));
        return;
      }
      const moved = population.some(random.between(0.2, 0.45));
      population.remove(moved);
      population.add(moved.length);
    },
    { habit: ["reorganised", 1], ...ASKED },
  ),
  // The acquired company fills different fields.
  event(
    "acquisition",
    0,
    [...PEOPLE, "licenses"],
    (population) => {
      const added = gain(population, 0.8);
      for (const path of ["attributes", "username", "managerId", "roles"])
        population.change(path, added, () => -1);
    },
    { habit: ["acquisition", 1], ...ASKED },
  ),
  // Once in seven years, after a new name or a merger, the part after the @ changes.
  event(
    "new mail domain",
    0.15,
    PEOPLE,
    (population) => {
      population.domains += 1;
    },
    { habit: ["mail", 1] },
  ),
  // A new version of a vendor's API, or another connector: less than once in ten years.
  event(
    "new ids",
    0.08,
    SALES,
    (population, { collections }) => {
      const old = population.slots();
      const renewed = renew(population, old);
      if (population.collection !== "accounts") return;
      const next = new Map([...old].map((slot, i) => [slot, renewed[i] ?? slot]));
      const licenses = collections.get("licenses");
      licenses?.change("sourceAccountId", licenses.slots(), (value) => next.get(value) ?? value);
    },
    { habit: ["ids", 1], ...ASKED },
  ),
  // A fifth of the organisations review their licenses every quarter.
  event(
    "licence review",
    0.8,
    ["licenses"],
    (licenses, { collections, random }) => {
      const plan = collections.get("plans")?.slots()[random.below(2)];
      const share = random.between(0.3, 0.6);
      licenses.remove(
        licenses.some(
          share,
          licenses.slots("sourcePlanId", (value) => value === plan),
        ),
      );
    },
    { habit: ["clean", 4], ...ASKED },
  ),
  // A vendor replaces a plan: its licenses get new ids.
  event(
    "plan replaced",
    0.1,
    ["plans", "licenses"],
    (population, { collections }) => {
      if (population.collection === "plans") return population.add(1);
      const old = population.slots("sourcePlanId", (value) => value === 0);
      const plan = collections.get("plans")?.slots().at(-1);
      return population.change("sourcePlanId", renew(population, old), (value) => plan ?? value);
    },
    { habit: ["upgrade", 1], ...ASKED },
  ),
  // Vendors add products to an offer about twice a year.
  event("plan added", 2, ["plans"], (plans) => plans.add(1)),
  // Vendors retire as many plans as they add, together with their licenses; one plan is always left.
  event(
    "plan retired",
    2,
    ["plans", "licenses"],
    (plans, { collections, random }) => {
      if (plans.collection === "licenses" || plans.size < 2) return;
      const retired = random.pick(plans.slots(), 1);
      plans.remove(retired);
      const licenses = collections.get("licenses");
      licenses?.remove(licenses.slots("sourcePlanId", (value) => value === retired[0]));
    },
    ASKED,
  ),
  // Phones and laptops are leased for two to four years, and all of the old ones are exchanged within a month.
  event(
    "new devices",
    0,
    ["devices"],
    (devices, { people }, share) => {
      lose(devices, 0.4 * share);
      devices.add(Math.round(0.4 * people * share));
    },
    { habit: ["refresh", 1], days: 30 },
  ),
  // Guests pile up, and are removed when an audit asks for it: once in ten years.
  event(
    "guests removed",
    0.1,
    SALES,
    (accounts, { random }) => {
      // The guests' licenses are removed, too.
      if (accounts.collection === "licenses") return;
      const share = random.between(0.6, 1);
      accounts.remove(
        accounts.some(
          share,
          accounts.slots("type", (value) => value === 2),
        ),
      );
      if (random.chance(0.5)) lose(accounts, 0.2);
    },
    { habit: ["guests", 1], ...ASKED },
  ),
  // Nobody bought the product after its trial, so only one administrator is left.
  event("trial ends", 0, SALES, (population) => population.remove(population.slots().subarray(1)), {
    habit: ["trial", 1],
    ...ASKED,
  }),
  // A department or a country moves in: less than once in six years.
  event(
    "growth",
    0.15,
    [...PEOPLE, "licenses"],
    (population, { random }) => gain(population, random.between(0.3, 0.75)),
    ASKED,
  ),
  // A whole team starts to use what a few people have tried: small collections double, once in four years.
  event(
    "taken up",
    0.25,
    [...SALES, "groups"],
    (population, { random }) => population.size < 10 && gain(population, random.between(0.8, 2)),
    ASKED,
  ),
  // A pilot becomes a product for everyone; most of the new accounts have no role yet.
  event(
    "roll-out",
    0,
    SALES,
    (accounts, { collections, random }) => {
      if (accounts.collection === "licenses") return;
      const added = gain(accounts, random.between(3, 12));
      accounts.change("roles", accounts.some(0.85, added), () => -1);
      collections.get("licenses")?.add(added.length);
    },
    { habit: ["rollout", 1], ...ASKED },
  ),
  // At most a third of the classes leave, and all courses end.
  event(
    "school year ends",
    0,
    ["accounts", "groupMembers"],
    (population, { random }) =>
      lose(population, population.collection === "accounts" ? random.between(0.15, 0.33) : 0.6),
    { habit: ["school", 1], ...ASKED },
  ),
  event(
    "school year begins",
    0,
    ["accounts", "groupMembers"],
    (population) => gain(population, population.collection === "accounts" ? 0.3 : 1.2),
    { habit: ["school", 1], ...ASKED },
  ),
  // Directories that deactivate former employees delete them once a quarter.
  event(
    "leavers deleted",
    0,
    ["employees"],
    (employees) => employees.remove(employees.slots("active", (value) => value === 0)),
    { habit: ["purge", 4] },
  ),
  // Project groups end; larger ones end less than once a year.
  event(
    "group deleted",
    0.6,
    ["groups", "groupMembers"],
    (groups, { collections, random }) => {
      if (groups.collection === "groupMembers") return;
      const group = random.below(8);
      const members = collections.get("groupMembers");
      members?.remove(members.slots("sourceGroupId", (value) => value === group));
      groups.remove(Int32Array.of(group));
    },
    ASKED,
  ),
];

/** An event of an installation, and the days on which it begins and ends. */
export interface Planned {
  readonly event: LifeEvent;
  readonly from: number;
  readonly to: number;
}

/** Plans the events of an installation's life. Seasons and school years begin before they end. */
export function planOf({ organisation, random }: Installation): Planned[] {
  const { days } = organisation;
  const planned = EVENTS.flatMap((event) => {
    const { habit, yearly, days: lasting = 0, concerns } = event;
    if (!concerns.some((collection) => organisation.collections.includes(collection))) return [];
    const isCertain = habit !== undefined && organisation.habits.includes(habit[0]);
    const times = isCertain ? habit[1] : random.poisson((yearly * days) / 365);
    return Array.from({ length: times }, () => {
      const from = dayOf(event, days, random);
      return { event, from, to: from + lasting };
    });
  });
  return planned.sort((a, b) => a.from - b.from);
}

function dayOf({ name }: LifeEvent, days: number, random: Random): number {
  const isLate = name === "season ends" || name === "school year begins";
  const isEarly = name === "season begins" || name === "school year ends";
  return (
    days *
    (isLate ? random.between(0.55, 0.7) : isEarly ? random.between(0.15, 0.4) : random.between(0.08, 0.92))
  );
}
