import type { Installation } from "./installation.js";
import { event, type LifeEvent } from "./life-event.js";
import { MISSING, type Population } from "./population.js";

type Change = (population: Population, installation: Installation) => void;

const ASKED = { isAsked: true };

/** Gives each record that has a value a new, unique one. */
function rewritten(path: string): Change {
  return (population) => population.change(path, population.slots(), () => population.unique());
}

/** Sets a field to one new value in some of the records whose old value matches. */
function moved(
  path: string,
  from: (value: number) => boolean,
  to: number,
  least: number,
  most: number,
): Change {
  return (population, { random }) =>
    population.change(
      path,
      population.some(random.between(least, most), population.slots(path, from)),
      () => to,
    );
}

/** Draws new values for some of the records. */
function redrawn(path: string, least: number, most: number): Change {
  return (population, { random }) => population.redraw(path, population.some(random.between(least, most)));
}

/** Renames each value, including values that records get later. */
function relabelled(path: string): Change {
  return (population) => {
    const by = 300 + population.unique();
    population.change(path, population.slots(), (value) => value + by);
    const field = population.field(path);
    if (field === undefined) return;
    const { draw } = field;
    field.draw = (random) => draw(random) + by;
  };
}

/** What organisations do to the fields of their records. */
export const FIELD_EVENTS: readonly LifeEvent[] = [
  // Once in three years, a directory starts to hold phone numbers, signatures or sign-in names.
  event(
    "field filled",
    0.3,
    ["employees", "accounts"],
    (population) => {
      const field = population.field("attributes") ?? population.field("username");
      if (field === undefined) return;
      field.fill = 0.9;
      population.redraw(
        field.path,
        population.slots(field.path, (value) => value === MISSING),
      );
    },
    { habit: ["fields", 1] },
  ),
  // A field is deleted for privacy, or replaced by another one: once in ten years.
  event(
    "field dropped",
    0.1,
    ["employees", "accounts"],
    (population, { random }) => {
      const field = random.one(
        ["attributes", "username", "managerId"].flatMap((path) => population.field(path) ?? []),
      );
      if (field === undefined) return;
      field.fill = 0;
      population.redraw(field.path, population.slots());
    },
    { habit: ["fields", 1], isAsked: true },
  ),
  // A round of promotions in spring, in the larger half of the organisations.
  event("promotions", 0.6, ["employees"], redrawn("jobTitle", 0.1, 0.3)),
  // Every other year one of the larger departments gets another name.
  event("department renamed", 0.5, ["employees"], (employees, { random }) => {
    const name = random.below(4);
    const renamed = employees.unique() + 100;
    employees.change("departmentPath", employees.slots(), (value) => (value === name ? renamed : value));
  }),
  // A new chart of accounts: once in twenty years.
  event("cost centres renumbered", 0.05, ["employees"], relabelled("costCenter"), ASKED),
  // Once a year some managers leave, and each gets one successor.
  event("managers follow", 1, ["employees"], (employees, { random }) => {
    const share = random.between(0.05, 0.15);
    const followed = new Map<number, boolean>();
    employees.change("managerId", employees.slots(), (manager) => {
      const isFollowed = followed.get(manager) ?? random.chance(share);
      followed.set(manager, isFollowed);
      return isFollowed ? manager + 50_000 : manager;
    });
  }),
  // Contractors are employed, or the contract with an agency changes: once in five years.
  event(
    "contractors employed",
    0.2,
    ["employees"],
    moved("userType", (value) => value === 1, 0, 0.3, 0.8),
  ),
  // "Germany" becomes "DE": once in thirty years.
  event("country codes", 0.03, ["employees"], relabelled("country"), ASKED),
  // Full names get the surname first, or a title: once in twenty years.
  event("names rewritten", 0.05, ["employees"], rewritten("fullName"), ASKED),
  event("display names rewritten", 0.05, ["accounts"], rewritten("name"), ASKED),
  // User names become numbers after a merger: once in twenty years.
  event("new user names", 0.05, ["accounts"], rewritten("username"), ASKED),
  // A review of privileges every other year takes most of them away.
  event(
    "review of roles",
    0.5,
    ["accounts"],
    moved("roles", (value) => value > 0, 0, 0.5, 0.9),
  ),
  event(
    "review of owners",
    0.5,
    ["groupMembers"],
    moved("role", (value) => value === 1, 0, 0.5, 0.9),
  ),
  // A vendor renames its types of accounts: once in 25 years.
  event("types renamed", 0.04, ["accounts"], relabelled("type"), { habit: ["relabel", 1], isAsked: true }),
  // Accounts that nobody used are suspended: in a third of the organisations each year.
  event(
    "dormant accounts",
    0.3,
    ["accounts"],
    moved("active", (value) => value === 1, 0, 0.05, 0.25),
  ),
  // Leavers are made anonymous after the legal period; many of them at the same time only once in ten years.
  event("leavers anonymised", 0.1, ["accounts"], (accounts, installation) => {
    const { random } = installation;
    // In organisations with weekends, people who aren't active haven't left; they are only away.
    if (installation.has("weekend")) return;
    const gone = accounts.some(
      random.between(0.3, 1),
      accounts.slots("active", (value) => value === 0),
    );
    for (const path of ["name", "email"]) accounts.change(path, gone, () => 0);
  }),
  // A vendor adds Teams to a contract, and most accounts get it immediately: once in ten years.
  event(
    "Teams for everybody",
    0.1,
    ["accounts"],
    moved("details.microsoft.teams.hasTeams", (value) => value === 0, 1, 0.6, 1),
    ASKED,
  ),
  // Licenses are handed on to others before new ones are bought.
  event("licenses handed on", 0.4, ["licenses"], (licenses, { random }) => {
    const some = licenses.some(random.between(0.1, 0.3));
    const accounts = random.pick(some).map((slot) => licenses.column("sourceAccountId")[slot] ?? 0);
    let next = 0;
    licenses.change("sourceAccountId", some, (value) => accounts[next++] ?? value);
  }),
  // All licenses of a plan become licenses of another: once in seven years.
  event(
    "plan exchanged",
    0.15,
    ["licenses"],
    (licenses, { random, collections }) => {
      const [from, to] = random.pick(collections.get("plans")?.slots() ?? new Int32Array(), 2);
      licenses.change("sourcePlanId", licenses.slots(), (plan) => (plan === from ? (to ?? plan) : plan));
    },
    ASKED,
  ),
  // A trial of a product ends with a purchase: once in five years.
  event(
    "trials bought",
    0.2,
    ["licenses"],
    moved("billable", (value) => value === 0, 1, 0.3, 1),
  ),
  // Contracts are renewed once a year with different numbers of seats.
  event("seats renewed", 1, ["plans"], redrawn("details.seatBased.paidSeats", 0.5, 1)),
  // Devices of a shared pool are handed out again: once in five years.
  event("devices handed on", 0.2, ["devices"], redrawn("sourceOwnerId", 0.15, 0.4)),
  // Every other year many devices get the next major system at the same time.
  event(
    "new system",
    0.5,
    ["devices"],
    (devices, { random }) =>
      devices.change("operatingSystem", devices.some(random.between(0.3, 0.7)), () => 7),
    ASKED,
  ),
  // A source begins to send its default where it sent nothing: once in five years.
  event("defaults filled in", 0.2, ["employees", "accounts"], (population) => {
    for (const path of ["roles", "userType"]) {
      const column = population.column(path);
      for (const slot of population.slots(path, (value) => value === MISSING))
        if (column.length > 0) column[slot] = 0;
    }
  }),
];
