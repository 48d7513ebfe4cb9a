import { type Clock, systemClock } from "./clock.js";
import type { CredentialOptions } from "./credential.js";
import { ConfigurationError } from "./errors/index.js";
import { readHeaderRecord } from "./header-record.js";
import { guardHooks, type HookOptions, type Hooks } from "./hooks.js";
import { guardLogger, type Logger } from "./logger.js";
import { isLoopback } from "./loopback.js";
import type { NamesOf } from "./option-names.js";
import { RETRY_NAMES, type RetryOptions, type RetryPolicy } from "./retry.js";
import { RetryBudget } from "./retry-budget.js";
import { userAgent } from "./user-agent.js";
import {
  requireFunction,
  requireKnownNames,
  requireMethods,
  requireObject,
  whileReading,
  withInherited,
} from "./validate.js";

/** The names within `appInfo`. */
export const APP_INFO_NAMES = { name: true, version: true } satisfies NamesOf<
  NonNullable<CommonOptions["appInfo"]>
>;

/** What both APIs are configured with (service description, "Official client SDK behavior"). */
export interface CommonOptions extends CredentialOptions, HookOptions {
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
  /** Sent with every request, as HTTP headers and as gRPC metadata. `authorization` is refused here. @default none */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Named in the user agent. @default none */
  readonly appInfo?: { readonly name: string; readonly version?: string | undefined } | undefined;
  /** Where to write what is done. @default nothing is written */
  readonly logger?: Logger | undefined;
  /** The time, for tests and simulations. @default the machine's clock */
  readonly clock?: Clock | undefined;
}

/** TLS as plain data: PEM texts or buffers. */
export interface TlsOptions {
  /** Certificates of the authorities to trust, instead of the well-known ones. @default the well-known ones */
  readonly ca?: string | Uint8Array | undefined;
  /** Certificate of the client, for mutual TLS; together with `key`. @default none */
  readonly cert?: string | Uint8Array | undefined;
  /** Private key of the client; together with `cert`. @default none */
  readonly key?: string | Uint8Array | undefined;
  /** Name that the server's certificate must have, where it is not the endpoint's host. @default the endpoint's host */
  readonly serverName?: string | undefined;
}

const TLS_NAMES = { ca: true, cert: true, key: true, serverName: true } satisfies NamesOf<TlsOptions>;

/** How the network is reached, in Node. */
export interface NetworkOptions {
  /** Which servers are trusted, and the client's own certificate. @default the well-known authorities, no certificate */
  readonly tls?: TlsOptions | undefined;
  /**
   * Proxy that opens tunnels (`CONNECT`) to the service, as `http://user:password@proxy.example.com:3128`; user and
   * password may be left out. It serves every host, loopback too; an endpoint that begins with `http://` only where the
   * proxy is on this machine as well. `https://` to the proxy itself works for GraphQL alone.
   * @default none for GraphQL; for the Sync API `grpc_proxy`, `https_proxy` and `http_proxy` of the environment, which
   *   never capture loopback
   */
  readonly proxy?: string | undefined;
}

/** Common options, checked and with every value set. */
export interface CommonConfiguration {
  readonly timeoutMs: number;
  readonly retry: RetryPolicy;
  /** One for all operations of a client. */
  readonly retryBudget: RetryBudget;
  readonly hooks: Hooks;
  readonly headers: Readonly<Record<string, string>>;
  readonly userAgent: string;
  readonly logger: Logger;
  readonly clock: Clock;
}

/**
 * Checks the common options.
 * @throws {ConfigurationError} naming the option and what is allowed
 */
export function resolveCommonOptions(options: CommonOptions): CommonConfiguration {
  // Each is read once: what was checked is what is used.
  const { appInfo, clock, headers: given, onRequest, onResponse, onRetry } = options;
  const { logger: givenLogger, retry, timeoutMs } = options;
  requireObject("appInfo", appInfo);
  requireMethods("logger", givenLogger, ["debug", "info", "warn", "error"]);
  requireMethods("clock", clock, ["now", "monotonic", "sleep", "after"]);
  for (const [name, hook] of Object.entries({ onRequest, onResponse, onRetry })) requireFunction(name, hook);
  const headers = readHeaderRecord(given, ConfigurationError);
  for (const name of Object.keys(headers)) {
    if (name.toLowerCase() === "authorization") {
      throw new ConfigurationError("headers must not hold authorization: use apiKey or authorization.");
    }
  }
  const logger = guardLogger(givenLogger);
  return {
    timeoutMs: resolveTimeout(timeoutMs ?? 100_000),
    retry: resolveRetry(retry),
    retryBudget: new RetryBudget(),
    hooks: guardHooks({ onRequest, onResponse, onRetry }, logger),
    headers,
    userAgent: userAgent(appInfo),
    logger,
    clock: clock ?? systemClock,
  };
}

