/** What a failed connection says of itself, in words that are safe to show, and what may be kept of it. */
export interface NetworkFailure {
  /** What happened, as the end of a sentence. */
  readonly description: string;
  /** Whether another attempt can end differently. */
  readonly transient: boolean;
}

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
};

/** Codes of Node's TLS layer and of OpenSSL for a certificate that is not trusted: no retry heals it. */
const CERTIFICATE = /^(CERT_|ERR_TLS_|SELF_SIGNED_|DEPTH_ZERO_|UNABLE_TO_|HOSTNAME_MISMATCH|INVALID_CA)/;

/** Reads the codes along the chain of causes: fetch wraps what happened into a TypeError. */
export function readNetworkFailure(error: unknown): NetworkFailure {
  const codes = causes(error).flatMap((cause) => codeOf(cause) ?? []);
  const certificate = codes.find((code) => CERTIFICATE.test(code));
  if (certificate !== undefined) {
    return { description: `the server's certificate is not trusted (${certificate})`, transient: false };
  }
  const known = codes.find((code) => Object.hasOwn(DESCRIPTIONS, code));
  if (known === undefined) return { description: "the connection failed", transient: true };
  return { description: `${DESCRIPTIONS[known]} (${known})`, transient: true };
}

/**
 * A copy of a foreign error that holds name, message, stack, code and causes alone: an error of someone's fetch may
 * carry the whole request, with its headers.
 */
export function copyOfError(error: unknown, redact: (text: string) => string): Error {
  const copies = causes(error).map((cause) => {
    const copy = new Error(redact(cause instanceof Error ? cause.message : typeof cause));
    if (cause instanceof Error) {
      copy.name = redact(cause.name);
      if (cause.stack !== undefined) copy.stack = redact(cause.stack);
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
