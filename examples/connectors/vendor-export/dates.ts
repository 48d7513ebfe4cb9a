/** The ways in which the consoles write a calendar day. The separators tell them apart. */
export type DayFormat = "YYYY-MM-DD" | "DD.MM.YYYY" | "MM/DD/YYYY";

const PATTERNS: Readonly<Record<DayFormat, RegExp>> = {
  "YYYY-MM-DD": /^(?<year>\d{4})-(?<month>\d{2})-(?<day>\d{2})$/,
  "DD.MM.YYYY": /^(?<day>\d{2})\.(?<month>\d{2})\.(?<year>\d{4})$/,
  "MM/DD/YYYY": /^(?<month>\d{2})\/(?<day>\d{2})\/(?<year>\d{4})$/,
};

/** Returns the day as YYYY-MM-DD; undefined if it has none of the formats or does not exist, such as 31.02.2026. */
export function parseDay(text: string, formats: readonly DayFormat[]): string | undefined {
  for (const format of formats) {
    const parts = PATTERNS[format].exec(text)?.groups;
    if (parts !== undefined) return existingDay(`${parts["year"]}-${parts["month"]}-${parts["day"]}`);
  }
  return undefined;
}

/** Parses an ISO 8601 timestamp with `Z` or an offset; undefined if it is not one. */
export function parseTimestamp(text: string): Date | undefined {
  const day = /^(\d{4}-\d{2}-\d{2})T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:\d{2})$/.exec(text)?.[1];
  if (day === undefined || existingDay(day) === undefined) return undefined;
  const date = new Date(text);
  return Number.isNaN(date.getTime()) ? undefined : date;
}

/** JavaScript reads 2026-02-31 as the third of March. */
function existingDay(day: string): string | undefined {
  const time = Date.parse(`${day}T00:00:00Z`);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(day) ? day : undefined;
}
