import type { GraphQLErrorEntry } from "../../core/errors/index.js";

/** Codes that mean: too many requests. The service shows none; these are the usual ones. */
const RATE_LIMIT_CODES = /^(RATE_?LIMIT(ED|_EXCEEDED)?|TOO_MANY_REQUESTS|THROTTLED)$/i;

/** The code of an entry that refuses the credential. */
export const NOT_AUTHORIZED = "AUTH_NOT_AUTHORIZED";

/** True where an entry says that there were too many requests. */
export function isRateLimit(entry: GraphQLErrorEntry): boolean {
  return RATE_LIMIT_CODES.test(entry.extensions?.code ?? "");
}

/** Codes of the entries that are safe to show: short and plain. */
export function safeCodes(entries: readonly GraphQLErrorEntry[]): readonly string[] {
  const codes = entries.map((entry) => entry.extensions?.code ?? "");
  return [...new Set(codes)].filter((code) => /^[A-Z][A-Z0-9_]{0,63}$/.test(code)).slice(0, 5);
}
