import { once } from "node:events";
import { type ClientHttp2Session, type ClientHttp2Stream, connect as connectHttp2 } from "node:http2";
import { connect, type Socket } from "node:net";
import { FrameType, frame, PREFACE } from "./http2-frames.js";
import type { ReferenceServerProcess } from "./server-process.js";

/** Connections of clients that misbehave. They stay open until they are dropped together. */
export class HostileClients {
  readonly #sockets: Socket[] = [];
  readonly #sessions: ClientHttp2Session[] = [];

  constructor(readonly server: ReferenceServerProcess) {}

  get size(): number {
    return this.#sockets.length + this.#sessions.length;
  }

  /** Connects and sends bytes as far as the server accepts them. Answers are not read. */
  async send(url: string, bytes: Buffer | string): Promise<Socket> {
    const socket = connect(Number(new URL(url).port), "127.0.0.1");
    this.#sockets.push(socket);
    socket.on("error", () => {});
    await once(socket, "connect");
    if (bytes.length > 0) await write(socket, bytes);
    return socket;
  }

  sendHttp(text: string): Promise<Socket> {
    return this.send(this.server.baseUrl, text);
  }

  sendFrames(...frames: readonly Buffer[]): Promise<Socket> {
    return this.send(
      this.server.syncUrl,
      Buffer.concat([PREFACE, frame(FrameType.settings, 0, 0), ...frames]),
    );
  }

  /** Begins a call of the Sync API with a valid key unless the headers have another one. */
  async call(path: string, headers: object = {}): Promise<ClientHttp2Stream> {
    const session = this.#sessions[0] ?? connectHttp2(this.server.syncUrl);
    if (this.#sessions.length === 0) {
      this.#sessions.push(session);
      session.on("error", () => {});
      await once(session, "remoteSettings");
    }
    const stream = session.request({
      ":method": "POST",
      ":path": path,
      "content-type": "application/grpc",
      te: "trailers",
      authorization: `ApiKey ${this.server.apiKey}`,
      ...headers,
    });
    return stream.on("error", () => {}).resume();
  }

  drop(): void {
    for (const socket of this.#sockets.splice(0)) socket.destroy();
    for (const session of this.#sessions.splice(0)) session.destroy();
  }
}

/** Resolves when everything was sent or the server has closed the connection. */
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

export async function times(count: number, act: (index: number) => unknown): Promise<void> {
  for (let i = 0; i < count; i += 1) await act(i);
}

export function repeat(count: number, make: (index: number) => Buffer): Buffer {
  return Buffer.concat(Array.from({ length: count }, (_, i) => make(i)));
}
