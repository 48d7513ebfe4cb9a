import { InvalidInputError } from "../core/errors/index.js";

/** A calendar date without a time, as the API's `Date` scalar writes it: `YYYY-MM-DD`. */
export type CalendarDate = `${number}-${number}-${number}`;

/**
 * A value of the `Date` scalar.
 *
 * @param value A `Date`, of which the day in UTC is taken, or a text that is checked to be a real `YYYY-MM-DD` date
 * @throws {InvalidInputError} it is none of both
 */
export function calendarDate(value: Date | string): CalendarDate {
  // The types say so already; a caller without types may give anything.
  const text = value instanceof Date ? dayOf(value) : value;
  if (typeof text === "string" && isCalendarDate(text)) return text;
  throw new InvalidInputError(
    "A calendar date must be a Date of the years 0 to 9999 or a text such as 2026-12-31.",
  );
}

/** Deeper parts are not looked into: no input of the API comes near. */
const MAX_DEPTH = 20;

/**
 * Refuses a JavaScript `Date` in what the API takes: it would be sent as a moment, where each date is a calendar date.
 * @throws {InvalidInputError} naming the path of the first one
 */
export function refuseDates(value: unknown): void {
  const path = pathOfDate(value, MAX_DEPTH, new WeakSet());
  if (path === undefined) return;
  const expected = "a calendar date such as 2026-12-31, got a Date";
  throw new InvalidInputError(`${path} must be ${expected}: calendarDate(date) makes one of it.`, {
    issues: [{ path, expected }],
  });
}

/** Where a `Date` is within a value; empty for the value itself, undefined where there is none. */
function pathOfDate(value: unknown, depth: number, seen: WeakSet<object>): string | undefined {
  if (typeof value !== "object" || value === null || depth === 0 || seen.has(value)) return undefined;
  seen.add(value);
  try {
    if (value instanceof Date) return "";
    for (const [key, inner] of Object.entries(value)) {
      const path = pathOfDate(inner, depth - 1, seen);
      if (path !== undefined) return path === "" ? key : `${key}.${path}`;
    }
  } catch {
    // What cannot be read is refused when it is to be written as JSON.
  }
  return undefined;
}

function isCalendarDate(text: string): text is CalendarDate {
  return /^\d{4}-\d{2}-\d{2}$/.test(text) && dayOf(new Date(`${text}T00:00:00Z`)) === text;
}

function dayOf(date: Date): string {
  return Number.isNaN(date.getTime()) ? "" : date.toISOString().slice(0, -"T00:00:00.000Z".length);
}
