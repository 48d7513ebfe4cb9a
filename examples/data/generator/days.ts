/** The day of all exports, as YYYY-MM-DD. */
export const EXPORT_DAY = "2026-03-31";

const DAY_MS = 86_400_000;

/** Adds days to a calendar day. */
export function addDays(day: string, days: number): string {
  return new Date(Date.parse(day) + days * DAY_MS).toISOString().slice(0, 10);
}

/** 2026-03-31 as 31.03.2026. */
export function germanDate(day: string): string {
  return day.split("-").reverse().join(".");
}

/** 2026-03-31 as 03/31/2026. */
export function americanDate(day: string): string {
  const [year, month, date] = day.split("-");
  return `${month}/${date}/${year}`;
}

/** Central European summer time in the years of the usage log. */
const SUMMER_TIMES = [
  ["2024-03-31", "2024-10-27"],
  ["2025-03-30", "2025-10-26"],
  ["2026-03-29", "2026-10-25"],
] as const;

/** A time in central Europe, as an ISO 8601 timestamp with its offset. */
export function localTimestamp(day: string, secondOfDay: number): string {
  const time = new Date(secondOfDay * 1000).toISOString().slice(11, 19);
  const summer = SUMMER_TIMES.some(([from, to]) => from <= day && day < to);
  return `${day}T${time}+0${summer ? 2 : 1}:00`;
}
