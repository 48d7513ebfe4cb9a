import type { SecureContext } from "node:tls";
import type { TlsOptions } from "../core/endpoint.js";
import { ConfigurationError } from "../core/errors/index.js";

const CERTIFICATE =
  /-----BEGIN (?:TRUSTED |X509 )?CERTIFICATE-----[^-]*-----END (?:TRUSTED |X509 )?CERTIFICATE-----/g;

/**
 * Checks that certificates and key can be used, so that a mistake shows where the client is made.
 * @throws {ConfigurationError} naming the option; it quotes nothing
 */
export function checkCertificates(tls: TlsOptions | undefined): void {
  // Without any of them there is nothing to go wrong, and no need to load what is slow to load.
  if (tls?.ca !== undefined || tls?.cert !== undefined || tls?.key !== undefined) secureContext(tls);
}

/**
 * What is trusted, and what the client shows: TLS 1.2 or later.
 * @throws {ConfigurationError} a certificate or key cannot be used
 */
export function secureContext(tls: TlsOptions = {}): SecureContext {
  const { createSecureContext } = process.getBuiltinModule("node:tls");
  const ca = certificates("tls.ca", tls.ca);
  const cert = certificates("tls.cert", tls.cert);
  const key = privateKey(tls.key, cert);
  try {
    return createSecureContext({ ca, cert, key, minVersion: "TLSv1.2" });
  } catch {
    // No cause: OpenSSL's text may quote what it was given.
    throw new ConfigurationError(
      "tls holds a certificate or key that this Node's OpenSSL does not take: it may be too weak, or of an unknown kind.",
    );
  }
}

/** Node passes over in silence what it cannot read of an authority. */
function certificates(name: string, value: string | Uint8Array | undefined): string | undefined {
  if (value === undefined) return undefined;
  const { X509Certificate } = process.getBuiltinModule("node:crypto");
  const text = textOf(value);
  const found = text.match(CERTIFICATE) ?? [];
  try {
    for (const pem of found) new X509Certificate(pem);
  } catch {
    throw new ConfigurationError(
      `${name} holds a certificate that cannot be read: it must be whole, as PEM.`,
    );
  }
  if (found.length > 0) return text;
  throw new ConfigurationError(
    `${name} holds no certificate: it must be PEM, the text of the file and not its path.`,
  );
}

function privateKey(value: string | Uint8Array | undefined, cert: string | undefined): string | undefined {
  if (value === undefined || cert === undefined) return undefined;
  const { createPrivateKey, X509Certificate } = process.getBuiltinModule("node:crypto");
  const text = textOf(value);
  let matches: boolean;
  try {
    matches = new X509Certificate(cert).checkPrivateKey(createPrivateKey(text));
  } catch {
    throw new ConfigurationError(
      "tls.key holds no private key that can be read: it must be PEM, without a passphrase; the text of the file and not its path.",
    );
  }
  if (matches) return text;
  throw new ConfigurationError("tls.key is not the key of the first certificate of tls.cert.");
}

function textOf(value: string | Uint8Array): string {
  return Buffer.from(value).toString("latin1");
}
