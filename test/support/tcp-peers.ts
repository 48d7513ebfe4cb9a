import { spawn } from "node:child_process";
import { once } from "node:events";
import { connect, createServer, type Server, type Socket } from "node:net";
import { afterAll, beforeAll, onTestFinished } from "vitest";

/** A listener on loopback. */
export interface Peer {
  readonly port: number;
  /** Number of accepted connections. */
  readonly accepted: () => number;
  /** Number of open connections. */
  readonly open: () => number;
  /** Stops listening and drops every connection. */
  close(): Promise<void>;
}

/** Listens on the port, or on any free one, until the test ends. */
export async function listen(server: Server, port?: number): Promise<Peer> {
  const peer = await openServer(server, port);
  onTestFinished(() => peer.close());
  return peer;
}

/** Listens until the caller closes it. */
export async function openServer(server: Server, port = 0): Promise<Peer> {
  let accepted = 0;
  const sockets = new Set<Socket>();
  server.on("connection", (socket: Socket) => {
    accepted += 1;
    sockets.add(socket);
    socket.on("error", () => {});
    socket.once("close", () => sockets.delete(socket));
  });
  const close = async () => {
    if (!server.listening) return;
    const closed = once(server, "close");
    server.close();
    for (const socket of sockets) socket.destroy();
    await closed;
  };
  await once(server.listen(port, "127.0.0.1"), "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The server has no port.");
  return { port: address.port, accepted: () => accepted, open: () => sockets.size, close };
}

/** Listens for all tests of a file. */
export function onLoopback(server: Server): { readonly port: number } {
  let peer: Peer | undefined;
  beforeAll(async () => {
    peer = await openServer(server);
  });
  afterAll(() => peer?.close());
  return {
    get port() {
      return peer?.port ?? 0;
    },
  };
}

/** Calls `accept` with each connection. */
export function listenTcp(onConnection: (socket: Socket) => void, port?: number): Promise<Peer> {
  return listen(createServer(onConnection), port);
}

/** A listener that never answers, and the number of connections on which it received bytes. */
export async function listenSilently(port?: number): Promise<Peer & { heard(): number }> {
  let heard = 0;
  const peer = await listenTcp((socket) => {
    socket.once("data", () => {
      heard += 1;
    });
  }, port);
  return { ...peer, heard: () => heard };
}

/** A port on which nothing listens. */
export async function unusedPort(): Promise<number> {
  const peer = await listenTcp(() => {});
  await peer.close();
  return peer.port;
}

/** A port that drops all packets, as a firewall does: its accept queue is full. */
export async function droppingPort(): Promise<number> {
  const block = "Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)";
  const child = spawn(process.execPath, [
    "-e",
    `const server = require("node:net").createServer().listen({ host: "127.0.0.1", port: 0, backlog: 1 }, () => {
      require("node:fs").writeSync(1, String(server.address().port));
      ${block};
    });`,
  ]);
  onTestFinished(() => void child.kill("SIGKILL"));
  const port = Number(await new Promise((resolve) => child.stdout.once("data", resolve)));
  const fillers = Array.from({ length: 8 }, () => connect(port, "127.0.0.1").on("error", () => {}));
  onTestFinished(() => fillers.forEach((socket) => void socket.destroy()));
  let connected = 0;
  for (const socket of fillers) socket.once("connect", () => (connected += 1));
  while (connected < 2) await new Promise((resolve) => setImmediate(resolve));
  return port;
}
