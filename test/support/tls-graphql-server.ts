import { createServer, type ServerOptions } from "node:https";
import { TLSSocket } from "node:tls";
import { listen, type Peer } from "./tcp-peers.js";

/** A GraphQL server over TLS that answers everything with `{ data: {} }`, until the test is finished. */
export interface TlsGraphQLServer extends Peer {
  /** Of each request, in order: the server name that was sent, and whom the client's certificate names. */
  readonly peers: readonly { readonly serverName: string | false | null; readonly client: unknown }[];
}

/** @param pause What it waits for before it answers. */
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
