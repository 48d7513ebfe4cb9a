import { isObject } from "./validate.js";

/**
 * What a network failure means, for GraphQL (fetch), gRPC and proxies alike: one table of codes. The messages never
 * repeat the words of the peer or the runtime.
 */
export interface NetworkError {
  /** What happened, worded as the end of a sentence: `the server refused the connection`. */
  readonly description: string;
  /** What to do about the failure: a sentence without its final period. */
  readonly advice: string;
  /** Whether another attempt may succeed: a network recovers, a wrong certificate does not. */
  readonly retryable: boolean;
  /** Whether it's certain that nothing was sent. */
  readonly unsent: boolean;
}

const CHECK_ADDRESS = "Check the endpoint's host and port, and that the service is running";
const CHECK_NETWORK =
  "Check the host of the endpoint and the network of this machine, and set HTTPS_PROXY if it needs a proxy";
const CHECK_TIMEOUT = `${CHECK_ADDRESS}, and that no firewall drops the packets`;
const CHECK_CLIENT_CERT = "Set tls.cert and tls.key to a certificate that the server accepts";
const CHECK_HTTPS = "Check the port, and that the endpoint begins with https:// if the server uses TLS";

export const NETWORK_ERRORS = {
  // The connection.
  ECONNREFUSED: unsent("the server refused the connection", CHECK_ADDRESS),
  ENOTFOUND: unsent("the host name cannot be resolved", CHECK_NETWORK),
  EAI_AGAIN: unsent("the host name cannot be resolved at the moment", CHECK_NETWORK),
  EHOSTUNREACH: unsent("the host cannot be reached", CHECK_NETWORK),
  ENETUNREACH: unsent("the network cannot be reached", CHECK_NETWORK),
  UND_ERR_CONNECT_TIMEOUT: unsent("the connection timed out", CHECK_TIMEOUT),
  ETIMEDOUT: interrupted("the connection timed out", CHECK_TIMEOUT),
  ECONNRESET: interrupted("the other side closed the connection", "Check the firewalls in between"),
  UND_ERR_HEADERS_TIMEOUT: interrupted("the server did not respond in time", "Try again later"),
  UND_ERR_BODY_TIMEOUT: interrupted("the response stopped arriving", "Try again later"),
  CLOSED: unsent("the server closed the connection at once", CHECK_HTTPS),
  SILENT: unsent("the server accepted the connection but sent nothing", CHECK_HTTPS),
  // Browsers give no details about a failed request.
  CORS: interrupted(
    "the connection failed, or the browser blocked it",
    "Check the endpoint and the network, and that the server allows the page's origin, POST and the headers that are sent (CORS)",
  ),
  UNKNOWN: interrupted("the connection failed", "Check the endpoint, the network and the TLS settings"),

  // TLS.
  CLOSED_IN_HANDSHAKE: unsent(
    "the server closed the connection during the TLS handshake",
    "Check the port of the endpoint, and tls.cert and tls.key if the server requires a client certificate",
  ),
  CLOSED_AFTER_HANDSHAKE: unsent(
    "the server closed the connection after the TLS handshake",
    CHECK_CLIENT_CERT,
  ),
  CERT_HOST_NAME: lasting(
    "the server's certificate is for another host name",
    "Check the host of the endpoint; if the names differ on purpose, set tls.serverName",
  ),
  CERT_EXPIRED: lasting(
    "the server's certificate has expired or is not valid yet",
    "Renew it, or correct the clock of this machine",
  ),
  CERT_UNTRUSTED: lasting(
    "the server's certificate is not trusted",
    "If a private authority issued it, set tls.ca to the certificate of that authority",
  ),
  CLIENT_CERT_REFUSED: lasting(
    "the server requires a client certificate, or rejected the one it received",
    CHECK_CLIENT_CERT,
  ),
  TLS_VERSION: lasting(
    "the server supports no TLS version that the SDK accepts",
    "It must support TLS 1.2 or later",
  ),
  TLS_REFUSED: lasting("the server refused the TLS handshake", `${CHECK_CLIENT_CERT}, if it requires one`),
  NOT_TLS: lasting("the server does not use TLS", "Check the port of the endpoint"),

  // The protocol.
  BAD_PORT: lasting("fetch refuses this port", "Serve the API at another port and change baseUrl"),
  NOT_HTTP1: lasting(
    "the server does not speak HTTP/1.1",
    "Check that baseUrl isn't the address of the Sync API",
  ),
  NOT_HTTP2: lasting("the server does not speak HTTP/2, which gRPC needs", CHECK_HTTPS),
  REDIRECTED: lasting(
    "the server sent a redirect, which is not followed: only baseUrl receives the API key",
    "Check baseUrl",
    false,
  ),
  BODY_ENCODING: lasting(
    "the response body is damaged, or its compression does not match its headers",
    "Check the proxies in between",
    false,
  ),

  // The proxy.
  PROXY_UNREACHABLE: unsent("the proxy cannot be reached", "Check its address"),
  PROXY_CLOSED: unsent(
    "the proxy closed the connection",
    "Check its host and port, and that it opens tunnels (CONNECT)",
  ),
  PROXY_TUNNEL_FAILED: unsent(
    "the proxy did not open a tunnel to the server",
    "Check the proxy with its user name and password, or exempt the host in NO_PROXY",
  ),
  PROXY_FAILED: unsent(
    "the proxy cannot be reached, or opened no tunnel to the server",
    "Check its address, user name and password, or exempt the host in NO_PROXY",
  ),
  PROXY_AUTHENTICATION: lasting("the proxy requires authentication", "Check its credentials"),
  PROXY_REFUSED: lasting(
    "the proxy refused to open a tunnel to the server",
    "Check its port, and whether it allows this host and port",
  ),
} satisfies Readonly<Record<string, NetworkError>>;

