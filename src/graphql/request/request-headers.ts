import { ConfigurationError, InvalidInputError } from "../../core/errors/index.js";
import { readHeaders } from "../../core/options.js";

/** Headers as a user writes them. */
export type HeaderOptions = Readonly<Record<string, string>>;

/** Headers as they are sent: names in lower case. A record: each `Headers` costs more than the rest of a request. */
export type SentHeaders = Readonly<Record<string, string>>;

const JSON_BODY = { "content-type": "application/json" };

/**
 * The headers of every request: the client's own, the user agent where the program may set it, and those of JSON.
 * @throws {ConfigurationError} HTTP does not allow one of them
 */
export function defaultHeaders(own: HeaderOptions, userAgent: string): SentHeaders {
  return {
    accept: "application/graphql-response+json, application/json",
    ...(inBrowser() ? {} : { "user-agent": userAgent }),
    ...checked(own, ConfigurationError),
    ...JSON_BODY,
  };
}

/**
 * The headers of one request, still without the credential.
 * @throws {InvalidInputError} HTTP does not allow one of them, or it is the credential's
 */
export function requestHeaders(defaults: SentHeaders, own: HeaderOptions | undefined): SentHeaders {
  if (own === undefined) return defaults;
  const headers = checked(own, InvalidInputError);
  if ("authorization" in headers) {
    throw new InvalidInputError(
      "headers must not hold authorization: the client's apiKey or authorization is sent.",
    );
  }
  return { ...defaults, ...headers, ...JSON_BODY };
}

function checked(
  given: HeaderOptions,
  Refusal: typeof ConfigurationError | typeof InvalidInputError,
): SentHeaders {
  const headers = readHeaders(given, Refusal);
  try {
    return Object.fromEntries(new Headers(headers));
  } catch {
    // The engine's text quotes the value, which may be a secret: not passed on.
    throw new Refusal("headers holds a name or a value that HTTP does not allow.");
  }
}

/** A browser names itself, and asks the server's leave (CORS) for a page that wants to. */
function inBrowser(): boolean {
  return globalThis.navigator?.userAgent?.startsWith("Mozilla/") === true;
}
