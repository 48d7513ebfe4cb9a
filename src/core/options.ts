import { type Clock, completeClock } from "./clock.js";
import { ConfigurationError, type InvalidInputError } from "./errors/index.js";
import { type ClientEvent, type Logger, safeCallback, safeLogger } from "./hooks.js";
import { RetryBudget, type RetryOptions, type RetryPolicy, resolveRetry } from "./retry.js";
import {
  describeType,
  FUNCTION,
  isPlainObject,
  type OptionTable,
  POSITIVE,
  readOptions,
  withMethods,
} from "./validate.js";
import { VERSION } from "./version.js";

/** Options of a GraphQL client (service description, "Official client SDK behavior"). */
export interface GraphQLOptions {
  /**
   * Base URL of the API; requests go to `POST {baseUrl}/graphql`. Must be an absolute `https://` URL, or `http://` for
   * loopback, and may have a path. In a browser, a path alone such as `/api` works too and is resolved against the
   * page's origin.
   */
  readonly baseUrl: string;
  /**
   * The workspace API key, or a function that returns it, so that keys can rotate while the program runs. Pass only the
   * key, without a `Bearer` or `ApiKey` prefix.
   *
   * The function is called once per attempt, and concurrent attempts share one call. A client serves one workspace, so
   * the function must not depend on who makes the call. If the service refuses the key, the SDK calls the function once
   * more, and retries at once if the key is a different one; a mutation is retried only if no part of it can have been
   * executed. An error that the function throws becomes the `cause` of an `AuthenticationError`.
   * @default none: `authorization` is then required
   */
  readonly apiKey?: string | (() => string | Promise<string>) | undefined;
  /**
   * Platform-managed authentication: returns the whole `Authorization` value. The function is called as often as an
   * `apiKey` function. Use `"none"` behind a proxy that adds the header; the SDK then leaves the header out.
   * @default none: `apiKey` is then required
   */
  readonly authorization?: (() => string | Promise<string>) | "none" | undefined;
  /**
   * Time limit for one operation (a GraphQL request, an RPC, or a window of records), including retries, in
   * milliseconds. Positive and finite. @default 100_000
   */
  readonly timeoutMs?: number | undefined;
  /**
   * How transient failures are retried; `false` turns retries off.
   * @default `{ retries: 4, minDelayMs: 200, maxDelayMs: 10_000 }`
   */
  readonly retry?: RetryOptions | false | undefined;
  /**
   * Headers to add to every request; for gRPC, they're metadata. The SDK refuses `authorization` and headers that
   * belong to the connection: `connection`, `keep-alive`, `proxy-connection`, `proxy-authorization`, `te` other than
   * `trailers`, `trailer`, `upgrade`, `transfer-encoding`, `content-length`, `expect` and `host`. @default none
   */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /**
   * Maximum size of one GraphQL response in bytes, after decompression. The SDK stops reading at the limit and throws a
   * `TransportError`. Raise the limit with care: parsing blocks the event loop, and `timeoutMs` can't interrupt it. In
   * the worst case, 16 MB of empty objects take 2 s and 60 MB take 25 s. @default 16_777_216 (16 MiB)
   */
  readonly maxResponseBytes?: number | undefined;
  /**
   * The `fetch` that sends the GraphQL requests. The function must support `redirect: "manual"` and can't be combined
   * with `tls` or `proxy`.
   * @default globalThis.fetch
   */
  readonly fetch?: typeof globalThis.fetch | undefined;
  /**
   * Number of nodes in a page of a list. If the service refuses pages this large, the client asks for smaller ones and
   * remembers the size that worked. @default 100
   */
  readonly pageSize?: number | undefined;
  /**
   * Allows a string `apiKey` on a page that isn't on localhost. Everyone who opens that page can read the key.
   * @default false
   */
  readonly dangerouslyAllowBrowser?: boolean | undefined;
  /**
   * Whether a browser sends cookies with the GraphQL requests; same values as for `fetch`. @default the browser's own
   */
  readonly credentials?: "omit" | "same-origin" | "include" | undefined;
  /**
   * Where the SDK logs what it does. @default nothing is logged; a `SaasManagementClient` writes to stderr if
   * `SAAS_MANAGEMENT_LOG` is `debug` (each attempt), `info` (runs) or `warn` (retries), never a key or contents
   */
  readonly logger?: Logger | undefined;
  /**
   * Called for every attempt, for metrics and traces. The function receives frozen objects and isn't awaited. Errors it
   * throws are logged and have no other effect. @default none
   */
  readonly onEvent?: ((event: ClientEvent) => void) | undefined;
  /** Your program, as it should appear in the user agent. @default none */
  readonly appInfo?: { readonly name: string; readonly version?: string | undefined } | undefined;
  /** The time in milliseconds since the epoch, for tests and simulations. @default the machine's clock */
  readonly clock?: { now(): number } | undefined;
}

