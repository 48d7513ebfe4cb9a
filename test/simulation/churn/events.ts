/**
 * What organisations do on purpose. Each rate has its reason beside it; rates without a source are plain estimates, on the
 * high side where they could hold a run.
 */
import { FIELD_EVENTS } from "./field-events.js";
import type { Installation } from "./installation.js";
import { ASKED, event, type LifeEvent } from "./life-event.js";
import type { Population } from "./population.js";
import type { Random } from "./random.js";

const PEOPLE = ["employees", "accounts"] as const;

function removeSome(population: Population | undefined, share: number): void {
  population?.remove(population.some(share));
}

const EVENTS: readonly LifeEvent[] = [
  ...FIELD_EVENTS,
  // Shops and resorts take on 40 % more people within two weeks.
  event(
    "season begins",
    0,
    PEOPLE,
    ({ collection, population, installation: { seasonal, people }, share }) => {
      const added = population.add(Math.round(0.4 * people * share));
      seasonal.set(collection, Int32Array.from([...(seasonal.get(collection) ?? []), ...added]));
    },
    { habit: ["season", 1], days: 14 },
  ),
  // They leave within a week, and their memberships with them.
  {
    ...ASKED,
    name: "season ends",
    yearly: 0,
    habit: ["season", 1],
    days: 7,
    concerns: [...PEOPLE, "groupMembers"],
    happen: ({ collections, seasonal, random }, share) => {
      for (const collection of PEOPLE) {
        const slots = seasonal.get(collection) ?? new Int32Array();
        collections.get(collection)?.remove(random.pick(slots, Math.round(slots.length * share * 1.2)));
        removeSome(collections.get("groupMembers"), 0.2 * share);
      }
    },
  },
  // One organisation in seven each year; announced layoffs are of 5 to 15 %.
  {
    name: "layoff",
    yearly: 0.15,
    habit: ["layoff", 1],
    concerns: [...PEOPLE, "devices", "licenses", "groupMembers"],
    isAsked: false,
    happen: ({ collections }) => {
      for (const [name, population] of collections)
        if (name !== "plans" && name !== "groups") removeSome(population, 0.12);
    },
  },
  // Once in four years; most people get another department and manager, and their groups follow.
  {
    ...ASKED,
    name: "reorganisation",
    yearly: 0.25,
    habit: ["reorganised", 1],
    concerns: ["employees", "groupMembers"],
    happen: ({ collections, random }) => {
      const employees = collections.get("employees");
      for (const path of ["departmentPath", "managerId"]) employees?.redraw(path, employees.some(0.6));
      const members = collections.get("groupMembers");
      const moved = members?.some(random.between(0.2, 0.45)) ?? new Int32Array();
      members?.remove(moved);
      members?.add(moved.length);
    },
  },
  // Once in seven years, after a new name or a merger; the parts before the @ stay.
  {
    name: "new mail domain",
    yearly: 0.15,
    habit: ["mail", 1],
    concerns: PEOPLE,
    isAsked: false,
    happen: ({ collections }) => {
      for (const population of collections.values()) population.domains += 1;
    },
  },
  // A quarterly review where there is one; a fifth of the organisations have such reviews.
  event(
    "licence review",
    0.8,
    ["licenses"],
    ({ population: licenses, installation: { collections, random } }) => {
      const plan = collections.get("plans")?.slots()[random.below(2)];
      const share = random.between(0.3, 0.6);
      const ofPlan = licenses.slots("sourcePlanId", (value) => value === plan);
      licenses.remove(licenses.some(share, ofPlan));
    },
    { ...ASKED, habit: ["clean", 4] },
  ),
  // Vendors add products to an offer about twice a year.
  event("plan added", 2, ["plans"], ({ population }) => void population.add(1)),
  // They retire as many, and the licenses with them.
  {
    ...ASKED,
    name: "plan retired",
    yearly: 2,
    concerns: ["plans", "licenses"],
    happen: ({ collections, random }) => {
      const plans = collections.get("plans");
      const retired = random.pick(plans?.slots() ?? new Int32Array(), 1);
      plans?.remove(retired);
      const licenses = collections.get("licenses");
      licenses?.remove(licenses.slots("sourcePlanId", (value) => value === retired[0]));
    },
  },
  // Phones and laptops are leased for two to four years, and exchanged in a month.
  event(
    "new devices",
    0,
    ["devices"],
    ({ population, installation: { people }, share }) => {
      removeSome(population, 0.4 * share);
      population.add(Math.round(0.4 * people * share));
    },
    { habit: ["refresh", 1], days: 30 },
  ),
  // Directories that deactivate leavers delete them once a quarter.
  event(
    "leavers deleted",
    0,
    ["employees"],
    ({ population }) => population.remove(population.slots("active", (value) => value === 0)),
    { habit: ["purge", 4] },
  ),
  // Groups of projects end; one of the larger ones more rarely than once a year.
  {
    ...ASKED,
    name: "group deleted",
    yearly: 0.6,
    concerns: ["groups", "groupMembers"],
    happen: ({ collections, random }) => {
      const group = random.below(8);
      const members = collections.get("groupMembers");
      members?.remove(members.slots("sourceGroupId", (value) => value === group));
      collections.get("groups")?.remove(Int32Array.of(group));
    },
  },
];
/** An event of an installation, and the days on which it begins and ends. */
export interface Planned {
  readonly event: LifeEvent;
  readonly from: number;
  readonly to: number;
}

/** Plans the events of an installation's life. A season begins before it ends. */
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
  if (name === "season begins") return days * random.between(0.15, 0.4);
  return days * (name === "season ends" ? random.between(0.55, 0.7) : random.between(0.08, 0.92));
}
