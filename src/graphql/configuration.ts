import { Credential } from "../credential.js";
import { requireFunction } from "../option-checks.js";
import { type CommonOptions, resolveCommonOptions, resolveEndpoint } from "../options.js";
import type { FetchLike } from "./exchange.js";
import { defaultHeaders } from "./request-headers.js";
import { type ResponseLimits, resolveMaxResponseBytes } from "./response-limits.js";

/** Options of a GraphQL client. */
export interface GraphQLClientOptions extends CommonOptions, ResponseLimits {
  /**
   * Base of the API, which is `POST {baseUrl}/graphql`: absolute `https://`, or `http://` to loopback. May have a
   * path.
   */
  readonly baseUrl: string;
  /** Sends the requests. It must heed `redirect: "manual"`. @default globalThis.fetch */
  readonly fetch?: FetchLike | undefined;
}

/** Checks the options. @throws {ConfigurationError} an option is not usable */
export function resolveGraphQLOptions(options: GraphQLClientOptions) {
  const configuration = resolveCommonOptions(options);
  const credential = new Credential(options, "");
  const { origin, pathname } = resolveEndpoint("baseUrl", options.baseUrl, "path");
  requireFunction("fetch", options.fetch);
  // Looked up with each request: what replaces the global one later (a tracer, a test) is heeded.
  const fetch: FetchLike = options.fetch ?? ((target, init) => globalThis.fetch(target, init));
  return {
    configuration,
    credential,
    url: `${origin}${pathname === "/" ? "" : pathname}/graphql`,
    fetch,
    headers: defaultHeaders(configuration.headers, configuration.userAgent),
    maxResponseBytes: resolveMaxResponseBytes(options.maxResponseBytes),
  };
}
