/** What a number too large to be meant counts as: 68 years, as recipients do with ages (RFC 9111, section 1.2.2). */
const MAX_SECONDS = 2 ** 31;
/** `Sunday, 06-Nov-94 08:49:37 GMT`, `Sun, 06 Nov 1994 08:49:37 GMT` or `Sun Nov  6 08:49:37 1994`. */
const HTTP_DATE =
  /^[A-Z][a-z]{2,8}(, \d{2}[- ][A-Z][a-z]{2}[- ]\d{2,4} [\d:]{8} GMT| [A-Z][a-z]{2} [ \d]\d [\d:]{8} \d{4})$/;
const ASCTIME = /\d{4}$/;
/** No header's form, and written by some services all the same. */
const ISO_DATE = /^\d{4}-\d{2}-\d{2}T[\d:.]+(Z|[+-]\d{2}:\d{2})$/;

/**
 * Milliseconds that a `Retry-After` means, which is a number of seconds or a date (RFC 9110, section 10.2.3); undefined
 * where it is neither.
 * @param now Wall-clock time in milliseconds since the epoch.
 */
export function parseRetryAfter(value: string, now: number): number | undefined {
  const text = value.trim();
  if (/^\d+(\.\d+)?$/.test(text)) return Math.min(Number(text), MAX_SECONDS) * 1000;
  if (!HTTP_DATE.test(text) && !ISO_DATE.test(text)) return undefined;
  // The form of asctime names no zone, and means UTC as the others do.
  const date = Date.parse(ASCTIME.test(text) ? `${text} GMT` : text);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}
