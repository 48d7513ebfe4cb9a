import { escapeControls } from "../../core/redact.js";

/** What a failed connection says of itself, in words that are safe to show, and what may be kept of it. */
export interface NetworkFailure {
  /** What happened, as the end of a sentence. */
  readonly description: string;
  /** Whether another attempt can end differently. */
  readonly transient: boolean;
  /** Whether it is certain that nothing was sent. */
  readonly unsent: boolean;
}

/** Failures before there was a connection to send something on. */
const UNSENT = [
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "UND_ERR_CONNECT_TIMEOUT",
  "PROXY_UNREACHABLE",
  "PROXY_TUNNEL_FAILED",
];

const DESCRIPTIONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: "the server refused the connection",
  ECONNRESET: "the connection was closed before the answer was complete",
  EPIPE: "the connection was closed before the request was complete",
  UND_ERR_SOCKET: "the connection was closed before the answer was complete",
  ENOTFOUND: "the host name is not known",
  EAI_AGAIN: "the host name could not be looked up",
  EHOSTUNREACH: "the host cannot be reached",
  ENETUNREACH: "the network cannot be reached",
  ETIMEDOUT: "the connection timed out",
  UND_ERR_CONNECT_TIMEOUT: "the connection timed out",
  UND_ERR_HEADERS_TIMEOUT: "the server did not answer in time",
  UND_ERR_BODY_TIMEOUT: "the answer did not go on in time",
  PROXY_UNREACHABLE: "the proxy cannot be reached",
  PROXY_TUNNEL_FAILED: "the proxy could not open a tunnel to the server",
};

/**
 * Codes of Node's TLS layer, of OpenSSL and of the parser of HTTP, and what to do: no retry heals these. The first
 * match counts.
 */
const LASTING_FAILURES: readonly (readonly [RegExp, string, string])[] = [
  [
    /^(ERR_TLS_CERT_ALTNAME_INVALID|HOSTNAME_MISMATCH)$/,
    "the server's certificate is not for this host name",
    "check baseUrl; where the names differ on purpose, set tls.serverName",
  ],
  [
    /^CERT_(HAS_EXPIRED|NOT_YET_VALID)$/,
    "the server's certificate is not valid at this time",
    "it needs a new one, or the clock of this machine is wrong",
  ],
  [
    /^(CERT_|ERR_TLS_|SELF_SIGNED_|DEPTH_ZERO_|UNABLE_TO_|INVALID_CA)/,
    "the server's certificate is not trusted",
    "where it is that of a private authority, give the authority's certificate as tls.ca",
  ],
  [
    /^ERR_SSL_\w*(ALERT|CERTIFICATE)/,
    "the server refused the TLS handshake",
    "it may require a client certificate: set tls.cert and tls.key to one that it accepts",
  ],
  [
    /^ERR_SSL_(WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG|HTTP_REQUEST)$/,
    "the server does not speak TLS",
    "check the port of baseUrl",
  ],
  [
    /^HPE_INVALID_CONSTANT$/,
    "the server does not speak HTTP/1.1",
    "check that baseUrl is the address of the GraphQL API, and not that of the Sync API",
  ],
];

/** What Deno says of a certificate, which comes without a code, and the code of it in Node. The first match counts. */
const DENO_CERTIFICATES: readonly (readonly [RegExp, string])[] = [
  [/invalid peer certificate: certificate not valid for name/, "HOSTNAME_MISMATCH"],
  [/invalid peer certificate: certificate expired/, "CERT_HAS_EXPIRED"],
  [/invalid peer certificate: certificate not valid yet/, "CERT_NOT_YET_VALID"],
  [/invalid peer certificate: /, "CERT_UNTRUSTED"],
];

/** Codes of Node's zlib, brotli and zstd: the body came to its end, so another attempt would bring the same. */
const UNREADABLE_ENCODING = /^(Z_[A-Z]+_ERROR|ERR__ERROR_FORMAT\w*|ERR_BROTLI\w*|ZSTD_error\w*)$/;

/** Reads the codes along the chain of causes: fetch wraps what happened into a TypeError. */
export function readNetworkFailure(error: unknown): NetworkFailure {
  const codes = causes(error).flatMap((cause) => codeOf(cause) ?? denoCodeOf(cause) ?? []);
  for (const [pattern, what, advice] of LASTING_FAILURES) {
    const code = codes.find((candidate) => pattern.test(candidate));
    if (code !== undefined)
      return { description: `${what} (${code}): ${advice}`, transient: false, unsent: true };
  }
  const unreadable = codes.find((code) => UNREADABLE_ENCODING.test(code));
  if (unreadable !== undefined) {
    const description = `the body is damaged, or not compressed in the way that the server says (${unreadable})`;
    return { description, transient: false, unsent: false };
  }
  const known = codes.find((code) => Object.hasOwn(DESCRIPTIONS, code));
  if (known === undefined) return { description: "the connection failed", transient: true, unsent: false };
  return {
    description: `${DESCRIPTIONS[known]} (${known})`,
    transient: true,
    unsent: UNSENT.includes(known),
  };
}

/**
 * Whether fetch has not even tried: the standard keeps some ports for other protocols, such as 6667. Node's fetch says
 * so by its words alone.
 */
export function isRefusedPort(error: unknown): boolean {
  return causes(error).some((cause) => cause instanceof Error && cause.message === "bad port");
}

/**
 * A copy of a foreign error that holds name, message, stack, code and causes alone: an error of someone's fetch may
 * carry the whole request, with its headers.
 */
export function copyOfError(error: unknown, redact: (text: string) => string): Error {
  const copies = causes(error).map((cause) => {
    const message = cause instanceof Error ? String(cause.message) : typeof cause;
    const clean = escapeControls(redact(message));
    const copy = new Error(clean);
    if (cause instanceof Error) {
      copy.name = escapeControls(redact(String(cause.name)));
      if (typeof cause.stack === "string") copy.stack = redact(cause.stack.replace(message, () => clean));
    }
    const code = codeOf(cause);
    return code === undefined ? copy : Object.assign(copy, { code });
  });
  return copies.reduceRight((cause, copy) => Object.assign(copy, { cause }));
}

/** The error and its causes, at most five deep. */
function causes(error: unknown): readonly unknown[] {
  const chain = [error];
  while (chain.length < 5) {
    const last = chain.at(-1);
    if (!(last instanceof Error) || last.cause === undefined) break;
    chain.push(last.cause);
  }
  return chain;
}

function codeOf(error: unknown): string | undefined {
  if (typeof error !== "object" || error === null || !("code" in error)) return undefined;
  return typeof error.code === "string" && /^\w{1,64}$/.test(error.code) ? error.code : undefined;
}

function denoCodeOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  return DENO_CERTIFICATES.find(([pattern]) => pattern.test(error.message))?.[1];
}
