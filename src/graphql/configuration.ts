import { CLIENT_OPTION_NAMES } from "../core/client-option-names.js";
import { Credential } from "../core/credential.js";
import { ConfigurationError } from "../core/errors/index.js";
import { fetchWeakness } from "../core/fetch-weakness.js";
import { refuseForeign } from "../core/foreign-options.js";
import type { NamesOf } from "../core/option-names.js";
import { type CommonOptions, resolveCommonOptions, resolveEndpoint } from "../core/options.js";
import { refuseMisspelled, requireFunction } from "../core/validate.js";
import type { FetchLike } from "./request/attempt.js";
import { defaultHeaders } from "./request/request-headers.js";
import { type ResponseLimits, resolveMaxResponseBytes } from "./request/response-limits.js";

/** Options of a GraphQL client. */
export interface GraphQLClientOptions extends CommonOptions, ResponseLimits {
  /**
   * Base of the API, which is `POST {baseUrl}/graphql`: absolute `https://`, or `http://` to loopback. May have a
   * path.
   */
  readonly baseUrl: string;
  /**
   * Sends the requests. It must heed `redirect: "manual"`.
   * @default globalThis.fetch; where it is not safe in this process (no checks of certificates, TLS below 1.2, a proxy
   *   for loopback), requests fail with a {@link ConfigurationError}
   */
  readonly fetch?: FetchLike | undefined;
}

const CLIENT_NAMES = CLIENT_OPTION_NAMES satisfies NamesOf<GraphQLClientOptions>;

const OVER_FETCH =
  "has no effect on a GraphQLClient, which speaks over fetch: SaasManagementClient takes it, or a fetch of your own does it.";

/** Checks the options. @throws {ConfigurationError} an option is not usable */
export function resolveGraphQLOptions(options: GraphQLClientOptions) {
  refuseMisspelled("The options of GraphQLClient", options, CLIENT_NAMES);
  refuseForeign(options, { tls: OVER_FETCH, proxy: OVER_FETCH });
  // Each is read once: what was checked is what is used.
  const { baseUrl, fetch, maxResponseBytes } = options;
  const configuration = resolveCommonOptions(options);
  const credential = new Credential(options, "");
  const endpoint = resolveEndpoint("baseUrl", baseUrl, "path");
  const { origin, pathname } = endpoint;
  requireFunction("fetch", fetch);
  return {
    configuration,
    credential,
    url: `${origin}${pathname === "/" ? "" : pathname}/graphql`,
    fetch: fetch ?? globalFetch(endpoint),
    headers: defaultHeaders(configuration.headers, configuration.userAgent),
    maxResponseBytes: resolveMaxResponseBytes(maxResponseBytes),
  };
}

/** The global fetch, where it can be trusted with a key. */
function globalFetch(endpoint: URL): FetchLike {
  return (target, init) => {
    const weakness = fetchWeakness(endpoint);
    // Looked up with each request: what replaces the global one later (a tracer, a test) is heeded.
    if (weakness === undefined) return globalThis.fetch(target, init);
    throw new ConfigurationError(
      `Nothing was sent, because Node's fetch is not safe in this process: ${weakness}. SaasManagementClient connects safely all the same; tls.ca trusts a private authority.`,
    );
  };
}
