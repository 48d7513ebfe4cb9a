/**
 * The `__typename` of a union's member that this version of the SDK does not know.
 *
 * At run time it is the plain name that the server sent. The `%`, which no GraphQL name can have, is there for the
 * compiler alone: it keeps this arm apart, so that `x.__typename === "UnusedLicenseState"` leaves that member only,
 * and a `default` branch gets the rest as a string.
 */
export type UnknownTypename = `%${string}`;
