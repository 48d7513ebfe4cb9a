import { Credential } from "../core/credential.js";
import { resolveEndpoint, type TlsOptions } from "../core/endpoint.js";
import { ConfigurationError, type InvalidInputError } from "../core/errors/index.js";
import { type CommonOptions, readHeaders, resolveCommonOptions } from "../core/options.js";
import { checkRules, FLAG, isObject, POSITIVE, wholeNumber } from "../core/validate.js";
import { type HttpProxy, resolveProxy } from "../node/proxy.js";
import { resolveTls } from "../node/tls.js";
import { EventTimes } from "./event-times.js";
import { PREFIX_BYTES, WindowLimit } from "./window-limit.js";

/** How long a batch lives after its last accepted message: 15 minutes (service description, "Limits"). */
export const LEASE_MS = 15 * 60 * 1000;
/** 16 MiB: every encoded SyncRecordsRequest must be smaller (service description, "Limits"). */
const MESSAGE_LIMIT_BYTES = 16 * 1024 * 1024;

/** Windows of this size fill 96% of a 100 Mbit/s link at a round trip of 50 ms; 6 MiB would fill 91%. */
const SEND_WINDOW_BYTES = 16 * 1024 * 1024;

export type ChannelOptions = Readonly<Record<string, string | number>>;

/**
 * Settings of the Sync API; the field `sync` of the client's options (service description, "Official client SDK
 * behavior").
 */
export interface SyncTuning {
  /** Maximum size of a response, in bytes. @default 16 MiB */
  readonly maxReceiveMessageBytes?: number | undefined;
  /** Maximum size of a request message, in bytes; the service's limit is 16 MiB − 1. @default 16 MiB − 1 */
  readonly maxSendMessageBytes?: number | undefined;
  /**
   * Maximum number of bytes to send before waiting for an acknowledgement; for event collections, that's one message. A
   * message has at most 1 MiB, or 512 KiB if `windowBytes` is below 2 MiB, unless a single record is larger. The SDK
   * halves windows that don't get through.
   * @default 6 MiB; 16 MiB for a run, which reads messages from its spool
   */
  readonly windowBytes?: number | undefined;
  /**
   * How long a batch's record waits for its window to fill before the window is sent anyway, in milliseconds. @default
   * 300_000, 5 minutes
   */
  readonly flushAfterMs?: number | undefined;
  /**
   * Allows events with any time. @default events before the year 2000 or more than a day ahead of `clock` are refused
   */
  readonly allowAnyEventTime?: boolean | undefined;
  /** More options for the gRPC channel, by their gRPC names. @default none */
  readonly channelOptions?: ChannelOptions | undefined;
}

export interface SyncClientOptions extends CommonOptions, SyncTuning {
  /** Absolute `https://` endpoint without a path; `http://` for loopback only. */
  readonly endpoint: string;
  /** Maximum message size in bytes, for tests. @default 1 MiB, at most `maxSendMessageBytes` */
  readonly messageBytes?: number | undefined;
  readonly tls?: TlsOptions | undefined;
  readonly proxy?: string | undefined;
}

const TUNING = {
  maxReceiveMessageBytes: wholeNumber(1),
  maxSendMessageBytes: wholeNumber(1),
  messageBytes: wholeNumber(1),
  windowBytes: wholeNumber(1),
  flushAfterMs: POSITIVE,
  allowAnyEventTime: FLAG,
};

export type CallOptions = Pick<CommonOptions, "headers" | "timeoutMs">;

/** The options of the Sync API, checked and with all defaults filled in. */
export type SyncConfiguration = ReturnType<typeof resolveSyncOptions>;

export function resolveSyncOptions(options: SyncClientOptions) {
  const { maxReceiveMessageBytes = MESSAGE_LIMIT_BYTES, maxSendMessageBytes = MESSAGE_LIMIT_BYTES - 1 } =
    options;
  const { windowBytes = 6 * 1024 * 1024, flushAfterMs = 5 * 60_000 } = options;
  const { messageBytes = messageBytesFor(windowBytes) } = options;
  const { channelOptions = {} } = options;
  const endpoint = resolveEndpoint("syncUrl", options.endpoint, "no-path");
  const common = resolveCommonOptions(options);
  checkRules("sync", options, TUNING, ConfigurationError);
  const maxMessageBytes = maxSendMessageBytes;
  if (maxMessageBytes >= MESSAGE_LIMIT_BYTES) {
    throw new ConfigurationError(
      "maxSendMessageBytes must be smaller than 16 MiB (16777216), the limit of the service.",
    );
  }
  if (flushAfterMs >= LEASE_MS)
    throw new ConfigurationError("flushAfterMs must be shorter than the lease of 15 minutes (900000).");
  return {
    ...common,
    headers: readMetadata(options.headers, ConfigurationError),
    endpoint,
    credential: new Credential(options, "ApiKey "),
    tls: resolveTls(options.tls, "syncUrl", endpoint),
    proxy: proxyFor(endpoint, options.proxy),
    maxReceiveMessageBytes,
    maxMessageBytes,
    messageBytes: Math.min(messageBytes, maxMessageBytes),
    windowBytes,
    windowLimit: new WindowLimit(common.logger),
    /** Size of a run's window, of which only one message is in memory at a time. */
    sendWindowBytes: options.windowBytes ?? SEND_WINDOW_BYTES,
    flushAfterMs,
    eventTimes: options.allowAnyEventTime === true ? undefined : new EventTimes(common.clock),
    channelOptions: checkChannelOptions(channelOptions),
  };
}

