import type { Server } from "node:net";
import type { TlsIdentity } from "./options.js";

/** How long a client may take for the TLS handshake, in real time. */
const HANDSHAKE_TIMEOUT_MS = 10_000;

/** What both APIs speak TLS with. */
export function tlsSettings({ cert, key }: TlsIdentity) {
  return { cert, key, minVersion: "TLSv1.2", handshakeTimeout: HANDSHAKE_TIMEOUT_MS } as const;
}

/**
 * Lets a server listen at an address.
 * @returns the port
 * @throws Error of the operating system where the address cannot be bound.
 */
export async function listenAt(server: Server, host: string, port: number): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    // It stays: a connection that cannot be accepted is no end of the server, and none of the process.
    server.on("error", reject);
    server.listen(port, host, resolve);
  });
  const address = server.address();
  if (typeof address === "object" && address !== null) return address.port;
  throw new TypeError("The server does not listen on a port.");
}
