import { InvalidInputError } from "../core/errors/index.js";
import type { LicensePlanFilterInput, VendorDiscoveryFilterInput } from "./generated/operations.js";
import { copyVariables, isJsonObject, type JsonObject } from "./request/variables.js";
import type { CalendarDate } from "./scalars.js";

/** String operators that match every value, or every value that is set, if their operand is empty. */
const MATCH_ALL_IF_EMPTY = ["contains", "startsWith", "endsWith", "neq"];

/**
 * Returns a value of the `Date` scalar.
 *
 * @param value A `Date`, whose day in UTC is taken, or a string that must be a real `YYYY-MM-DD` date
 * @throws {InvalidInputError} it is neither
 */
export function calendarDate(value: Date | string): CalendarDate {
  // Callers without types may pass anything.
  const text = value instanceof Date ? dayOf(value) : value;
  if (typeof text === "string" && isCalendarDate(text)) return text;
  throw new InvalidInputError(
    "A calendar date must be a Date of the years 0 to 9999, or a string such as 2026-12-31.",
  );
}

/**
 * Returns a `where` for license plans: the next renewal of their contract is on one of these days, both included.
 *
 * @example
 * ```ts
 * const soon = new Date(Date.now() + 90 * 86_400_000);
 * client.licensePlans({ where: renewalBetween(new Date(), soon) });
 * ```
 * @param from The first day: `YYYY-MM-DD`, or a `Date` whose day in UTC is taken
 * @param to The last day, likewise
 * @throws {InvalidInputError} one is not a date, or `to` is before `from`
 */
export function renewalBetween(from: Date | string, to: Date | string): LicensePlanFilterInput {
  const gte = calendarDate(from);
  const lte = calendarDate(to);
  if (lte < gte) throw new InvalidInputError("renewalBetween: the first date must not be after the second.");
  return { contractDetails: { renewal: { upcomingDate: { value: { gte, lte } } } } };
}

/**
 * Returns the filter of a change to many vendors, as it will be sent.
 *
 * A filter without a condition selects every vendor of the workspace, and is easily made by accident: from a field that
 * is `undefined`, an empty list, an empty input of a form. So every object and list in it must still have a condition.
 *
 * @throws {InvalidInputError} a part has no condition; `issues` has its path
 */
export function narrowingFilter(where: VendorDiscoveryFilterInput): JsonObject {
  if (!isJsonObject(where)) throw tooWide("where", 'a filter, or "all" for every vendor of the workspace');
  const { where: sent } = copyVariables({ where }, { allowDates: false });
  checkPart(sent, "where");
  return { where: sent };
}

function checkPart(part: unknown, path: string): void {
  if (part === null) throw tooWide(path, "a condition, not null");
  if (Array.isArray(part)) {
    if (part.length === 0) throw tooWide(path, "a list with at least one entry");
    for (const [index, item] of part.entries()) checkPart(item, `${path}[${index}]`);
  } else if (isJsonObject(part)) {
    const entries = Object.entries(part);
    if (entries.length === 0) throw tooWide(path, "an object with at least one condition");
    for (const [key, value] of entries) checkCondition(key, value, `${path}.${key}`);
  }
}

function checkCondition(operator: string, value: unknown, path: string): void {
  if (operator === "eq" && value === null) return;
  if ((operator === "in" || operator === "nin") && Array.isArray(value) && value.length > 0) {
    if (operator === "nin" && value.every((text) => text === "" || text === null))
      throw tooWide(path, "a list with a string that is not empty");
    return;
  }
  if (MATCH_ALL_IF_EMPTY.includes(operator) && value === "")
    throw tooWide(path, "a string that is not empty");
  checkPart(value, path);
}

function tooWide(path: string, expected: string): InvalidInputError {
  return new InvalidInputError(
    `${path} must be ${expected}: otherwise the change could reach every vendor. Pass "all" if it is meant to.`,
    { issues: [{ path, expected }] },
  );
}

function isCalendarDate(text: string): text is CalendarDate {
  return /^\d{4}-\d{2}-\d{2}$/.test(text) && dayOf(new Date(`${text}T00:00:00Z`)) === text;
}

function dayOf(date: Date): string {
  return Number.isNaN(date.getTime()) ? "" : date.toISOString().slice(0, -"T00:00:00.000Z".length);
}
