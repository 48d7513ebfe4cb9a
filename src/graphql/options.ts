import { SIGNAL } from "../core/abort.js";
import { Credential } from "../core/credential.js";
import { isLoopback, lacksPage, resolveEndpoint } from "../core/endpoint.js";
import { ConfigurationError, InvalidInputError } from "../core/errors/index.js";
import { COMMON_OPTIONS, type GraphQLOptions, readHeaders, resolveCommonOptions } from "../core/options.js";
import type { RetryOptions } from "../core/retry.js";
import {
  FLAG,
  FUNCTION,
  LIMIT,
  type OptionTable,
  oneOf,
  POSITIVE,
  readOptions,
  TEXT,
  wholeNumber,
} from "../core/validate.js";
import { PageSizes } from "./paging/page-sizes.js";
import type { WalkPlan } from "./paging/page-walk.js";

/** Options of one request, or of every page of a connection. */
export interface RequestOptions {
  /** Cancels the request, its retries and their pauses; the call rejects with the signal's own reason. @default none */
  readonly signal?: AbortSignal | undefined;
  /** Time limit for the request, including retries, in milliseconds. @default the client's `timeoutMs` */
  readonly timeoutMs?: number | undefined;
  /** Headers of the request, which override the client's `headers` and follow the same rules. @default none */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /**
   * How transient failures are retried; `false` turns retries off. Fields that you leave out come from the client's
   * `retry`. @default the client's `retry`
   */
  readonly retry?: RetryOptions | false | undefined;
}

/** Options of a request that may change something. */
export interface MutationOptions extends RequestOptions {
  /**
   * Confirms that sending the mutation twice has the same effect as sending it once, so the SDK may retry transient
   * failures. Without `idempotent`, a mutation is never retried. @default false
   */
  readonly idempotent?: boolean | undefined;
}

/**
 * Which part of a collection to read, and how (service description, "GraphQL API"). Request options apply to every
 * page.
 */
export interface ListOptions<Where, Order> extends RequestOptions {
  /** Which nodes to read; conditions in one object are combined with AND. @default all nodes */
  readonly where?: Where | undefined;
  /** Sort order: one object, or several, where later ones break ties. @default the server's own */
  readonly order?: Order | readonly Order[] | undefined;
  /** Maximum number of nodes to read in total; 0 or more. @default no limit */
  readonly limit?: number | undefined;
  /**
   * Maximum number of nodes per request; 1 or more. The page size doesn't affect which nodes you get. The service
   * refuses pages that are too large. @default the client's `pageSize`
   */
  readonly pageSize?: number | undefined;
  /**
   * Where to start. With `"end"` you get the nodes in reverse, starting with the last in `order`. Within a `Page`,
   * nodes keep the server's order. @default "start"
   */
  readonly from?: "start" | "end" | undefined;
  /**
   * Continues after this cursor: the `endCursor` of a page, or its `startCursor` with `from: "end"`.
   * @default the very start, or the very end
   */
  readonly cursor?: string | undefined;
  /** Whether to request the next page while you consume the current one. @default true */
  readonly prefetch?: boolean | undefined;
}

export type PagingOptions = Omit<ListOptions<never, never>, "where" | "order">;

/** Header names in lower case. We don't use `Headers`, because creating one costs more than the rest of a request. */
export type HeaderRecord = Readonly<Record<string, string>>;

export type GraphQLConfiguration = ReturnType<typeof resolveOptions>;

const CLIENT_OPTIONS = {
  ...COMMON_OPTIONS,
  baseUrl: true,
  fetch: FUNCTION,
  dangerouslyAllowBrowser: FLAG,
  pageSize: wholeNumber(1),
  credentials: oneOf("omit", "same-origin", "include"),
  maxResponseBytes: wholeNumber(1),
} satisfies OptionTable<GraphQLOptions>;

export const REQUEST_OPTIONS = {
  signal: SIGNAL,
  timeoutMs: POSITIVE,
  headers: true,
  retry: true,
} satisfies OptionTable<RequestOptions>;

export const MUTATION_OPTIONS = {
  ...REQUEST_OPTIONS,
  idempotent: FLAG,
} satisfies OptionTable<MutationOptions>;

export const PAGING_OPTIONS = {
  ...REQUEST_OPTIONS,
  limit: LIMIT,
  pageSize: wholeNumber(1),
  from: oneOf("start", "end"),
  cursor: TEXT,
  prefetch: FLAG,
} satisfies OptionTable<PagingOptions>;

export const LIST_OPTIONS = { ...PAGING_OPTIONS, where: true, order: true } satisfies OptionTable<
  ListOptions<unknown, unknown>
