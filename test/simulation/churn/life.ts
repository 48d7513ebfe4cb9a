import type { Modelled } from "./fields.js";
import type { Installation } from "./installation.js";
import type { Population } from "./population.js";

/** Ordinary changes between two runs. The rates are plain estimates unless a source is named. */
export function live(installation: Installation): void {
  const turnover = turnoverOf(installation);
  for (const collection of ["employees", "accounts", "devices"] as const)
    replace(installation, collection, turnover);
  // Licenses and memberships change more often than the people who have them; a leaver's licenses go with the leaver.
  replace(installation, "licenses", turnover + perMonth(installation, 0.01), turnover);
  replace(installation, "groupMembers", 3 * turnover + perMonth(installation, 0.02));
  replace(installation, "groups", perMonth(installation, 0.01));
  for (const population of installation.collections.values()) drift(installation, population);
  count(installation);
  followHabits(installation);
}

function turnoverOf(installation: Installation): number {
  const { churn, elapsed, day, random } = installation;
  let turnover = churn * elapsed;
  // About every two months, a staffing agency fills a client's order within hours.
  if (installation.has("burst") && random.chance(0.02 * elapsed)) turnover *= 15;
  // Contracts begin and end at the turn of a month.
  return Math.floor(day) % 30 === 0 ? 4 * turnover : turnover;
}

function perMonth({ elapsed }: Installation, share: number): number {
  return (share / 30) * elapsed;
}

/** @param more The share of records that are added without replacing others. */
function replace(installation: Installation, collection: Modelled, share: number, more = 0): void {
  const population = installation.of(collection);
  if (population === undefined) return;
  const { random, elapsed } = installation;
  const { size } = population;
  // The smallest organisations grow by chance.
  const byChance = size < 8 && random.chance(0.01 * elapsed) ? 1 : 0;
  population.add(random.poisson((share + more) * size) + byChance);
  const leaving = Math.min(random.poisson(share * size), size - 1);
  if (size <= 2 || leaving === 0) return;
  const slots = random.pick(population.slots(), leaving);
  // Some directories only deactivate leavers, and delete them later.
  if (installation.has("purge") && collection === "employees") population.change("active", slots, () => 0);
  else population.remove(slots);
}

/** The share of the records whose values change in a day. */
const DRIFT: Readonly<Record<string, number>> = {
  // People correct records by hand and by imports; these rates are on the high side.
  fullName: 0.002,
  name: 0.002,
  email: 0.002,
  active: 0.002,
  serialNumber: 0.0002,
  // A quarter of the people in a year: studies of internal mobility find 10 to 25%.
  departmentPath: 0.0007,
  costCenter: 0.0007,
  managerId: 0.0007,
  jobTitle: 0.0007,
  roles: 0.0007,
  role: 0.0007,
  type: 0.0007,
  // Licenses and devices are handed on when people change jobs.
  sourceAccountId: 0.0007,
  sourcePlanId: 0.0007,
  billable: 0.0007,
  sourceOwnerId: 0.0007,
  description: 0.0007,
};

function drift({ random, elapsed }: Installation, population: Population): void {
  if (population.collection === "plans") return;
  for (const { path } of population.fields) {
    const changes = random.poisson((DRIFT[path] ?? 0) * elapsed * population.size);
    if (changes > 0) population.redraw(path, random.pick(population.slots(), changes));
  }
}

/** Devices report their use, seats are taken and given back, and systems are patched in the days after a patch day. */
function count(installation: Installation): void {
  const { elapsed, day, hour, isWeekend, random } = installation;
  const hourly = hour >= 8 && hour < 18 && !isWeekend ? 0.16 : 0.012;
  const daily = elapsed >= 6 ? 0.9 : isWeekend ? 0.12 : 0.6;
  const used = elapsed >= 1 ? daily : Math.min(0.9, hourly * elapsed * 24);
  const devices = installation.of("devices");
  devices?.change("lastSeen", devices.slots(), (value) => (random.chance(used) ? devices.unique() : value));
  const plans = installation.of("plans");
  plans?.change("details.seatBased.consumedSeats", plans.slots(), (value) =>
    random.chance(used) ? Math.max(0, value + random.below(7) - 3) : value,
  );
  const month = Math.floor(day / 30);
  if (day % 30 >= 9 && day % 30 < 13)
    devices?.change("operatingSystemVersion", devices.some(0.3 * Math.min(elapsed, 3)), () => 20 + month);
}

function followHabits(installation: Installation): void {
  const { random, day, elapsed, hour, isWeekend, seasonal, people } = installation;
  if (installation.has("jit")) {
    // An eighth of the memberships is granted for working hours only, always under the same ids.
    const members = installation.of("groupMembers");
    const granted = seasonal.get("groupMembers") ?? members?.some(1 / 8) ?? new Int32Array();
    seasonal.set("groupMembers", granted);
    const share = hour >= 8 && hour < 18 && !isWeekend ? 0.7 : 0.05;
    for (const slot of granted)
      if (members !== undefined && random.chance(0.25)) members.show(slot, random.chance(share));
  }
  if (installation.has("virtual") && hour < 6) {
    // 18% of the devices are desktops that are recreated each night.
    const devices = installation.of("devices");
    devices?.remove(seasonal.get("devices") ?? new Int32Array());
    if (devices !== undefined) seasonal.set("devices", devices.add(Math.floor(people * 0.18)));
  }
  if (installation.has("weekend") && Math.floor(day) !== Math.floor(day - elapsed)) {
    // The vendor considers people active if they were seen within 24 hours.
    const accounts = installation.of("accounts");
    accounts?.change("active", accounts.slots(), () => (random.chance(isWeekend ? 0.25 : 0.85) ? 1 : 0));
  }
}
