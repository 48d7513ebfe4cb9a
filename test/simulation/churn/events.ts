/**
 * What organisations do on purpose. Each rate has its reason beside it; rates without a source are plain estimates, on the
 * high side where they could hold a run.
 */
import type { SnapshotCollection } from "@saas-management/sdk";
import { FIELD_EVENTS } from "./field-events.js";
import type { Installation } from "./installation.js";
import type { Habit } from "./organisations.js";
import type { Random } from "./random.js";

export interface LifeEvent {
  readonly name: string;
  /** How often it happens in a year. */
  readonly yearly: number;
  /** The habit of which it is a part, and how often it happens in the life of an installation then. */
  readonly habit?: readonly [habit: Habit, times: number];
  /** Over how many days it spreads; otherwise it happens between two runs. */
  readonly days?: number;
  readonly concerns: readonly SnapshotCollection[];
  /** Whether it is so large, and known beforehand, that an operator should be asked. Otherwise a held run is a wrong one. */
  readonly isAsked: boolean;
  /** @param share How much of it happens before this run. */
  readonly happen: (installation: Installation, share: number) => void;
}

const PEOPLE = ["employees", "accounts"] as const;

const EVENTS: readonly LifeEvent[] = [
  ...FIELD_EVENTS,
  {
    // Shops and resorts take on 40 % more people within two weeks.
    name: "season begins",
    yearly: 0,
    habit: ["season", 1],
    days: 14,
    concerns: PEOPLE,
    isAsked: false,
    happen: ({ collections, seasonal, people }, share) => {
      for (const collection of PEOPLE) {
        const added = collections.get(collection)?.add(Math.round(0.4 * people * share)) ?? [];
        seasonal.set(collection, Int32Array.from([...(seasonal.get(collection) ?? []), ...added]));
      }
    },
  },
  {
    // They leave within a week, and their memberships with them.
    name: "season ends",
    yearly: 0,
    habit: ["season", 1],
    days: 7,
    concerns: [...PEOPLE, "groupMembers"],
    isAsked: true,
    happen: ({ collections, seasonal, random }, share) => {
      for (const collection of PEOPLE) {
        const slots = seasonal.get(collection) ?? new Int32Array();
        const leaving = random.pick(slots, Math.round(slots.length * share * 1.2));
        collections.get(collection)?.remove(leaving);
        removeSome(collections.get("groupMembers"), 0.2 * share);
      }
    },
  },
  {
    // One organisation in seven each year; announced layoffs are of 5 to 15 %.
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
  {
    // Once in four years; most people get another department and manager, and their groups follow.
    name: "reorganisation",
    yearly: 0.25,
    habit: ["reorganised", 1],
    concerns: ["employees", "groupMembers"],
    isAsked: true,
    happen: ({ collections, random }) => {
      const employees = collections.get("employees");
      for (const path of ["departmentPath", "managerId"]) employees?.redraw(path, employees.some(0.6));
      const members = collections.get("groupMembers");
      const moved = members?.some(random.between(0.2, 0.45)) ?? new Int32Array();
      members?.remove(moved);
      members?.add(moved.length);
    },
  },
  {
    // The bought company fills other fields.
    name: "acquisition",
    yearly: 0,
    habit: ["acquisition", 1],
    concerns: [...PEOPLE, "licenses"],
    isAsked: true,
    happen: ({ collections }) => {
      for (const collection of [...PEOPLE, "licenses"] as const) {
        const population = collections.get(collection);
        const added = population?.add(Math.floor(0.8 * population.size)) ?? new Int32Array();
        for (const path of ["attributes", "username", "managerId", "roles"])
          population?.change(path, added, () => -1);
      }
    },
  },
  {
    // Once in seven years, after a new name or a merger; the parts before the @ stay.
    name: "new mail domain",
    yearly: 0.15,
    habit: ["mail", 1],
    concerns: PEOPLE,
    isAsked: false,
    happen: ({ collections }) => {
      for (const population of collections.values()) population.domains += 1;
    },
  },
  {
    // A new version of a vendor's API, or another connector: less than once in ten years.
    name: "new ids",
    yearly: 0.08,
    habit: ["ids", 1],
    concerns: ["accounts", "licenses"],
    isAsked: true,
    happen: ({ collections }) => {
      for (const collection of ["accounts", "licenses"] as const) {
        const population = collections.get(collection);
        const old = population?.slots() ?? new Int32Array();
        population?.remove(old);
        population?.add(old.length, old);
      }
    },
  },
  {
    // A quarterly review where there is one; a fifth of the organisations have such reviews.
    name: "licence review",
    yearly: 0.8,
    habit: ["clean", 4],
    concerns: ["licenses"],
    isAsked: true,
    happen: ({ collections, random }) => {
      const licenses = collections.get("licenses");
      const plan = collections.get("plans")?.slots()[random.below(2)];
      licenses?.remove(
        licenses.some(
          random.between(0.3, 0.6),
          licenses.slots("sourcePlanId", (value) => value === plan),
        ),
      );
    },
  },
  {
    // A vendor replaces a plan: its licenses get new ids.
    name: "plan replaced",
    yearly: 0.1,
    habit: ["upgrade", 1],
    concerns: ["plans", "licenses"],
    isAsked: true,
    happen: ({ collections }) => {
      const [plan] = collections.get("plans")?.add(1) ?? [];
      const licenses = collections.get("licenses");
      const old = licenses?.slots("sourcePlanId", (value) => value === 0) ?? new Int32Array();
      licenses?.remove(old);
      const added = licenses?.add(old.length, old) ?? new Int32Array();
      licenses?.change("sourcePlanId", added, (value) => plan ?? value);
    },
  },
  {
    // Vendors add products to an offer about twice a year.
    name: "plan added",
    yearly: 2,
    concerns: ["plans"],
    isAsked: false,
    happen: ({ collections }) => void collections.get("plans")?.add(1),
  },
  {
    // They retire as many, and the licenses with them.
    name: "plan retired",
    yearly: 2,
    concerns: ["plans", "licenses"],
    isAsked: true,
    happen: ({ collections, random }) => {
      const plans = collections.get("plans");
      const retired = random.pick(plans?.slots() ?? new Int32Array(), 1);
      plans?.remove(retired);
      const licenses = collections.get("licenses");
      licenses?.remove(licenses.slots("sourcePlanId", (value) => value === retired[0]));
    },
  },
  {
    // Phones and laptops are leased for two to four years, and exchanged in a month.
    name: "new devices",
    yearly: 0,
    habit: ["refresh", 1],
    days: 30,
    concerns: ["devices"],
    isAsked: false,
    happen: ({ collections, people }, share) => {
      const devices = collections.get("devices");
      removeSome(devices, 0.4 * share);
      devices?.add(Math.round(0.4 * people * share));
    },
  },
  {
    // Guests pile up, and are removed when an audit asks for it: once in ten years.
    name: "guests removed",
    yearly: 0.1,
    habit: ["guests", 1],
    concerns: ["accounts"],
    isAsked: true,
    happen: ({ collections, random }) => {
      const accounts = collections.get("accounts");
      accounts?.remove(
        accounts.some(
          random.between(0.6, 1),
          accounts.slots("type", (value) => value === 2),
        ),
      );
      if (random.chance(0.5)) removeSome(accounts, 0.2);
    },
  },
  {
    // Nobody bought it: one administrator stays.
    name: "trial ends",
    yearly: 0,
    habit: ["trial", 1],
    concerns: ["accounts", "licenses"],
    isAsked: true,
    happen: ({ collections }) => {
      for (const collection of ["accounts", "licenses"] as const) {
        const population = collections.get(collection);
        population?.remove(population.slots().subarray(1));
      }
    },
  },
  {
    // From a pilot to everybody; most of the new accounts have no role yet.
    name: "roll-out",
    yearly: 0,
    habit: ["rollout", 1],
    concerns: ["accounts", "licenses"],
    isAsked: true,
    happen: ({ collections, random }) => {
      const accounts = collections.get("accounts");
      const added = accounts?.add(Math.floor(random.between(3, 12) * accounts.size)) ?? new Int32Array();
      accounts?.change("roles", accounts.some(0.85, added), () => -1);
      collections.get("licenses")?.add(added.length);
    },
  },
  {
    // A third of the classes leaves at most, and all courses end.
    name: "school year ends",
    yearly: 0,
    habit: ["school", 1],
    concerns: ["accounts", "groupMembers"],
    isAsked: true,
    happen: ({ collections, random }) => {
      removeSome(collections.get("accounts"), random.between(0.15, 0.33));
      removeSome(collections.get("groupMembers"), 0.6);
    },
  },
  {
    name: "school year begins",
    yearly: 0,
    habit: ["school", 1],
    concerns: ["accounts", "groupMembers"],
    isAsked: true,
    happen: ({ collections }) => {
      for (const [collection, share] of [
        ["accounts", 0.3],
        ["groupMembers", 1.2],
      ] as const) {
        const population = collections.get(collection);
        population?.add(Math.floor(share * population.size));
      }
    },
  },
  {
    // Directories that deactivate leavers delete them once a quarter.
    name: "leavers deleted",
    yearly: 0,
    habit: ["purge", 4],
    concerns: ["employees"],
    isAsked: false,
    happen: ({ collections }) => {
      const employees = collections.get("employees");
      employees?.remove(employees.slots("active", (value) => value === 0));
    },
  },
  {
    // Groups of projects end; one of the larger ones more rarely than once a year.
    name: "group deleted",
    yearly: 0.6,
    concerns: ["groups", "groupMembers"],
    isAsked: true,
    happen: ({ collections, random }) => {
      const group = random.below(8);
      const members = collections.get("groupMembers");
      members?.remove(members.slots("sourceGroupId", (value) => value === group));
      collections.get("groups")?.remove(Int32Array.of(group));
    },
  },
];

function removeSome(population: ReturnType<Installation["of"]>, share: number): void {
  population?.remove(population.some(share));
}

/** An event of an installation, and the days on which it begins and ends. */
export interface Planned {
  readonly event: LifeEvent;
  readonly from: number;
  readonly to: number;
}

/** Plans the events of an installation's life. Seasons and school years have their order. */
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