>;

const DEFAULT_MAX_BYTES = 16 * 1024 * 1024;

const JSON_BODY = { "content-type": "application/json" };

export function resolveOptions(given: GraphQLOptions) {
  const options = readOptions("GraphQLClient", given, CLIENT_OPTIONS, ConfigurationError);
  const { authorization, baseUrl, credentials, maxResponseBytes = DEFAULT_MAX_BYTES } = options;
  const common = resolveCommonOptions(options);
  if (typeof options.apiKey === "string" && !options.dangerouslyAllowBrowser && isPublicPage())
    throw new ConfigurationError(
      "apiKey is a string in a browser's page, where everyone can read it. Use createGraphQLHandler on a server, or set dangerouslyAllowBrowser.",
    );
  // Frameworks also create a page's client on the server, but send no requests there.
  let url = lacksPage(baseUrl) ? undefined : resolveUrl(baseUrl, authorization);
  const credential = new Credential(options, "");
  return {
    common,
    credential,
    /** @throws {ConfigurationError} the endpoint is relative, and there is no page */
    get url() {
      url ??= resolveUrl(baseUrl, authorization);
      return url;
    },
    fetch: options.fetch ?? globalFetch(),
    headers: {
      accept: "application/graphql-response+json, application/json",
      ...(inBrowser() ? {} : { "user-agent": common.userAgent }),
      ...normalizeHeaders(common.headers, ConfigurationError),
      ...JSON_BODY,
    },
    credentials,
    maxResponseBytes,
    pageSizes: new PageSizes(options.pageSize, common.logger),
  };
}

function isPublicPage(): boolean {
  const { document, location } = globalThis;
  // Tests may expose only jsdom's document as a global.
  return document !== undefined && !isLoopback((document.location ?? location)?.hostname ?? "");
}

function resolveUrl(baseUrl: string, authorization: GraphQLOptions["authorization"]): string {
  const { hostname, origin, pathname, protocol } = resolveEndpoint("baseUrl", baseUrl, "path");
  if (protocol === "http:" && !isLoopback(hostname) && authorization !== "none")
    throw new ConfigurationError('A page without https:// needs authorization: "none".');
  return `${origin}${pathname === "/" ? "" : pathname}/graphql`;
}

/** Looks up `fetch` for each request, so that a tracer or a test can replace it later. */
function globalFetch(): typeof globalThis.fetch {
  let own: RequestInit | undefined;
  return (input, init) => {
    own ??= refusesRedirects() ? { redirect: "error" } : {};
    return globalThis.fetch(input, { ...init, ...own });
  };
}

/**
 * undici copies a request that may be redirected; the copy takes a sixth of the request's time. Edge workers report an
 * undici version, but refuse the redirect mode "error".
 */
function refusesRedirects(): boolean {
  try {
    return (
      globalThis.process?.versions?.["undici"] !== undefined &&
      new Request("data:,", { redirect: "error" }).redirect === "error"
    );
  } catch {
    return false;
  }
}

/** Derives a walk's start and end from the options. */
export function walkOf(options: { readonly [Name in keyof PagingOptions]?: unknown }): WalkPlan {
  const { cursor, from, limit = Number.POSITIVE_INFINITY, pageSize = Number.POSITIVE_INFINITY } = options;
  return {
    direction: from === "end" ? "backward" : "forward",
    pageSize: Number(pageSize),
    start: cursor === undefined ? undefined : String(cursor),
    limit: Number(limit),
  };
}

/**
 * Adds the headers of one request to those of the client.
 * @throws {InvalidInputError} HTTP doesn't allow a name or a value, or the SDK sets the header itself
 */
export function mergeHeaders(defaults: HeaderRecord, own: HeaderRecord): HeaderRecord {
  const headers = normalizeHeaders(own, InvalidInputError);
  return { ...defaults, ...headers, ...JSON_BODY };
}

function normalizeHeaders(
  headers: HeaderRecord,
  ErrorClass: typeof ConfigurationError | typeof InvalidInputError,
): HeaderRecord {
  const record = readHeaders(headers, ErrorClass);
  try {
    return Object.fromEntries(new Headers(record));
  } catch {
    // The engine's message would quote the value, which may be a secret.
    throw new ErrorClass("headers contains a name or a value that HTTP does not allow.");
  }
}

/** Browsers set the user agent themselves; overriding it would need the server's permission (CORS). */
function inBrowser(): boolean {
  return globalThis.navigator?.userAgent?.startsWith("Mozilla/") === true;
}
