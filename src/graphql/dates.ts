import { InvalidInputError } from "../errors.js";

/** A calendar date without a time, as the API's `Date` scalar writes it: `YYYY-MM-DD`. */
export type CalendarDate = `${number}-${number}-${number}`;

/**
 * A value of the `Date` scalar.
 *
 * @param value A `Date`, of which the day in UTC is taken, or a text that is checked to be a real `YYYY-MM-DD` date
 * @throws {InvalidInputError} it is none of both
 */
export function calendarDate(value: Date | string): CalendarDate {
  const text = typeof value === "string" ? value : dayOf(value);
  if (isCalendarDate(text)) return text;
  throw new InvalidInputError(
    "A calendar date must be a Date of the years 0 to 9999 or a text such as 2026-12-31.",
  );
}

function isCalendarDate(text: string): text is CalendarDate {
  return /^\d{4}-\d{2}-\d{2}$/.test(text) && dayOf(new Date(`${text}T00:00:00Z`)) === text;
}

function dayOf(date: Date): string {
  return Number.isNaN(date.getTime()) ? "" : date.toISOString().slice(0, -"T00:00:00.000Z".length);
}
