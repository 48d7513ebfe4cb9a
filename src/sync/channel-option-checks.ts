import { ConfigurationError } from "../errors.js";

/** Options of a gRPC channel, by their gRPC names. */
export type ChannelOptions = Readonly<Record<string, string | number>>;

/** Options of the channel that are not the caller's to set, and what to use instead. */
const OWN_OPTIONS: Readonly<Record<string, string>> = {
  "grpc.max_receive_message_length": "use maxReceiveMessageBytes",
  "grpc.max_send_message_length": "use maxSendMessageBytes",
  "grpc.enable_retries": "use retry",
  "grpc.primary_user_agent": "use appInfo",
  "grpc.ssl_target_name_override": "use tls.serverName",
  "grpc.http_connect_target": "use proxy",
  "grpc.http_connect_creds": "use proxy",
  "grpc.per_rpc_retry_buffer_size": "the SDK sends messages again itself",
  "grpc.use_local_subchannel_pool": "each client has connections of its own",
};

/**
 * Checks the options of the channel. grpc-js itself passes over what it does not know or understand.
 * @throws {ConfigurationError} one is no text or number, or has a counterpart in the SDK
 */
export function checkChannelOptions(options: unknown): ChannelOptions {
  if (typeof options !== "object" || options === null || Array.isArray(options))
    throw new ConfigurationError("channelOptions must be an object of gRPC names and their values.");
  const checked: Record<string, string | number> = {};
  for (const [name, value] of Object.entries(options)) {
    const own = Object.hasOwn(OWN_OPTIONS, name) ? OWN_OPTIONS[name] : undefined;
    if (own !== undefined) throw new ConfigurationError(`channelOptions must not set ${name}: ${own}.`);
    if (typeof value !== "string" && !(typeof value === "number" && Number.isFinite(value)))
      throw new ConfigurationError(`channelOptions: ${name} must be a text or a finite number.`);
    checked[name] = value;
  }
  return checked;
}
