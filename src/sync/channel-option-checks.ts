import { ConfigurationError } from "../core/errors/index.js";

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

/** Options of gRPC that are texts; all others are numbers. */
const TEXTS: ReadonlySet<string> = new Set([
  "grpc.default_authority",
  "grpc.service_config",
  "grpc.secondary_user_agent",
  "grpc.lb_policy_name",
]);

/** What grpc-js sets a window of HTTP/2 to, which may be no other number (RFC 9113, section 6.9.2). */
const WINDOW = "grpc-node.flow_control_window";
const MOST = 2 ** 31 - 1;

/**
 * Checks the options of the channel. grpc-js itself passes over what it does not know, and ends the process where one
 * that it knows has a value of another type.
 * @throws {ConfigurationError} one is not of its type, or has a counterpart in the SDK
 */
export function checkChannelOptions(options: unknown): ChannelOptions {
  if (typeof options !== "object" || options === null || Array.isArray(options))
    throw new ConfigurationError("channelOptions must be an object of gRPC names and their values.");
  const checked: Record<string, string | number> = {};
  for (const [name, value] of Object.entries(options)) {
    const own = Object.hasOwn(OWN_OPTIONS, name) ? OWN_OPTIONS[name] : undefined;
    if (own !== undefined) throw new ConfigurationError(`channelOptions must not set ${name}: ${own}.`);
    checked[name] = checkValue(name, value);
  }
  return checked;
}

function checkValue(name: string, value: unknown): string | number {
  const refuse = (what: string) => new ConfigurationError(`channelOptions: ${name} must be ${what}.`);
  if (TEXTS.has(name)) {
    if (typeof value === "string") return value;
    throw refuse("a text");
  }
  if (/^grpc(-node)?\./.test(name)) {
    const least = name === WINDOW ? 1 : -1;
    if (typeof value === "number" && Number.isInteger(value) && value >= least && value <= MOST) return value;
    throw refuse(`a whole number, ${least} to ${MOST}`);
  }
  if (typeof value === "string" || (typeof value === "number" && Number.isFinite(value))) return value;
  throw refuse("a text or a finite number");
}