/**
 * Proxies limit the size of a stream. A message has at most 1 MiB with its prefix, which nginx allows by default; small
 * windows get smaller messages.
 */
function messageBytesFor(windowBytes: number): number {
  const bytes = windowBytes < 2 * 1024 * 1024 ? Math.min(windowBytes, 512 * 1024) : 1024 * 1024;
  return Math.max(bytes - PREFIX_BYTES, 1);
}

/** Returns the configuration of one batch or run. */
export function configurationOfCall(
  configuration: SyncConfiguration,
  { headers, timeoutMs = configuration.timeoutMs }: CallOptions,
): SyncConfiguration {
  return { ...configuration, timeoutMs, headers: { ...configuration.headers, ...headers } };
}

/** Copies headers for gRPC metadata, which allows less than HTTP. */
export function readMetadata(
  given: CallOptions["headers"],
  ErrorClass: typeof ConfigurationError | typeof InvalidInputError,
): Readonly<Record<string, string>> {
  const headers = readHeaders(given, ErrorClass);
  for (const [name, value] of Object.entries(headers)) {
    if (!/^[\w.-]+$/.test(name) || /^grpc-|-bin$/i.test(name))
      throw new ErrorClass(
        "headers: for the Sync API a name must consist of letters, digits and - _ . and must neither begin with grpc- nor end with -bin.",
      );
    if (!/^[\x20-\x7e]*$/.test(value))
      throw new ErrorClass(`headers: the value of ${name} must be printable ASCII.`);
  }
  return headers;
}

/** Finds the proxy, and checks that grpc-js can use it. */
function proxyFor(endpoint: URL, option: string | undefined): HttpProxy | undefined {
  const proxy = resolveProxy(option, "syncUrl", endpoint);
  if (proxy?.origin.startsWith("https:") === true)
    throw new ConfigurationError(
      `${proxy.source} must begin with http:// for the Sync API: gRPC does not use TLS to a proxy. The traffic in the tunnel is encrypted.`,
    );
  // grpc-js would send the address without its brackets, and no proxy understands that.
  if (proxy !== undefined && endpoint.hostname.startsWith("["))
    throw new ConfigurationError(
      `${proxy.source} cannot be used with a syncUrl whose host is an IPv6 address. Use a host name.`,
    );
  return proxy;
}

/** Channel options that the SDK sets itself, and what to use instead. */
const RESERVED_OPTIONS: ReadonlyMap<string, string> = new Map([
  ["grpc.max_receive_message_length", "use maxReceiveMessageBytes"],
  ["grpc.max_send_message_length", "use maxSendMessageBytes"],
  ["grpc.enable_retries", "use retry"],
  ["grpc.primary_user_agent", "use appInfo"],
  ["grpc.ssl_target_name_override", "use tls.serverName"],
  ["grpc.http_connect_target", "use proxy"],
  ["grpc.http_connect_creds", "use proxy"],
  ["grpc.per_rpc_retry_buffer_size", "the SDK itself retries messages"],
  ["grpc.use_local_subchannel_pool", "each client has its own connections"],
]);

/** gRPC options that are strings; all others are numbers. */
const STRING_OPTIONS: ReadonlySet<string> = new Set([
  "grpc.default_authority",
  "grpc.service_config",
  "grpc.secondary_user_agent",
  "grpc.lb_policy_name",
]);

const MAX_INT32 = 2 ** 31 - 1;

/** grpc-js doesn't check its options, and crashes the process if a value has the wrong type. */
function checkChannelOptions(options: ChannelOptions): ChannelOptions {
  if (!isObject(options) || Array.isArray(options))
    throw new ConfigurationError("channelOptions must be an object of gRPC option names and values.");
  for (const [name, value] of Object.entries(options)) {
    const instead = RESERVED_OPTIONS.get(name);
    if (instead !== undefined)
      throw new ConfigurationError(`channelOptions must not set ${name}: ${instead}.`);
    const expected = expectedValue(name, value);
    if (expected !== undefined) throw new ConfigurationError(`channelOptions: ${name} must be ${expected}.`);
  }
  return { ...options };
}

/** Returns what the value must be, or undefined if the value is valid. */
function expectedValue(name: string, value: unknown): string | undefined {
  if (STRING_OPTIONS.has(name)) return typeof value === "string" ? undefined : "a string";
  if (!/^grpc(-node)?\./.test(name))
    return typeof value === "string" || Number.isFinite(value) ? undefined : "a string or a finite number";
  // An HTTP/2 window of 0 or less is invalid (RFC 9113, section 6.9.2).
  const min = name === "grpc-node.flow_control_window" ? 1 : -1;
  const valid = typeof value === "number" && Number.isInteger(value) && value >= min && value <= MAX_INT32;
  return valid ? undefined : `an integer from ${min} to ${MAX_INT32}`;
}
