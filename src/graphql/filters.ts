import { InvalidInputError } from "../core/errors/index.js";
import { describeType } from "../core/validate.js";
import type { ChangeVendorsStateInput, VendorFilter } from "./generated/operations.js";
import { copyVariables, dayOf, isCalendarDate, isJsonObject, type JsonObject } from "./request/variables.js";

/** String operators that match every value, or every value that is set, if their operand is empty. */
const MATCH_ALL_IF_EMPTY = ["contains", "startsWith", "endsWith", "neq"];

/**
 * Returns the day of a `Date` in UTC as the API's `Date` scalar writes it: `YYYY-MM-DD`.
 * @throws {InvalidInputError} not a valid `Date` of the years 0 to 9999
 */
export function calendarDate(value: Date): string {
  const text = value instanceof Date ? dayOf(value) : "";
  if (isCalendarDate(text)) return text;
  throw new InvalidInputError(
    `calendarDate needs a valid Date of the years 0 to 9999, got ${describeType(value)}.`,
  );
}

/**
 * Returns the variables of a change to many vendors, as they will be sent.
 *
 * A filter without a condition selects every vendor of the workspace, and is easily made by accident: from a field that
 * is `undefined`, an empty list, an empty input of a form. So every object and list in it must still have a condition.
 *
 * @throws {InvalidInputError} a part has no condition; `issues` has its path
 */
export function narrowingVariables(input: ChangeVendorsStateInput, where: VendorFilter): JsonObject {
  if (!isJsonObject(where)) throw tooWide("where", 'a filter, or "all" for every vendor of the workspace');
  const variables = copyVariables({ input, where }, "changeVendorsState");
  checkPart(variables["where"], "where");
  return variables;
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
