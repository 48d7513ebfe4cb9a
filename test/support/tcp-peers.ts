import { spawn } from "node:child_process";
import { once } from "node:events";
import { connect, createServer, type Server, type Socket } from "node:net";
import { onTestFinished } from "vitest";

/** A listener on loopback, until the test is finished. */
export interface Peer {
  readonly port: number;
  /** Number of connections that were made so far. */
  readonly accepted: () => number;
  /** Number of connections that stand. */
  readonly open: () => number;
  /** Stops listening and drops every connection. */
  close(): Promise<void>;
}

/** Lets a server listen, on any port unless it is told which. */
export async function listen(server: Server, port = 0): Promise<Peer> {
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
  onTestFinished(close);
  await once(server.listen(port, "127.0.0.1"), "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("a port was asked for");
  return { port: address.port, accepted: () => accepted, open: () => sockets.size, close };
}

/** A listener that does with each connection what it is told. */
export function listenTcp(onConnection: (socket: Socket) => void, port?: number): Promise<Peer> {
  return listen(createServer(onConnection), port);
}

/** A listener that hears and says nothing, and how many connections it heard something on. */
export async function listenSilently(port?: number): Promise<Peer & { heard(): number }> {
  let heard = 0;
  const peer = await listenTcp((socket) => {
    socket.once("data", () => {
      heard += 1;
    });
  }, port);
  return { ...peer, heard: () => heard };
}

/** A port on which nobody listens. */
export async function unusedPort(): Promise<number> {
  const peer = await listenTcp(() => {});
  await peer.close();
  return peer.port;
}

/** A port that drops whatever is sent to it, as a firewall does: its queue is full and nobody takes from it. */
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

/** A listener that passes everything on to another port, as a router does. */
export interface Relay extends Peer {
  /** Forgets the connections that it has: they stand, and whatever comes over them is swallowed. */
  forget(): void;
  /** Number of bytes that were swallowed. */
  readonly swallowed: () => number;
}

/** @param at Port to listen on; any where it is left out. */
export async function relayTo(port: number, at?: number): Promise<Relay> {
  let swallowed = 0;
  const sockets: Socket[] = [];
  const peer = await listenTcp((near) => {
    const far = connect(port, "127.0.0.1");
    far.on("error", () => {});
    near.pipe(far).pipe(near);
    near.once("close", () => far.destroy());
    sockets.push(near, far);
  }, at);
  const forget = () => {
    for (const socket of sockets.splice(0)) {
      socket
        .unpipe()
        .on("data", (bytes) => {
          swallowed += bytes.length;
        })
        .resume();
    }
  };
  return { ...peer, forget, swallowed: () => swallowed };
}
