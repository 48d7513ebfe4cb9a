/** A calendar date without a time, as the API's `Date` scalar writes it: `YYYY-MM-DD`. */
export type CalendarDate = `${number}-${number}-${number}`;

/**
 * The `__typename` of a union member that this version of the SDK does not know.
 *
 * At run time it is the name that the server sent. The `%`, which no GraphQL name contains, only keeps this member of
 * the type apart: `x.__typename === "UnusedLicenseState"` narrows to that type alone, and a `default` branch gets the
 * rest as a string.
 */
export type UnknownTypename = `%${string}`;
