import { isIP } from "node:net";
import { checkServerIdentity } from "node:tls";
import { type ChannelCredentials, type ClientOptions, credentials } from "@grpc/grpc-js";
import { isLoopback } from "../../core/endpoint.js";
import { secureContext } from "../../node/certificates.js";
import type { SyncConfiguration } from "../configuration.js";

/** Sent as the server's name where it is an address: a name that no server has (RFC 2606). */
const NO_NAME = "address.invalid";

/** Host and port of an endpoint. */
export function targetOf({ protocol, hostname, port }: URL): string {
  return `${hostname}:${port === "" ? (protocol === "http:" ? 80 : 443) : port}`;
}

/**
 * How the server is known, and the client to it.
 * @throws {ConfigurationError} a certificate or key cannot be read
 */
export function channelCredentials(configuration: SyncConfiguration): ChannelCredentials {
  if (configuration.endpoint.protocol === "http:") return credentials.createInsecure();
  const address = addressOf(configuration);
  return credentials.createFromSecureContext(secureContext(configuration.tls), {
    // Said, because the environment could say otherwise (NODE_TLS_REJECT_UNAUTHORIZED).
    rejectUnauthorized: true,
    ...(address === undefined
      ? {}
      : { checkServerIdentity: (_, peer) => checkServerIdentity(address, peer) }),
  });
}

/** The options of the channel: the caller's, below those that the SDK relies on. */
export function channelOptions(configuration: SyncConfiguration): ClientOptions {
  const { endpoint, tls } = configuration;
  const serverName = addressOf(configuration) === undefined ? tls?.serverName : NO_NAME;
  return {
    // Else each host name costs a second look-up, whose answer could set timeouts and policies.
    "grpc.service_config_disable_resolution": 1,
    ...configuration.channelOptions,
    "grpc.max_receive_message_length": configuration.maxReceiveMessageBytes,
    // The engine cuts messages itself, and retries by one policy for both APIs.
    "grpc.max_send_message_length": -1,
    "grpc.enable_retries": 0,
    // Else a message counts as written when it is kept for a retry.
    "grpc.per_rpc_retry_buffer_size": 0,
    "grpc.primary_user_agent": configuration.userAgent,
    // A new channel must not get the stalled connection of the one that it replaces.
    "grpc.use_local_subchannel_pool": 1,
    // A proxy of the environment would capture loopback too.
    ...(isLoopback(endpoint.hostname) ? { "grpc.enable_http_proxy": 0 } : {}),
    ...(serverName === undefined ? {} : { "grpc.ssl_target_name_override": serverName }),
  };
}

/**
 * The address that the server's certificate must be for, where it is no name. TLS knows no server names that are
 * addresses (RFC 6066, section 3), and Node 26 refuses to send one, which grpc-js would do.
 */
function addressOf({ endpoint, tls }: SyncConfiguration): string | undefined {
  const name = tls?.serverName ?? endpoint.hostname.replace(/^\[|\]$/g, "");
  return isIP(name) === 0 ? undefined : name;
}
