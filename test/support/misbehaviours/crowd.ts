import { once } from "node:events";
import { type ClientHttp2Session, type ClientHttp2Stream, connect as connectHttp2 } from "node:http2";
import { connect, type Socket } from "node:net";
import { FrameType, frame, PREFACE } from "../http2-frames.js";
import type { ReferenceServerProcess } from "../reference-server-process.js";

/** What somebody does who means harm. */
export interface Misbehaviour {
  readonly name: string;
  /** Does it once, over connections of the crowd, which stay open. */
  readonly act: (crowd: Crowd) => Promise<unknown>;
  /**
   * What the server may hold of it while it lasts, in bytes, beside what each connection takes.
   * @default nothing
   */
  readonly heldBytes?: number;
}

const SETTINGS = frame(FrameType.settings, 0, 0);

/** Connections of clients that misbehave. They are dropped together. */
export class Crowd {
  readonly #sockets: Socket[] = [];
  readonly #sessions: ClientHttp2Session[] = [];

  constructor(readonly server: ReferenceServerProcess) {}

  /** Number of connections that it has. */
  get size(): number {
    return this.#sockets.length + this.#sessions.length;
  }

  /** Connects, and sends all of it as far as the server takes it. What comes back is not read. */
  async say(url: string, bytes: Buffer | string): Promise<Socket> {
    const socket = connect(Number(new URL(url).port), "127.0.0.1");
    this.#sockets.push(socket);
    socket.on("error", () => {});
    await once(socket, "connect");
    if (bytes.length > 0) await write(socket, bytes);
    return socket;
  }

  /** Connects to the Sync API and sends frames of HTTP/2. */
  sayFrames(...frames: readonly Buffer[]): Promise<Socket> {
    return this.say(this.server.syncUrl, Buffer.concat([PREFACE, SETTINGS, ...frames]));
  }

  /** Connects to the Sync API as a client of HTTP/2 should. */
  async session(): Promise<ClientHttp2Session> {
    const session = connectHttp2(this.server.syncUrl);
    this.#sessions.push(session);
    session.on("error", () => {});
    await once(session, "remoteSettings");
    return session;
  }

  /** Begins a call of the Sync API, with the right key unless the headers say otherwise. */
  call(session: ClientHttp2Session, path: string, headers = {}): ClientHttp2Stream {
    const opened = session.request({
      ":method": "POST",
      ":path": path,
      "content-type": "application/grpc",
      te: "trailers",
      authorization: `ApiKey ${this.server.apiKey}`,
      ...headers,
    });
    return opened.on("error", () => {});
  }

  /** Ends every connection at once. */
  drop(): void {
    for (const socket of this.#sockets.splice(0)) socket.destroy();
    for (const session of this.#sessions.splice(0)) session.destroy();
  }
}

/** Resolves when all of it was sent, or the server has had enough. */
export function write(socket: Socket, bytes: Buffer | string): Promise<void> {
  if (socket.destroyed) return Promise.resolve();
  return new Promise((resolve) => {
    const done = () => {
      socket.off("close", done);
      resolve();
    };
    socket.once("close", done);
    socket.write(bytes, "latin1", done);
  });
}

/** Does it so often, one after the other. */
export async function times(count: number, act: (index: number) => unknown): Promise<void> {
  for (let i = 0; i < count; i += 1) await act(i);
}

export function repeat(count: number, make: (index: number) => Buffer): Buffer {
  return Buffer.concat(Array.from({ length: count }, (_, i) => make(i)));
}
