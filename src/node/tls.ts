import { isIP } from "node:net";
import { type ConnectionOptions, checkServerIdentity } from "node:tls";
import type { TlsOptions } from "../core/endpoint.js";
import { secureContext } from "./certificates.js";

/**
 * How Node's TLS connects to the API. That certificates are checked is said, because the environment could say
 * otherwise (`NODE_TLS_REJECT_UNAUTHORIZED`). An address cannot be sent as the server's name (RFC 6066, section 3).
 */
export function connectionOptions(
  tls: TlsOptions = {},
): Pick<ConnectionOptions, "secureContext" | "servername" | "checkServerIdentity" | "rejectUnauthorized"> {
  const { serverName } = tls;
  const context = { secureContext: secureContext(tls), rejectUnauthorized: true };
  if (serverName === undefined) return context;
  if (isIP(serverName) === 0) return { ...context, servername: serverName };
  return { ...context, checkServerIdentity: (_, peer) => checkServerIdentity(serverName, peer) };
}
