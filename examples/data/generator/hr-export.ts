import { germanDate } from "./days.js";
import type { Employee } from "./employees.js";
import { randomFor } from "./random.js";
import { csvText } from "./text.js";

const HEADING = [
  "Employee ID",
  "Full name",
  "First name",
  "Last name",
  "Work e-mail",
  "Other e-mail addresses",
  "Active",
  "Division",
  "Department path",
  "Job title",
  "Manager ID",
  "Legal entity",
  "Country",
  "Office",
  "Cost center",
  "Employment type",
  "Hire date",
  "Termination date",
  "Record created",
  "Record deleted",
  "Mailbox",
  "Photo",
  "Notes",
];

const NOTES = [
  'Known to everybody as "Jimmy"',
  "Parental leave, deputy: see manager",
  "Locker 114\nKey handed over",
  "Badge replaced, old one returned",
  'Asked for "quiet office", see ticket',
];

/**
 * The HR export. Employees of the German company were migrated from a system with dates such as 31.03.2026; all others
 * have 2026-03-31.
 */
export function hrExport(employees: readonly Employee[]): string {
  const random = randomFor("hr-export");
  const rows = employees.map((employee) => {
    const { email, country, terminated } = employee;
    const date = country.code === "DE" ? germanDate : (day: string) => day;
    return [
      employee.id,
      employee.fullName,
      employee.firstName,
      employee.lastName,
      email === undefined ? "" : random.chance(0.09) ? asTypedByHand(email) : email,
      employee.aliases.join(random.chance(0.5) ? "; " : "\n"),
      terminated === undefined ? "Yes" : "No",
      employee.division,
      employee.departmentPath.join(" > "),
      employee.title,
      employee.managerId,
      country.legalEntity,
      country.code,
      random.chance(0.07) ? "" : employee.office,
      employee.costCenter,
      employee.employmentType,
      date(employee.hired),
      terminated === undefined ? "" : date(terminated),
      employee.created,
      employee.deleted ?? "",
      email === undefined ? "No" : "Yes",
      random.chance(0.2) ? `https://people.polarvik.example/photos/${employee.id}.jpg` : "",
      random.chance(0.03) ? random.pick(NOTES) : "",
    ];
  });
  return csvText([HEADING, ...rows], { delimiter: ",", lineEnd: "\r\n", byteOrderMark: true });
}

/** anna.mueller@polarvik.example as Anna.Mueller@Polarvik.example. */
export function asTypedByHand(email: string): string {
  return email
    .replaceAll(/(^|[.@-])([a-z])/g, (_, before: string, letter: string) => before + letter.toUpperCase())
    .replace(/\.Example$/, ".example");
}
