/** Where a server may tell its own id of a request; the service's description shows none. */
const NAMES = ["x-request-id", "x-correlation-id"];

/**
 * The server's own id of a request. It is shown in errors and events, so only what looks like an id is one: printable
 * ASCII without blanks, at most 128 characters, and nothing of a secret.
 */
export function readRequestId(
  header: (name: string) => unknown,
  redact: (text: string) => string,
): string | undefined {
  for (const name of NAMES) {
    const value = header(name);
    if (typeof value === "string" && /^[\x21-\x7e]{1,128}$/.test(value) && redact(value) === value)
      return value;
  }
  return undefined;
}
