import { InvalidInputError } from "../core/errors/index.js";
import { calendarDate } from "./dates.js";
import type { LicensePlanFilterInput } from "./generated/operations.js";

/**
 * A `where` for license plans: their contract's next renewal is on one of these days, both included.
 *
 * @example
 * ```ts
 * const soon = new Date(Date.now() + 90 * 86_400_000);
 * client.licensePlans({ where: renewalBetween(new Date(), soon) });
 * ```
 * @param from The first day: `YYYY-MM-DD`, or a `Date` whose day in UTC is taken
 * @param to The last day, likewise
 * @throws {InvalidInputError} one is no date, or `to` is before `from`
 */
export function renewalBetween(from: Date | string, to: Date | string): LicensePlanFilterInput {
  const gte = calendarDate(from);
  const lte = calendarDate(to);
  if (lte < gte)
    throw new InvalidInputError("renewalBetween needs its first date not to be after its second.");
  return { contractDetails: { renewal: { upcomingDate: { value: { gte, lte } } } } };
}
