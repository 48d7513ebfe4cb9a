import { isIP } from "node:net";
import {
  type ConnectionOptions,
  checkServerIdentity,
  createSecureContext,
  type SecureContext,
} from "node:tls";
import { ConfigurationError } from "../errors.js";
import type { TlsOptions } from "../options.js";

/**
 * What is trusted, and what the client shows: TLS 1.2 or later.
 * @throws {ConfigurationError} a certificate or key cannot be used
 */
export function secureContext({ ca, cert, key }: TlsOptions = {}): SecureContext {
  try {
    return createSecureContext({ ca: pem(ca), cert: pem(cert), key: pem(key), minVersion: "TLSv1.2" });
  } catch {
    // No cause: OpenSSL's text may quote what it was given.
    throw new ConfigurationError(
      "tls holds a certificate or key that cannot be used: ca, cert and key must be PEM, key without a passphrase and that of cert.",
    );
  }
}

/** How Node's TLS connects to the API. An address cannot be sent as the server's name (RFC 6066, section 3). */
export function connectionOptions(
  tls: TlsOptions = {},
): Pick<ConnectionOptions, "secureContext" | "servername" | "checkServerIdentity"> {
  const { serverName } = tls;
  const context = { secureContext: secureContext(tls) };
  if (serverName === undefined) return context;
  if (isIP(serverName) === 0) return { ...context, servername: serverName };
  return { ...context, checkServerIdentity: (_, peer) => checkServerIdentity(serverName, peer) };
}

/** As a text. What is no PEM at all Node would pass over in silence where it is an authority. */
function pem(value: string | Uint8Array | undefined): string | undefined {
  const text = value === undefined ? undefined : Buffer.from(value).toString("latin1");
  if (text?.includes("-----BEGIN ") === false) throw new Error("no PEM");
  return text;
}
