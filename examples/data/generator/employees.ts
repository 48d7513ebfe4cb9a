import { addDays, EXPORT_DAY, localTimestamp } from "./days.js";
import { COUNTRIES, type Country } from "./names.js";
import { type Department, DIVISIONS, type Division } from "./organization.js";
import { type Random, randomFor } from "./random.js";
import { addressPart, sortedBy } from "./text.js";

/** An employee in the HR system. */
export interface Employee {
  readonly id: string;
  readonly fullName: string;
  readonly firstName: string;
  readonly lastName: string;
  /** The address in lower case; undefined for people who work without a computer. */
  readonly email: string | undefined;
  readonly aliases: readonly string[];
  readonly division: string;
  readonly departmentPath: readonly string[];
  readonly title: string;
  readonly managerId: string;
  readonly country: Country;
  readonly office: string;
  readonly costCenter: string;
  readonly employmentType: string;
  readonly hired: string;
  readonly created: string;
  /** The last day of a person who left. */
  readonly terminated: string | undefined;
  /** When the entry of a person who left was deleted. */
  readonly deleted: string | undefined;
}

/** A position in the organization. */
interface Position {
  readonly title: string;
  readonly manager: Position | undefined;
  readonly division: string;
  readonly departmentPath: readonly string[];
  readonly costCenter: string;
  readonly shopFloor: boolean;
}

/** About one in twelve left in the year before the export. */
const LEAVER_SHARE = 0.085;

/** Addresses from before the company changed its name, which older employees still have. */
const FORMER_DOMAIN = "polarvik-optik.example";
const DOMAIN = "polarvik.example";

/** All employees in order of their ids, including those who left in the last year. */
export function employees(): Employee[] {
  const random = randomFor("employees");
  const hired = sortedBy(
    positions(random).map((position, index) => ({ position, index, hired: hireDay(position, random) })),
    ({ hired, index }) => `${hired} ${String(index).padStart(5, "0")}`,
  );
  const ids = new Map<Position | undefined, string>([[undefined, ""]]);
  for (const [index, { position }] of hired.entries()) ids.set(position, `P${10_011 + index * 3}`);
  const taken = new Map<string, number>();
  return hired.map(({ position, hired }) => ({
    ...person(position, hired, taken, random),
    id: ids.get(position) ?? "",
    managerId: ids.get(position.manager) ?? "",
  }));
}

function positions(random: Random): Position[] {
  const none = { departmentPath: [], costCenter: "1000", shopFloor: false };
  const chief: Position = { ...none, title: "Chief Executive Officer", manager: undefined, division: "" };
  const result = [chief];
  for (const division of DIVISIONS) {
    const head = {
      ...none,
      title: division.head,
      manager: chief,
      division: division.name,
      departmentPath: [division.name],
    };
    result.push(head);
    for (const department of division.departments)
      result.push(...departmentPositions(division, head, department, random));
  }
  return result;
}

function departmentPositions(
  division: Division,
  manager: Position,
  department: Department,
  random: Random,
): Position[] {
  const path = [division.name, department.name];
  const common = { division: division.name, costCenter: department.costCenter };
  const head: Position = {
    ...common,
    title: `Head of ${department.name}`,
    manager,
    departmentPath: path,
    shopFloor: false,
  };
  const leads = department.teams.map((team): Position => {
    return {
      ...common,
      title: `Team Lead, ${team}`,
      manager: head,
      departmentPath: [...path, team],
      shopFloor: false,
    };
  });
  const members = Array.from({ length: department.headcount - 1 - leads.length }, (): Position => {
    const lead = random.pick(leads);
    const shopFloor = department.shopFloor === true && random.chance(0.45);
    return {
      ...common,
      title: random.pick(department.titles),
      manager: lead,
      departmentPath: lead.departmentPath,
      shopFloor,
    };
  });
  return [head, ...leads, ...members];
}

/** Managers were hired earlier, so they tend to have lower ids than their reports. */
function hireDay(position: Position, random: Random): string {
  const leads = /Chief|VP|Head|Lead/.test(position.title);
  return addDays(EXPORT_DAY, -(leads ? random.int(3000, 7500) : random.int(400, 5200)));
}

function person(
  position: Position,
  hired: string,
  taken: Map<string, number>,
  random: Random,
): Omit<Employee, "id" | "managerId"> {
  const country = random.weighted(COUNTRIES);
  const given = random.pick(country.given);
  const family = random.pick(country.family);
  const mailbox = mailboxName(`${addressPart(given.latin)}.${addressPart(family.latin)}`, taken);
  const terminated = random.chance(LEAVER_SHARE) ? addDays(EXPORT_DAY, -random.int(2, 360)) : undefined;
  const purged = terminated !== undefined && terminated < addDays(EXPORT_DAY, -200);
  return {
    firstName: given.written,
    lastName: family.written,
    fullName: country.familyFirst ? family.written + given.written : `${given.written} ${family.written}`,
    email: position.shopFloor ? undefined : `${mailbox}@${DOMAIN}`,
    aliases: position.shopFloor ? [] : aliases(mailbox, hired, random),
    division: position.division,
    departmentPath: position.departmentPath,
    title: position.title,
    country,
    office: random.pick(country.offices),
    costCenter: random.chance(0.04) ? "" : position.costCenter,
    employmentType: random.chance(0.05)
      ? random.pick(["Apprentice", "Working student", "Contractor"])
      : "Employee",
    hired,
    created: localTimestamp(addDays(hired, -random.int(3, 60)), random.int(28_800, 61_200)),
    terminated,
    deleted: purged ? localTimestamp(addDays(terminated, 180), random.int(7200, 10_800)) : undefined,
  };
}

/** The part before the `@`, with a number if two people have the same name. */
function mailboxName(name: string, taken: Map<string, number>): string {
  const count = (taken.get(name) ?? 0) + 1;
  taken.set(name, count);
  return count === 1 ? name : `${name}${count}`;
}

function aliases(mailbox: string, hired: string, random: Random): string[] {
  const result: string[] = [];
  if (hired < "2016-07-01" && random.chance(0.8)) result.push(`${mailbox}@${FORMER_DOMAIN}`);
  if (random.chance(0.06))
    result.push(`${mailbox.charAt(0)}${mailbox.slice(mailbox.indexOf(".") + 1)}@${DOMAIN}`);
  return result;
}
