/** Options of the Sync API alone; the client of both APIs has them under `sync`. */
export const SYNC_TUNING_NAMES = {
  maxReceiveMessageBytes: true,
  maxSendMessageBytes: true,
  messageBytes: true,
  windowBytes: true,
  flushAfterMs: true,
  unknownEvents: true,
  channelOptions: true,
} as const;

/**
 * The options of all clients of the SDK. People share one object among clients, so each client takes what another one
 * has a use for; the module of each client holds this list to the type of its own options.
 */
export const CLIENT_OPTION_NAMES = {
  // Of every client.
  apiKey: true,
  authorization: true,
  timeoutMs: true,
  retry: true,
  headers: true,
  appInfo: true,
  onRequest: true,
  onResponse: true,
  onRetry: true,
  logger: true,
  clock: true,
  // Of the network, in Node.
  tls: true,
  proxy: true,
  // Of the GraphQL API.
  baseUrl: true,
  fetch: true,
  maxResponseBytes: true,
  // Of the Sync API, which the client of both calls otherwise.
  syncUrl: true,
  endpoint: true,
  sync: true,
  ...SYNC_TUNING_NAMES,
} as const;
