import { type Clock, systemClock } from "./clock.js";
import type { CredentialOptions } from "./credential.js";
import { ConfigurationError, type InvalidInputError } from "./errors/index.js";
import { type HookOptions, type Hooks, safeHooks } from "./hooks.js";
import { type Logger, safeLogger } from "./logger.js";
import { RetryBudget, type RetryOptions, type RetryPolicy } from "./retry.js";
import {
  describeType,
  isPlainObject,
  type KeysOf,
  readOptions,
  requireFunction,
  requireMethods,
  requirePositive,
} from "./validate.js";

/** Version of the package, for the user agent. A test compares it with package.json. */
export const VERSION = "0.1.0";

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

/** The keys of {@link CommonOptions}, for a client to refuse all others. */
export const COMMON_KEYS = {
  apiKey: true,
  authorization: true,
  timeoutMs: true,
  retry: true,
  headers: true,
  appInfo: true,
  logger: true,
  clock: true,
  onRequest: true,
  onResponse: true,
  onRetry: true,
} satisfies KeysOf<CommonOptions>;

const RETRY_KEYS = { retries: true, minDelayMs: true, maxDelayMs: true } satisfies KeysOf<RetryOptions>;

const APP_INFO_KEYS = { name: true, version: true } satisfies KeysOf<NonNullable<CommonOptions["appInfo"]>>;

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
  const { appInfo, clock, onRequest, onResponse, onRetry, retry, timeoutMs = 100_000 } = options;
  requireMethods("logger", options.logger, ["debug", "info", "warn", "error"]);
  requireMethods("clock", clock, ["now", "monotonic", "sleep", "after"]);
  for (const [name, hook] of Object.entries({ onRequest, onResponse, onRetry })) requireFunction(name, hook);
  const headers = readHeaders(options.headers, ConfigurationError);
  if (Object.keys(headers).some((name) => name.toLowerCase() === "authorization")) {
    throw new ConfigurationError("headers must not contain authorization: use apiKey or authorization.");
  }
  const logger = safeLogger(options.logger);
  return {
    timeoutMs: requirePositive("timeoutMs", timeoutMs),
    retry: resolveRetry(retry),
    retryBudget: new RetryBudget(),
    hooks: safeHooks({ onRequest, onResponse, onRetry }, logger),
    headers,
    userAgent: userAgent(appInfo),
    logger,
    clock: clock ?? systemClock,
  };
}

/** Fills in the retry options; `false` is a policy without retries. */
export function resolveRetry(retry: RetryOptions | false = {}): RetryPolicy {
  const given =
    retry === false ? { retries: 0 } : readOptions("retry", retry, RETRY_KEYS, ConfigurationError);
  const { retries = 4, minDelayMs = 200, maxDelayMs = 10_000 } = given;
  if (!Number.isInteger(retries) || retries < 0) {
    throw new ConfigurationError("retry.retries must be a whole number, 0 or more.");
  }
  if (requirePositive("retry.minDelayMs", minDelayMs) > requirePositive("retry.maxDelayMs", maxDelayMs)) {
    throw new ConfigurationError("retry.minDelayMs must not be above retry.maxDelayMs.");
  }
  return { retries, minDelayMs, maxDelayMs };
}

/**
 * Copies a caller's headers. `Headers`, a Map or a list of pairs is refused: it would be sent as no headers at all.
 * @throws {ConfigurationError | InvalidInputError} not a plain object, or a value is not a string
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
    values[name] = value;
  }
  return values;
}

/** The program and the SDK, as requests name them. */
function userAgent(appInfo: CommonOptions["appInfo"]): string {
  const sdk = `saas-management-sdk/${VERSION}`;
  if (appInfo === undefined) return sdk;
  const { name, version } = readOptions("appInfo", appInfo, APP_INFO_KEYS, ConfigurationError);
  for (const part of version === undefined ? [name] : [name, version]) {
    if (typeof part !== "string" || !/^[\x21-\x7e]+$/.test(part))
      throw new ConfigurationError("appInfo: name and version must be printable ASCII without spaces.");
  }
  return `${version === undefined ? name : `${name}/${version}`} ${sdk}`;
}
