/** Why no connection came about, in words of the SDK: what the peer said is not among them. */
export interface ConnectionFailure {
  /** Continues "no connection to sync.example.com:443: ". */
  readonly reason: string;
  /** What to do about it, in a sentence. */
  readonly advice: string;
  /** Whether a repetition may help: a network recovers by itself, a wrong certificate does not. */
  readonly retryable: boolean;
}

/** How the endpoint is spoken to. */
export interface EndpointKind {
  /** Over TLS. */
  readonly secure: boolean;
  /** With a certificate of the client. */
  readonly clientCertificate: boolean;
}

/** Nobody answered in time. */
export const NO_ANSWER = passing(
  "nobody answered in time",
  "Check the host and the port of the endpoint, and whether a firewall drops the packets",
);

/** The connection was accepted, and then nothing came. */
export const SILENT = passing(
  "it accepted the connection and then said nothing",
  "Check that the port is that of the Sync API, and that the endpoint begins with https:// if the server speaks TLS",
);

const UNKNOWN_NAME = passing(
  "the host name cannot be resolved",
  "Check the host of the endpoint, and of the proxy if there is one, for a typing error, and the name service",
);
const CLOSED = passing(
  "it closed the connection before it said anything",
  "Check that the endpoint begins with https:// if the server speaks TLS",
);
const CLOSED_HANDSHAKE = passing(
  "it closed the connection during the TLS handshake",
  "Check the port of the endpoint, and the client certificate if the server requires one (tls.cert and tls.key)",
);
const UNCLEAR = passing("it could not be made", "Check the endpoint, the network and the TLS settings");

/**
 * What grpc-js's last error means; the first match counts. The texts are those of Node, of OpenSSL 3.0 to 3.5 and of
 * grpc-js. Alerts are what the peer says, by their numbers (RFC 8446, section 6).
 */
const MEANINGS: readonly (readonly [RegExp, ConnectionFailure])[] = [
  [
    /unable to (verify|get)|self[- ]signed certificate|invalid CA certificate/i,
    lasting(
      "its certificate is not signed by an authority that is trusted here",
      "Give the certificate of its authority as tls.ca.",
    ),
  ],
  [
    /certificate (has expired|is not yet valid)/i,
    lasting(
      "its certificate has expired or is not valid yet",
      "The server needs a new certificate, or the clock of this machine is wrong.",
    ),
  ],
  [
    /ERR_TLS_CERT_ALTNAME_INVALID/,
    lasting(
      "its certificate is for another host name",
      "Check the host of the endpoint; where the names differ on purpose, set tls.serverName.",
    ),
  ],
  [
    // Bad, unsupported, revoked, expired, unknown, of an unknown authority, required.
    /alert number (4[2-68]|116)\b/,
    lasting(
      "it does not accept the client certificate, or requires one and none was sent",
      "Set tls.cert and tls.key to a certificate that the server accepts.",
    ),
  ],
  [
    /alert number 70\b|unsupported protocol|version too low/i,
    lasting("it speaks no TLS version that is accepted here", "The server must speak TLS 1.2 or later."),
  ],
  [
    /alert number 120\b|^Protocol error/,
    lasting(
      "it does not speak HTTP/2, which gRPC needs",
      "Check that the endpoint is the address of the Sync API, and begins with https:// if the server speaks TLS.",
    ),
  ],
  [
    /alert number \d+/,
    lasting(
      "it refused the TLS handshake",
      "It may require a client certificate (tls.cert and tls.key), or have no cipher in common with this machine.",
    ),
  ],
  [
    /wrong version number|packet length too long|http request/i,
    lasting(
      "it does not speak TLS",
      "Check the port of the endpoint; only a server on this machine may be reached without TLS, by http://.",
    ),
  ],
  [/before secure TLS connection/, CLOSED_HANDSHAKE],
  [
    /ECONNREFUSED/,
    passing(
      "the connection was refused",
      "Check the host and the port of the endpoint, and that the service runs",
    ),
  ],
  [
    /ECONNRESET|EPIPE|socket hang up/i,
    passing("the connection was reset", "Check the port of the endpoint, and firewalls on the way"),
  ],
  [
    /ENETUNREACH|EHOSTUNREACH|ENETDOWN|EHOSTDOWN|EADDRNOTAVAIL/,
    passing(
      "the network has no way there",
      "Check the host of the endpoint, and the network of this machine",
    ),
  ],
  [/ETIMEDOUT/, NO_ANSWER],
  [
    // All that grpc-js says of a tunnel that came to nothing.
    /^undefined\b/,
    passing(
      "the proxy did not open a way there",
      "Check the option proxy with its user name and password; where it is not set, grpc_proxy, https_proxy, http_proxy and no_proxy of the environment",
    ),
  ],
];

/**
 * Reads what grpc-js says of a call that failed.
 * @param details the text of its status
 * @returns undefined where it did not fail for want of a connection
 */
export function connectionFailure(details: string, endpoint: EndpointKind): ConnectionFailure | undefined {
  if (/^(Name resolution failed|Failed to parse DNS address)/.test(details)) return UNKNOWN_NAME;
  const lastError = /^No connection established\. Last error: (?:Error: )?(.*)/s.exec(details)?.[1];
  if (lastError === undefined) return undefined;
  if (lastError.startsWith("Failed to connect")) return closedEarly(endpoint);
  return MEANINGS.find(([text]) => text.test(lastError))?.[1] ?? UNCLEAR;
}

/** A TLS 1.3 server looks at the client's certificate when the client takes the handshake for done. */
function closedEarly({ secure, clientCertificate }: EndpointKind): ConnectionFailure {
  if (!secure) return CLOSED;
  if (!clientCertificate) return CLOSED_HANDSHAKE;
  return passing(
    "it closed the connection after the TLS handshake",
    "It may not accept the client certificate (tls.cert and tls.key): check it",
  );
}

function lasting(reason: string, advice: string): ConnectionFailure {
  return { reason, advice, retryable: false };
}

function passing(reason: string, advice: string): ConnectionFailure {
  return { reason, advice: `${advice}, or try again later.`, retryable: true };
}
