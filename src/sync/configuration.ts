import { Credential } from "../core/credential.js";
import {
  checkTls,
  NETWORK_KEYS,
  type NetworkOptions,
  readTls,
  resolveEndpoint,
  type TlsOptions,
} from "../core/endpoint.js";
import { ConfigurationError } from "../core/errors/index.js";
import {
  COMMON_KEYS,
  type CommonConfiguration,
  type CommonOptions,
  resolveCommonOptions,
} from "../core/options.js";
import type { KeysOf } from "../core/validate.js";
import { rejectUnknownKeys, requirePositive, whileReading } from "../core/validate.js";
import { checkCertificates } from "../node/certificates.js";
import { checkProxy, type HttpProxy, resolveProxy } from "../node/proxy.js";
import { type ChannelOptions, checkChannelOptions } from "./channel-option-checks.js";
import { LEASE_MS } from "./lease.js";

/** 16 MiB: every encoded SyncRecordsRequest must be smaller (service description, "Limits"). */
const MESSAGE_LIMIT_BYTES = 16 * 1024 * 1024;

/**
 * How the Sync API is spoken; the field `sync` of the whole client's options (service description, "Official client SDK
 * behavior").
 */
export interface SyncTuning {
  /** Largest answer that is accepted, in bytes. @default 16 MiB */
  readonly maxReceiveMessageBytes?: number | undefined;
  /** Largest request message, in bytes; never above 16 MiB − 1, which the service sets. @default 16 MiB − 1 */
  readonly maxSendMessageBytes?: number | undefined;
  /** Size in bytes that messages are cut to. @default 1 MiB */
  readonly messageBytes?: number | undefined;
  /**
   * Most bytes that are sent before an acknowledgement is awaited; for event collections it is one message.
   * @default 6 MiB
   */
  readonly windowBytes?: number | undefined;
  /** How long a record of a slow source waits for its window to fill, in milliseconds. @default 300_000, 5 minutes */
  readonly flushAfterMs?: number | undefined;
  /**
   * Whether a window of events without an id is sent again when its answer was lost: `"retry"` delivers them at least
   * once, as rule 8 of the service allows; `"fail"` fails the write instead, and the run with it. @default "retry"
   */
  readonly unknownEvents?: "retry" | "fail" | undefined;
  /** Further options of the gRPC channel, by their gRPC names. @default none */
  readonly channelOptions?: ChannelOptions | undefined;
}

/** Options of a {@link SyncClient}. */
export interface SyncClientOptions extends CommonOptions, NetworkOptions, SyncTuning {
  /** Absolute `https://` endpoint without a path; `http://` for loopback only. */
  readonly endpoint: string;
}

/** The keys of {@link SyncTuning}. */
export const TUNING_KEYS = {
  maxReceiveMessageBytes: true,
  maxSendMessageBytes: true,
  messageBytes: true,
  windowBytes: true,
  flushAfterMs: true,
  unknownEvents: true,
  channelOptions: true,
} satisfies KeysOf<SyncTuning>;

const CLIENT_KEYS = {
  ...COMMON_KEYS,
  ...NETWORK_KEYS,
  ...TUNING_KEYS,
  endpoint: true,
} satisfies KeysOf<SyncClientOptions>;

/** Sync options, checked and with every value set. */
export interface SyncConfiguration extends CommonConfiguration {
  readonly endpoint: URL;
  readonly credential: Credential;
  readonly tls: TlsOptions | undefined;
  readonly proxy: HttpProxy | undefined;
  readonly maxReceiveMessageBytes: number;
  readonly maxMessageBytes: number;
  readonly messageBytes: number;
  readonly windowBytes: number;
  readonly flushAfterMs: number;
  readonly unknownEvents: "retry" | "fail";
  readonly channelOptions: ChannelOptions;
}

/**
 * Checks the options.
 * @throws {ConfigurationError} naming the option and what is allowed
 */
export function resolveSyncOptions(options: SyncClientOptions): SyncConfiguration {
  return whileReading("The options", options, () => resolve(options));
}

