import type { GenericEmployee } from "@saas-management/sdk";
import { attributes } from "../fields.js";
import { type Row, readRows } from "./rows.js";

/** The file's column "Notes" is left out: remarks about people stay in the company. */
const COLUMNS = [
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
] as const;

export function employees(file: URL): AsyncIterable<readonly GenericEmployee[]> {
  return readRows(file, { columns: COLUMNS }, toEmployee);
}

function toEmployee(row: Row<(typeof COLUMNS)[number]>): GenericEmployee {
  const deletionTime = row.timestamp("Record deleted");
  return {
    id: row.required("Employee ID"),
    fullName: row.required("Full name"),
    firstName: row.text("First name"),
    lastName: row.text("Last name"),
    email: row.email("Work e-mail"),
    emailAliases: row.list("Other e-mail addresses", /[;,\s]/)?.map((alias) => alias.toLowerCase()),
    active: row.flag("Active", "Yes", "No"),
    deleted: deletionTime === undefined ? undefined : true,
    deletionTime,
    creationTime: row.timestamp("Record created"),
    avatarUrl: row.text("Photo"),
    orgUnit: row.text("Legal entity"),
    departmentPath: row.list("Department path", ">"),
    jobTitle: row.text("Job title"),
    country: row.text("Country"),
    division: row.text("Division"),
    costCenter: row.text("Cost center"),
    userType: row.text("Employment type"),
    managerId: row.text("Manager ID"),
    hasMailbox: row.flag("Mailbox", "Yes", "No"),
    attributes: attributes({
      // Employees of the German company have German dates.
      hireDate: row.day("Hire date", "YYYY-MM-DD", "DD.MM.YYYY"),
      terminationDate: row.day("Termination date", "YYYY-MM-DD", "DD.MM.YYYY"),
      office: row.text("Office")?.replaceAll(/\s*\n\s*/g, ", "),
    }),
  };
}
