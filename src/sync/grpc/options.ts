import { isIP } from "node:net";
import { type ChannelCredentials, type ClientOptions, credentials } from "@grpc/grpc-js";
import type { HttpProxy } from "../../node/proxy.js";
import { connectionOptions } from "../../node/tls.js";
import type { SyncConfiguration } from "../options.js";

/** A name that no server has (RFC 2606), sent in place of an IP address. */
const NO_NAME = "address.invalid";

const IDLE_TIMEOUT = "grpc.client_idle_timeout_ms";
/** Firewalls and load balancers drop idle connections after a few minutes, the strictest after about one minute. */
const IDLE_LIMIT_MS = 60_000;
/** The minimum that grpc-js accepts. */
const MIN_IDLE_LIMIT_MS = 1000;

/** How long a connection may sit idle, in milliseconds. */
export function idleLimitMs({ channelOptions }: SyncConfiguration): number {
  return Math.max(Number(channelOptions[IDLE_TIMEOUT] ?? IDLE_LIMIT_MS), MIN_IDLE_LIMIT_MS);
}

export function targetOf({ protocol, hostname, port }: URL): string {
  return `${hostname}:${port === "" ? (protocol === "http:" ? 80 : 443) : port}`;
}

export function channelCredentials(configuration: SyncConfiguration): ChannelCredentials {
  if (configuration.endpoint.protocol === "http:") return credentials.createInsecure();
  const { tls } = configuration;
  const serverName = tls?.serverName ?? addressOf(configuration);
  const { secureContext, ...verify } = connectionOptions({ ...tls, serverName });
  return credentials.createFromSecureContext(secureContext, verify);
}

/** The caller's channel options, overridden by those that the SDK relies on. */
export function channelOptions(configuration: SyncConfiguration): ClientOptions {
  const { tls } = configuration;
  const serverName = addressOf(configuration) === undefined ? tls?.serverName : NO_NAME;
  return {
    // Without this, grpc-js looks up each host twice, and DNS could set timeouts and policies.
    "grpc.service_config_disable_resolution": 1,
    [IDLE_TIMEOUT]: IDLE_LIMIT_MS,
    ...configuration.channelOptions,
    "grpc.max_receive_message_length": configuration.maxReceiveMessageBytes,
    // The SDK splits messages itself, and has one retry policy for both APIs.
    "grpc.max_send_message_length": -1,
    "grpc.enable_retries": 0,
    // Without this, grpc-js reports a message as written as soon as it's buffered for a retry.
    "grpc.per_rpc_retry_buffer_size": 0,
    "grpc.primary_user_agent": configuration.userAgent,
    // Without this, a new channel would reuse the stalled connection that it replaces.
    "grpc.use_local_subchannel_pool": 1,
    // The SDK itself finds the proxy in the environment, for both APIs.
    "grpc.enable_http_proxy": 0,
    ...(serverName === undefined ? {} : { "grpc.ssl_target_name_override": serverName }),
  };
}

/**
 * Returns the server's name if it's an IP address; the certificate must then be for that address. TLS doesn't allow an
 * IP address as the server name (RFC 6066, section 3), and Node 26 refuses to send one.
 */
function addressOf({ endpoint, tls }: SyncConfiguration): string | undefined {
  const name = tls?.serverName ?? endpoint.hostname.replace(/^\[|\]$/g, "");
  return isIP(name) === 0 ? undefined : name;
}

/**
 * Returns the address to connect to, and the options that make a proxy forward to the server. grpc-js itself only reads
 * proxies from the environment, and then sets the same options.
 * @param target Host and port of the server.
 */
export function proxyRoute(
  proxy: HttpProxy | undefined,
  target: string,
): { readonly target: string; readonly options: ClientOptions } {
  if (proxy === undefined) return { target, options: {} };
  const { hostname, port } = new URL(proxy.origin);
  const { credentials } = proxy;
  return {
    target: `${hostname}:${port === "" ? 80 : port}`,
    options: {
      "grpc.http_connect_target": `dns:${target}`,
      ...(credentials === undefined ? {} : { "grpc.http_connect_creds": credentials }),
      // Without this, requests would be addressed to the proxy.
      "grpc.default_authority": target,
    },
  };
}
