import { Credential } from "../core/credential.js";
import { resolveEndpoint, warnOfWeakTls } from "../core/endpoint.js";
import { ConfigurationError } from "../core/errors/index.js";
import { COMMON_KEYS, type CommonOptions, resolveCommonOptions } from "../core/options.js";
import type { KeysOf } from "../core/validate.js";
import { rejectUnknownKeys, requireFunction } from "../core/validate.js";
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
   * @default globalThis.fetch
   */
  readonly fetch?: FetchLike | undefined;
}

const CLIENT_KEYS = {
  ...COMMON_KEYS,
  baseUrl: true,
  fetch: true,
  maxResponseBytes: true,
} satisfies KeysOf<GraphQLClientOptions>;

/** Checks the options. @throws {ConfigurationError} an option is not usable */
export function resolveGraphQLOptions(options: GraphQLClientOptions) {
  rejectUnknownKeys("GraphQLClient", options, CLIENT_KEYS, ConfigurationError);
  const { baseUrl, fetch, maxResponseBytes } = options;
  const configuration = resolveCommonOptions(options);
  const credential = new Credential(options, "");
  const endpoint = resolveEndpoint("baseUrl", baseUrl, "path");
  const { origin, pathname } = endpoint;
  requireFunction("fetch", fetch);
  if (fetch === undefined) warnOfWeakTls(endpoint, configuration.logger);
  return {
    configuration,
    credential,
    url: `${origin}${pathname === "/" ? "" : pathname}/graphql`,
    // Looked up with each request, so that a tracer or a test can replace it later.
    fetch: fetch ?? ((target, init) => globalThis.fetch(target, init)),
    headers: defaultHeaders(configuration.headers, configuration.userAgent),
    maxResponseBytes: resolveMaxResponseBytes(maxResponseBytes),
  };
}
