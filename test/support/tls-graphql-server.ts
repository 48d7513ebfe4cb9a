import { createServer, type ServerOptions } from "node:https";
import { TLSSocket } from "node:tls";
import { listen, type Peer } from "./tcp-peers.js";

/** A GraphQL server over TLS that answers `{ data: {} }`; closed after the test. */
export interface TlsGraphQLServer extends Peer {
  /** The server name and the client certificate of each request, in order. */
  readonly peers: readonly { readonly serverName: string | false | null; readonly client: unknown }[];
}

/** @param pause awaited before each answer */
export async function startTlsGraphQLServer(
  options: ServerOptions,
  pause: () => Promise<unknown> = async () => {},
): Promise<TlsGraphQLServer> {
  const peers: { serverName: string | false | null; client: unknown }[] = [];
  const server = createServer(options, async ({ socket }, response) => {
    if (!(socket instanceof TLSSocket)) throw new Error("The connection is not over TLS.");
    peers.push({ serverName: serverNameOf(socket), client: socket.getPeerCertificate().subject?.CN });
    await pause();
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ data: {} }));
  });
  return { ...(await listen(server)), peers };
}

function serverNameOf(socket: TLSSocket): string | false | null {
  return "servername" in socket && typeof socket.servername === "string" ? socket.servername : false;
}