export type NetworkErrorCode = keyof typeof NETWORK_ERRORS;

/**
 * Codes of Node, undici, OpenSSL, zlib and llhttp, and messages of grpc-js, Deno and undici that come without a code;
 * lower-case, with spaces for underscores. The first match wins. TLS alerts have numbers (RFC 8446, section 6).
 */
const PATTERNS: readonly (readonly [RegExp, NetworkErrorCode])[] = [
  [
    /alert (bad|unsupported) certificate|alert certificate (revoked|expired|unknown|required)|alert unknown ca|alert number (4[2-68]|116)\b/,
    "CLIENT_CERT_REFUSED",
  ],
  [/alert protocol version|alert number 70\b|unsupported protocol|version too low/, "TLS_VERSION"],
  [/alert no application protocol|alert number 120\b|^protocol error/, "NOT_HTTP2"],
  [/\balert\b/, "TLS_REFUSED"],
  [/wrong version number|packet length too long|[: ]http request\b/, "NOT_TLS"],
  [/altname invalid|hostname mismatch|certificate not valid for name/, "CERT_HOST_NAME"],
  [/cert(ificate)? has expired|certificate expired|not yet valid|not valid yet/, "CERT_EXPIRED"],
  [
    /unable to (verify|get)|self[- ]signed|invalid ca\b|invalid peer certificate|^cert |^err tls /,
    "CERT_UNTRUSTED",
  ],
  [/before secure tls connection/, "CLOSED_IN_HANDSHAKE"],
  [/^bad port$/, "BAD_PORT"],
  [/^unexpected redirect$|redirect mode is set to/, "REDIRECTED"],
  // undici 7 and later (fetch in Node 24) gives llhttp's reason without its code.
  [/^hpe invalid constant|^response does not match .*\(expected http\//, "NOT_HTTP1"],
  [/^z \w+ error$|^err (brotli| error format)|^zstd error/, "BODY_ENCODING"],
  [/^undefined\b/, "PROXY_FAILED"],
  [/\bepipe\b|socket hang up|^und err socket/, "ECONNRESET"],
  [/\b(enetdown|eaddrnotavail)\b/, "ENETUNREACH"],
  [/\behostdown\b/, "EHOSTUNREACH"],
  [/^name resolution failed|^failed to parse dns address/, "ENOTFOUND"],
];

/** The meaning of an error from fetch, and the code that it was derived from. */
export interface NetworkFailure extends NetworkError {
  readonly code: string | undefined;
}

/** Reads the codes along an error's chain of causes, because fetch wraps the real failure in a TypeError. */
export function networkErrorOf(error: unknown): NetworkFailure {
  for (const cause of causesOf(error)) {
    const code = errorCode(cause);
    // Deno gives no code for a certificate that it refuses, and undici none for a response that isn't HTTP.
    const known = meaningOf(code ?? (cause instanceof Error ? cause.message : ""));
    if (known !== undefined) return { ...named(NETWORK_ERRORS[known], cause), code: code ?? known };
  }
  return { ...NETWORK_ERRORS.UNKNOWN, code: undefined };
}

/** Matches the messages of engines and libraries about a network failure that has no code. */
const OF_NETWORK =
  /fetch failed|failed to fetch|load failed|network|connect|socket|terminated|sending request|time[sd]? ?out|timeout|\b(tls|ssl|offline|closed?|reset|aborted|premature)\b/i;

/** Matches engines' messages about a mistake in a program. They can mention any name: `socket is not defined`. */
const OF_PROGRAM =
  /^(Reference|Range|Syntax|Assertion)Error:|\bis not (a|an|defined|iterable)\b|Error: cannot (read|set|destructure|access|convert|create) |\b(undefined|null)\b/i;

/**
 * Whether an error is a program's mistake rather than a network failure: a bug in the caller's `fetch` or in its
 * arguments. Another attempt would fail the same way.
 */
export function isProgramError(error: unknown): boolean {
  const causes = causesOf(error);
  if (causes.some((cause) => /^ERR_(ASSERTION|INVALID_(ARG|THIS|RETURN))/.test(errorCode(cause) ?? "")))
    return true;
  if (causes.some((cause) => errorCode(cause) !== undefined)) return false;
  const texts = causes.map(String);
  return texts.some((text) => OF_PROGRAM.test(text)) || !texts.some((text) => OF_NETWORK.test(text));
}

/** Adds the proxy to the description if the error names one. */
function named(failure: NetworkError, error: unknown): NetworkError {
  const proxy: unknown = isObject(error) ? Reflect.get(error, "proxy") : undefined;
  return typeof proxy === "string" ? throughProxy(failure, proxy) : failure;
}

/** Adds the proxy of a connection to a failure's description. */
export function throughProxy(failure: NetworkError, proxy: unknown): NetworkError {
  return { ...failure, description: `${failure.description} (proxy: ${proxy})` };
}

/** The failure that a string describes, such as the error that grpc-js quotes; undefined if the table lacks it. */
export function networkErrorInText(text: string): NetworkError | undefined {
  const code = meaningOf(text);
  return code === undefined ? undefined : NETWORK_ERRORS[code];
}

/** The error and its causes, at most five deep. */
export function causesOf(error: unknown): readonly unknown[] {
  const chain = [error];
  for (let last = error; chain.length < 5 && last instanceof Error && last.cause !== undefined; ) {
    last = last.cause;
    chain.push(last);
  }
  return chain;
}

/** The code of an error, to be quoted in messages; undefined for a value that doesn't look like a code. */
export function errorCode(error: unknown): string | undefined {
  if (typeof error !== "object" || error === null || !("code" in error)) return undefined;
  return typeof error.code === "string" && /^\w{1,64}$/.test(error.code) ? error.code : undefined;
}

function meaningOf(text: string): NetworkErrorCode | undefined {
  const named = text.match(/\b(E[A-Z]{2,}(_AGAIN)?|UND_ERR_\w+|PROXY_\w+)\b/g)?.find(isKnownCode);
  if (named !== undefined) return named;
  const folded = text.toLowerCase().replaceAll("_", " ");
  return PATTERNS.find(([pattern]) => pattern.test(folded))?.[1];
}

function isKnownCode(code: string): code is NetworkErrorCode {
  return Object.hasOwn(NETWORK_ERRORS, code);
}

function unsent(description: string, advice: string): NetworkError {
  return { description, advice, retryable: true, unsent: true };
}

function interrupted(description: string, advice: string): NetworkError {
  return { description, advice, retryable: true, unsent: false };
}

function lasting(description: string, advice: string, unsent = true): NetworkError {
  return { description, advice, retryable: false, unsent };
}