function resolve(options: SyncClientOptions): SyncConfiguration {
  rejectUnknownKeys("SyncClient", options, CLIENT_KEYS, ConfigurationError);
  const { endpoint: address, proxy, maxReceiveMessageBytes, maxSendMessageBytes, messageBytes } = options;
  const { windowBytes, flushAfterMs, unknownEvents, channelOptions } = options;
  const endpoint = resolveEndpoint("endpoint", address, "no-path");
  const tls = readTls(options.tls);
  checkTls(tls, "the endpoint", endpoint);
  checkCertificates(tls);
  const common = resolveCommonOptions(options);
  checkMetadata(common.headers);
  const maxMessageBytes = bytes("maxSendMessageBytes", maxSendMessageBytes ?? MESSAGE_LIMIT_BYTES - 1);
  if (maxMessageBytes >= MESSAGE_LIMIT_BYTES) {
    throw new ConfigurationError(
      "maxSendMessageBytes must be smaller than 16 MiB (16777216): the service takes no more.",
    );
  }
  return {
    ...common,
    endpoint,
    credential: new Credential(options, "ApiKey "),
    tls,
    proxy: proxyFor(endpoint, proxy),
    maxReceiveMessageBytes: bytes("maxReceiveMessageBytes", maxReceiveMessageBytes ?? MESSAGE_LIMIT_BYTES),
    maxMessageBytes,
    messageBytes: Math.min(bytes("messageBytes", messageBytes ?? 1024 * 1024), maxMessageBytes),
    windowBytes: bytes("windowBytes", windowBytes ?? 6 * 1024 * 1024),
    flushAfterMs: resolveFlush(flushAfterMs ?? 5 * 60_000),
    unknownEvents: resolveUnknownEvents(unknownEvents ?? "retry"),
    channelOptions: checkChannelOptions(channelOptions ?? {}),
  };
}

/** Headers go out as gRPC metadata, which holds less than HTTP does. */
function checkMetadata(headers: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(headers)) {
    if (!/^[\w.-]+$/.test(name) || /^grpc-|-bin$/i.test(name))
      throw new ConfigurationError(
        "headers: a name must be of letters, digits, and the characters - _ . for the Sync API, and neither begin with grpc- nor end with -bin.",
      );
    if (typeof value !== "string" || !/^[\x20-\x7e]*$/.test(value))
      throw new ConfigurationError(`headers: the value of ${name} must be a text of printable ASCII.`);
  }
}

/** What grpc-js can do with a proxy. */
function proxyFor(endpoint: URL, option: string | undefined): HttpProxy | undefined {
  const proxy = resolveProxy(option);
  checkProxy(proxy, "the endpoint", endpoint);
  if (proxy?.origin.startsWith("https:") === true) {
    throw new ConfigurationError(
      "proxy must begin with http:// for the Sync API: gRPC speaks no TLS to a proxy. What goes through its tunnel is encrypted all the same.",
    );
  }
  if (proxy !== undefined && endpoint.hostname.startsWith("[")) {
    // It would be asked for without the brackets, which no proxy understands.
    throw new ConfigurationError(
      "proxy is set but the endpoint's host is an IPv6 address, which gRPC cannot ask a proxy for: use a host name.",
    );
  }
  return proxy;
}

function resolveFlush(flushAfterMs: number): number {
  if (requirePositive("flushAfterMs", flushAfterMs) < LEASE_MS) return flushAfterMs;
  throw new ConfigurationError("flushAfterMs must be shorter than the lease of 15 minutes (900000).");
}

function resolveUnknownEvents(choice: "retry" | "fail"): "retry" | "fail" {
  if (choice === "retry" || choice === "fail") return choice;
  throw new ConfigurationError('unknownEvents must be "retry" or "fail".');
}

function bytes(name: string, value: number): number {
  if (!Number.isInteger(requirePositive(name, value)))
    throw new ConfigurationError(`${name} must be a whole number of bytes.`);
  return value;
}
