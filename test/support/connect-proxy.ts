import { createServer, type RequestListener, type Server } from "node:http";
import { createServer as createSecureServer, type ServerOptions } from "node:https";
import { connect } from "node:net";
import { listen, type Peer } from "./tcp-peers.js";

/** A proxy that opens tunnels; closed after the test. */
export interface ConnectProxy extends Peer {
  /** The CONNECT requests, in order. */
  readonly requests: readonly { readonly target: string; readonly authorization: string | undefined }[];
  /** Number of other requests. */
  readonly others: () => number;
}

/** Every host name leads to this machine. */
export async function startConnectProxy(
  options: {
    /** Required `user:password`. */
    readonly credentials?: string;
    /** Status with which tunnels are refused. */
    readonly status?: number;
    /** Serves the proxy itself over TLS. */
    readonly tls?: ServerOptions;
  } = {},
): Promise<ConnectProxy> {
  const requests: { target: string; authorization: string | undefined }[] = [];
  let others = 0;
  const refuse: RequestListener = (_, response) => {
    others += 1;
    response.writeHead(405).end();
  };
  const server: Server =
    options.tls === undefined ? createServer(refuse) : createSecureServer(options.tls, refuse);
  server.on("connect", ({ url = "", headers }, client, head) => {
    const authorization = headers["proxy-authorization"];
    requests.push({ target: url, authorization });
    const status = options.status ?? (authorization === basic(options.credentials) ? 200 : 407);
    client.on("error", () => {});
    if (status !== 200) {
      client.end(`HTTP/1.1 ${status} Refused\r\nContent-Length: 0\r\n\r\n`);
      return;
    }
    const upstream = connect(Number(url.slice(url.lastIndexOf(":") + 1)), "127.0.0.1", () => {
      client.write("HTTP/1.1 200 Connection established\r\n\r\n");
      upstream.write(head);
      client.pipe(upstream).pipe(client);
    });
    upstream.on("error", () => client.destroy());
    upstream.on("close", () => client.destroy());
    client.on("close", () => upstream.destroy());
  });
  return { ...(await listen(server)), requests, others: () => others };
}

function basic(credentials: string | undefined): string | undefined {
  return credentials === undefined ? undefined : `Basic ${Buffer.from(credentials).toString("base64")}`;
}
