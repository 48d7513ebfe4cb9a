/** The ways in which the consoles write a calendar day. The separator tells them apart, so none is guessed. */
export type DayFormat = "YYYY-MM-DD" | "DD.MM.YYYY" | "MM/DD/YYYY";

const SHAPES: Readonly<Record<DayFormat, RegExp>> = {
  "YYYY-MM-DD": /^(?<year>\d{4})-(?<month>\d{2})-(?<day>\d{2})$/,
  "DD.MM.YYYY": /^(?<day>\d{2})\.(?<month>\d{2})\.(?<year>\d{4})$/,
  "MM/DD/YYYY": /^(?<month>\d{2})\/(?<day>\d{2})\/(?<year>\d{4})$/,
};

/** The day as YYYY-MM-DD; `undefined` if it is in none of the formats or not in the calendar, as 31.02.2026. */
export function parseDay(text: string, formats: readonly DayFormat[]): string | undefined {
  for (const format of formats) {
    const parts = SHAPES[format].exec(text)?.groups;
    if (parts !== undefined) return existing(`${parts["year"]}-${parts["month"]}-${parts["day"]}`);
  }
  return undefined;
}

/** The moment that an ISO 8601 timestamp with `Z` or an offset names; `undefined` if it is none. */
export function parseMoment(text: string): Date | undefined {
  const day = /^(\d{4}-\d{2}-\d{2})T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:\d{2})$/.exec(text)?.[1];
  if (day === undefined || existing(day) === undefined) return undefined;
  const moment = new Date(text);
  return Number.isNaN(moment.getTime()) ? undefined : moment;
}

/** JavaScript takes 2026-02-31 for the third of March: only a day that comes back unchanged exists. */
function existing(day: string): string | undefined {
  const time = Date.parse(`${day}T00:00:00Z`);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(day) ? day : undefined;
}
