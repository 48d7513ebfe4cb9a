import { ConfigurationError, InvalidInputError } from "../errors.js";

/** Headers as a user writes them. */
export type HeaderOptions = Readonly<Record<string, string>>;

/**
 * The headers of every request: the client's own, and the user agent where the program may set it.
 * @throws {ConfigurationError} HTTP does not allow one of them
 */
export function defaultHeaders(own: HeaderOptions, userAgent: string): Headers {
  const headers = toHeaders(own, ConfigurationError);
  if (!headers.has("user-agent") && !inBrowser()) headers.set("user-agent", userAgent);
  return headers;
}

/**
 * The headers of one request, still without the credential.
 * @throws {InvalidInputError} HTTP does not allow one of them, or it is the credential's
 */
export function requestHeaders(defaults: Headers, own?: HeaderOptions): Headers {
  const headers = new Headers(defaults);
  if (own !== undefined) {
    for (const [name, value] of toHeaders(own, InvalidInputError)) headers.set(name, value);
  }
  if (headers.has("authorization")) {
    throw new InvalidInputError(
      "headers must not hold authorization: the client's apiKey or authorization is sent.",
    );
  }
  headers.set("content-type", "application/json");
  if (!headers.has("accept")) headers.set("accept", "application/graphql-response+json, application/json");
  return headers;
}

function toHeaders(
  headers: HeaderOptions,
  Refusal: typeof ConfigurationError | typeof InvalidInputError,
): Headers {
  try {
    return new Headers({ ...headers });
  } catch {
    // The engine's text quotes the value, which may be a secret: not passed on.
    throw new Refusal("headers holds a name or a value that HTTP does not allow.");
  }
}

/** A browser names itself, and asks the server's leave (CORS) for a page that wants to. */
function inBrowser(): boolean {
  return globalThis.navigator?.userAgent?.startsWith("Mozilla/") === true;
}
