/** Whether the text is a day of the calendar, written as YYYY-MM-DD. */
export function isCalendarDate(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  const time = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(time) && calendarDateOf(time) === text;
}

/** The day of a moment in milliseconds since the epoch, in UTC, as YYYY-MM-DD. */
export function calendarDateOf(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}
