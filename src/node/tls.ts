import type { PeerCertificate, SecureContext } from "node:tls";
import type { TlsOptions } from "../core/endpoint.js";
import { ConfigurationError } from "../core/errors/index.js";
import { describeType, type OptionTable, readOptions, TEXT } from "../core/validate.js";

const TLS_OPTIONS = {
  ca: true,
  cert: true,
  key: true,
  serverName: { ...TEXT, expected: "a host name" },
} satisfies OptionTable<TlsOptions>;

const CERTIFICATE =
  /-----BEGIN (?:TRUSTED |X509 )?CERTIFICATE-----[^-]*-----END (?:TRUSTED |X509 )?CERTIFICATE-----/g;

/**
 * Options for Node's TLS. `rejectUnauthorized` is explicit because `NODE_TLS_REJECT_UNAUTHORIZED` could turn it off. An
 * IP address cannot be sent as the server's name (RFC 6066, section 3).
 */
export function connectionOptions(tls: TlsOptions = {}) {
  const { serverName } = tls;
  const context = { secureContext: secureContext(tls), rejectUnauthorized: true };
  if (serverName === undefined) return context;
  if (process.getBuiltinModule("node:net").isIP(serverName) === 0)
    return { ...context, servername: serverName };
  const { checkServerIdentity } = process.getBuiltinModule("node:tls");
  return {
    ...context,
    checkServerIdentity: (_: string, peer: PeerCertificate) => checkServerIdentity(serverName, peer),
  };
}

/**
 * Reads the option `tls`, including certificates and key, so that a mistake shows up when the client is created.
 * @param name The option that set `endpoint`.
 * @throws {ConfigurationError} the option is invalid; the message doesn't quote its value
 */
export function resolveTls(
  given: TlsOptions | undefined,
  name: string,
  endpoint: URL,
): TlsOptions | undefined {
  if (given === undefined) return undefined;
  const tls = readOptions("tls", given, TLS_OPTIONS, ConfigurationError);
  const { ca, cert, key } = tls;
  if ((cert === undefined) !== (key === undefined))
    throw new ConfigurationError("tls.cert and tls.key belong together: set both or neither.");
  if (endpoint.protocol === "http:")
    throw new ConfigurationError(`tls is set but ${name} begins with http://.`);
  // Loads node:tls only if needed, because that is slow.
  if (ca !== undefined || cert !== undefined) secureContext(tls);
  return tls;
}

/** Creates a context for TLS 1.2 or later. @throws {ConfigurationError} a certificate or key can't be used */
function secureContext(tls: TlsOptions = {}): SecureContext {
  const { createSecureContext } = process.getBuiltinModule("node:tls");
  const ca = certificates("tls.ca", tls.ca);
  const cert = certificates("tls.cert", tls.cert);
  const key = privateKey(tls.key, cert);
  try {
    return createSecureContext({ ca, cert, key, minVersion: "TLSv1.2" });
  } catch {
    // No cause: OpenSSL's message may quote the key.
    throw new ConfigurationError(
      "OpenSSL rejects a certificate or key in tls: it may be too weak, or of an unknown kind.",
    );
  }
}

/** Checks every certificate, because Node silently ignores the parts of a CA bundle that it can't read. */
function certificates(name: string, value: string | Uint8Array | undefined): string | undefined {
  if (value === undefined) return undefined;
  const { X509Certificate } = process.getBuiltinModule("node:crypto");
  const text = textOf(name, value);
  const found = text.match(CERTIFICATE) ?? [];
  try {
    for (const pem of found) new X509Certificate(pem);
  } catch {
    throw new ConfigurationError(`${name} contains a damaged certificate.`);
  }
  if (found.length > 0) return text;
  throw new ConfigurationError(
    `${name} contains no certificate: set it to the content of a PEM file, not its path.`,
  );
}

function privateKey(value: string | Uint8Array | undefined, cert: string | undefined): string | undefined {
  if (value === undefined || cert === undefined) return undefined;
  const { createPrivateKey, X509Certificate } = process.getBuiltinModule("node:crypto");
  const text = textOf("tls.key", value);
  let matches: boolean;
  try {
    matches = new X509Certificate(cert).checkPrivateKey(createPrivateKey(text));
  } catch {
    throw new ConfigurationError(
      "tls.key contains no readable private key: set it to the content of a PEM file without a passphrase, not its path.",
    );
  }
  if (matches) return text;
  throw new ConfigurationError("tls.key doesn't match the first certificate in tls.cert.");
}

function textOf(name: string, value: string | Uint8Array): string {
  if (typeof value !== "string" && !(value instanceof Uint8Array))
    throw new ConfigurationError(`${name} must be PEM, as a string or bytes, got ${describeType(value)}.`);
  return Buffer.from(value).toString("latin1");
}
