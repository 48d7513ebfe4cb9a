/**
 * Milliseconds that a `Retry-After` means, which is a number of seconds or a date (RFC 9110, section 10.2.3); undefined
 * where it is neither.
 * @param now Wall-clock time in milliseconds since the epoch.
 */
export function parseRetryAfter(value: string, now: number): number | undefined {
  const text = value.trim();
  if (text === "") return undefined;
  if (/^\d{1,9}(\.\d+)?$/.test(text)) return Number(text) * 1000;
  const date = Date.parse(text);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}
