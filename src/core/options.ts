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
   * Base of the API, which is `POST {baseUrl}/graphql`: absolute `https://`, or `http://` to loopback. May have a
   * path. In a browser also a path alone, such as `/api`, on the origin of the page.
   */
  readonly baseUrl: string;
  /**
   * The workspace API key, or a function that returns it, so that keys can rotate while the program runs. The key alone,
   * without `Bearer` or `ApiKey` before it.
   *
   * A function is called once per attempt; concurrent attempts share one call. One client is one workspace: the function
   * must not depend on who makes the call. If the service refuses the key, the function is called once more, and if it
   * returns another key, the attempt is repeated at once; a mutation only if certainly nothing of it was executed. What
   * it throws is the `cause` of an `AuthenticationError`.
   * @default none: `authorization` is then required
   */
  readonly apiKey?: string | (() => string | Promise<string>) | undefined;
  /**
   * Platform-managed authentication: returns the whole `Authorization` value. Called as a function of `apiKey` is.
   * `"none"` sends no `Authorization`: for a proxy that adds it.
   * @default none: `apiKey` is then required
   */
  readonly authorization?: (() => string | Promise<string>) | "none" | undefined;
  /**
   * Time of one operation in milliseconds, its retries included: one GraphQL request, one RPC, or one window of
   * records. Positive and finite. @default 100_000
   */
  readonly timeoutMs?: number | undefined;
  /**
   * How transient failures are repeated, or `false` for never.
   * @default `{ retries: 4, minDelayMs: 200, maxDelayMs: 10_000 }`
   */
  readonly retry?: RetryOptions | false | undefined;
  /**
   * Sent with every request, as HTTP headers and as gRPC metadata. `authorization` is refused here, and so are headers
   * of the connection: `connection`, `keep-alive`, `proxy-connection`, `proxy-authorization`, `te` other than
   * `trailers`, `trailer`, `upgrade`, `transfer-encoding`, `content-length`, `expect` and `host`. @default none
   */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /**
   * Most bytes of one GraphQL response, counted after decompression. A larger one, also one that never ends, is a
   * `TransportError`; it is not read further and not kept. Parsing blocks the event loop, and no `timeoutMs` ends it:
   * up to 2 s for 16 MB of empty objects, 25 s for 60 MB. @default 16_777_216 (16 MiB)
   */
  readonly maxResponseBytes?: number | undefined;
  /**
   * Sends the GraphQL requests; not together with `tls` or `proxy`. It must support `redirect: "manual"`.
   * @default globalThis.fetch
   */
  readonly fetch?: typeof globalThis.fetch | undefined;
  /**
   * Nodes of a page of a list. If the service refuses pages so large, the client asks for smaller ones and remembers
   * their size. @default 100
   */
  readonly pageSize?: number | undefined;
  /**
   * Whether a page that is not on localhost may have a string as `apiKey`, which everyone who opens it can read.
   * @default false
   */
  readonly dangerouslyAllowBrowser?: boolean | undefined;
  /** Whether a browser sends cookies with the GraphQL requests, as for `fetch`. @default the browser's own */
  readonly credentials?: "omit" | "same-origin" | "include" | undefined;
  /**
   * Where to write what is done. @default nothing is written; a `SaasManagementClient` writes to stderr if
   * `SAAS_MANAGEMENT_LOG` is `debug` (each attempt), `info` (runs) or `warn` (retries), never a key or contents
   */
  readonly logger?: Logger | undefined;
  /**
   * Called with every attempt, for metrics and traces. Gets frozen objects and is not awaited; what it throws or rejects
   * with is logged and changes nothing. @default none
   */
  readonly onEvent?: ((event: ClientEvent) => void) | undefined;
  /** Named in the user agent. @default none */
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
  /** One for all operations of a client. */
  readonly retryBudget: RetryBudget;
  readonly onEvent: ((event: ClientEvent) => void) | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly userAgent: string;
  readonly logger: Logger;
  readonly clock: Clock;
  /** Whether calls go to the service: only then the tracing channels tell of them. */
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

/** Hop-by-hop, framing and routing headers: they would break the connection, or make a peer wait for what is not sent. */
const CONNECTION_HEADERS: ReadonlySet<string> = new Set([
  ...["connection", "keep-alive", "proxy-connection", "proxy-authorization", "te", "trailer", "upgrade"],
  ...["transfer-encoding", "content-length", "expect", "host"],
]);

/**
 * Copies a caller's headers. `Headers`, a Map or a list of pairs is refused: it would be sent as no headers at all.
 * @throws {ConfigurationError | InvalidInputError} not a plain object, a value is not a string, or the header is one that
 * the SDK or the connection sets
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
      throw new ErrorClass(`headers must not contain ${known}: the connection sets it.`);
    values[name] = value;
  }
  return values;
}

const OWN_HEADERS = ["authorization", "content-type", "accept", "user-agent"];

/** Returns what can be sent of a trace's carrier: no call may fail because of its subscribers. */
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