/** Checks a time of an operation, in milliseconds. */
export function resolveTimeout(timeoutMs: number): number {
  return positive("timeoutMs", timeoutMs);
}

/** Fills in the retry options; `false` is a policy without retries. */
export function resolveRetry(retry: RetryOptions | false | undefined): RetryPolicy {
  const own =
    retry === undefined || retry === false
      ? {}
      : whileReading("retry", retry, () => withInherited(retry, RETRY_NAMES));
  requireKnownNames("retry", own, RETRY_NAMES, ConfigurationError);
  const { retries = 4, minDelayMs = 200, maxDelayMs = 10_000 } = retry === false ? { retries: 0 } : own;
  if (!Number.isInteger(retries) || retries < 0) {
    throw new ConfigurationError("retry.retries must be a whole number, 0 or more.");
  }
  if (positive("retry.minDelayMs", minDelayMs) > positive("retry.maxDelayMs", maxDelayMs)) {
    throw new ConfigurationError("retry.minDelayMs must not be above retry.maxDelayMs.");
  }
  return { retries, minDelayMs, maxDelayMs };
}

/** Checks that an option is a positive, finite number. */
export function positive(name: string, value: number): number {
  if (typeof value !== "number" || !Number.isFinite(value) || value <= 0) {
    throw new ConfigurationError(`${name} must be a positive, finite number.`);
  }
  return value;
}

/**
 * Checks an endpoint: absolute `https://`, or `http://` to loopback; no user info, query or fragment, and a path only
 * where `path` allows one.
 * @returns the endpoint without a trailing slash
 */
export function resolveEndpoint(name: string, value: string, path: "path" | "no-path"): URL {
  // Not the parser's own error: it holds the whole input, which may have user info in it.
  if (typeof value !== "string" || !URL.canParse(value)) {
    throw new ConfigurationError(`${name} must be an absolute URL such as https://api.example.com.`);
  }
  const url = new URL(value);
  const refuse = (what: string) => new ConfigurationError(`${name} ${what}`);
  if (url.username !== "" || url.password !== "") throw refuse("must not hold user info: use apiKey.");
  if (url.search !== "" || url.hash !== "") throw refuse("must not have a query or a fragment.");
  if (url.protocol !== "https:" && !(url.protocol === "http:" && isLoopback(url.hostname))) {
    throw refuse("must begin with https://; http:// is for loopback only (localhost, 127.0.0.0/8, [::1]).");
  }
  if (path === "no-path" && url.pathname !== "/") throw refuse("must not have a path.");
  url.pathname = url.pathname.replace(/\/+$/, "");
  return url;
}

/** A copy of TLS settings, each of which is read once. @throws {ConfigurationError} they are no object */
export function readTls(tls: TlsOptions | undefined): TlsOptions | undefined {
  requireObject("tls", tls);
  if (tls === undefined) return undefined;
  requireKnownNames("tls", tls, TLS_NAMES, ConfigurationError);
  const { ca, cert, key, serverName } = tls;
  return { ca, cert, key, serverName };
}

/**
 * Checks that TLS settings are whole and have something to serve.
 * @param name Option that `endpoint` comes from.
 */
export function checkTls(tls: TlsOptions | undefined, name: string, endpoint: URL): void {
  if ((tls?.cert === undefined) !== (tls?.key === undefined)) {
    throw new ConfigurationError("tls.cert and tls.key belong together: give both, or neither.");
  }
  if (tls !== undefined && endpoint.protocol === "http:") {
    throw new ConfigurationError(`tls is set but ${name} begins with http://.`);
  }
}