export type CommonOptions = Omit<
  GraphQLOptions,
  "baseUrl" | "maxResponseBytes" | "fetch" | "credentials" | "pageSize" | "dangerouslyAllowBrowser"
>;

export const COMMON_OPTIONS = {
  apiKey: true,
  authorization: true,
  timeoutMs: POSITIVE,
  retry: true,
  headers: true,
  appInfo: true,
  logger: withMethods("debug", "info", "warn", "error"),
  clock: withMethods("now"),
  onEvent: FUNCTION,
} satisfies OptionTable<CommonOptions>;

const APP_INFO = { name: true, version: true } satisfies OptionTable<NonNullable<CommonOptions["appInfo"]>>;

export interface CommonConfiguration {
  readonly timeoutMs: number;
  readonly retry: RetryPolicy;
  /** Shared by all operations of a client. */
  readonly retryBudget: RetryBudget;
  readonly onEvent: ((event: ClientEvent) => void) | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly userAgent: string;
  readonly logger: Logger;
  readonly clock: Clock;
  /** Whether calls go to the service. Only calls to the service are published on the tracing channels. */
  readonly isTraced: boolean;
}

const DEFAULT_RETRY: RetryPolicy = { retries: 4, minDelayMs: 200, maxDelayMs: 10_000 };

export function resolveCommonOptions(options: CommonOptions): CommonConfiguration {
  const { appInfo, clock, onEvent, retry, timeoutMs = 100_000 } = options;
  const headers = readHeaders(options.headers, ConfigurationError);
  const logger = safeLogger(options.logger);
  return {
    timeoutMs,
    retry: resolveRetry(retry, DEFAULT_RETRY),
    retryBudget: new RetryBudget(),
    onEvent: onEvent && safeCallback("onEvent", onEvent, logger),
    headers,
    userAgent: userAgent(appInfo),
    logger,
    clock: completeClock(clock),
    isTraced: true,
  };
}

/**
 * Hop-by-hop, framing and routing headers: they would break the connection, or make a peer wait for data that never
 * comes.
 */
const CONNECTION_HEADERS: ReadonlySet<string> = new Set([
  ...["connection", "keep-alive", "proxy-connection", "proxy-authorization", "te", "trailer", "upgrade"],
  ...["transfer-encoding", "content-length", "expect", "host"],
]);

/**
 * Copies a caller's headers. Refuses a `Headers`, a Map or a list of pairs, because reading them as an object would
 * yield no headers.
 * @throws {ConfigurationError | InvalidInputError} `headers` isn't a plain object, a value isn't a string, or the
 *   header is one that the SDK or the connection sets
 */
export function readHeaders(
  headers: unknown,
  ErrorClass: typeof ConfigurationError | typeof InvalidInputError,
): Readonly<Record<string, string>> {
  if (headers === undefined) return {};
  if (!isPlainObject(headers))
    throw new ErrorClass(`headers must be a plain object of strings, got ${describeType(headers)}.`);
  const values: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (typeof value !== "string")
      throw new ErrorClass(`headers: each value must be a string, got ${describeType(value)}.`);
    const known = name.toLowerCase();
    if (known === "authorization")
      throw new ErrorClass("headers must not contain authorization: use apiKey or authorization.");
    if (CONNECTION_HEADERS.has(known) && !(known === "te" && value === "trailers"))
      throw new ErrorClass(`headers must not contain ${known}: the HTTP client sets it.`);
    values[name] = value;
  }
  return values;
}

const OWN_HEADERS = ["authorization", "content-type", "accept", "user-agent"];

/** Drops a carrier's entries that can't be sent, so that a subscriber of a trace can't make a call fail. */
export function sendableHeaders(
  carrier: Readonly<Record<string, unknown>>,
): Readonly<Record<string, string>> {
  const headers: Record<string, string> = {};
  for (const [given, value] of Object.entries(carrier)) {
    const name = given.toLowerCase();
    if (CONNECTION_HEADERS.has(name) || OWN_HEADERS.includes(name)) continue;
    if (!/^[\w.-]+$/.test(name) || /^grpc-|-bin$/.test(name)) continue;
    if (typeof value === "string" && /^[\x20-\x7e]*$/.test(value)) headers[name] = value;
  }
  return headers;
}

function userAgent(appInfo: CommonOptions["appInfo"]): string {
  const sdk = `saas-management-sdk/${VERSION}`;
  if (appInfo === undefined) return sdk;
  const { name, version } = readOptions("appInfo", appInfo, APP_INFO, ConfigurationError);
  for (const part of version === undefined ? [name] : [name, version]) {
    if (typeof part !== "string" || !/^[\x21-\x7e]+$/.test(part))
      throw new ConfigurationError("appInfo: name and version must be printable ASCII without spaces.");
  }
  return `${version === undefined ? name : `${name}/${version}`} ${sdk}`;
}
