import { connect, createServer, type Server, type Socket } from "node:net";
import type { SimClock } from "../sim-clock.js";
import { FrameCutter, isData } from "./frames.js";

/** A connection of the client, and the one to the server that belongs to it. */
interface Line {
  readonly near: Socket;
  readonly far: Socket;
  /** What is kept back of what the client sends; undefined where it is passed on. */
  kept: Buffer[] | undefined;
  /** Nothing is passed on any more, in neither direction, and both connections stand. */
  halfOpen: boolean;
}

/** How long the network takes to break, once it has everything that the client had to say. */
const BREAK_MS = 1;

/** The network between one client and the server, for what a server cannot do to itself. */
export class Relay {
  readonly #server: Server;
  readonly #lines = new Set<Line>();
  readonly #clock: SimClock;
  #isCut = false;

  private constructor(server: Server, clock: SimClock) {
    this.#server = server;
    this.#clock = clock;
  }

  /** A network that ends at a port of this machine. */
  static async start(port: number, clock: SimClock): Promise<Relay> {
    const server = createServer({ noDelay: true });
    const relay = new Relay(server, clock);
    server.on("connection", (near) => relay.#add(near, port));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return relay;
  }

  get port(): number {
    const address = this.#server.address();
    return typeof address === "object" && address !== null ? address.port : 0;
  }

  /** Whether calls that are under way get no answer for now. */
  get silent(): boolean {
    return [...this.#lines].some(
      ({ kept, halfOpen, near }) => (kept ?? halfOpen) !== false && !near.destroyed,
    );
  }

  /** Number of connections that the client has not ended. */
  get connections(): number {
    return [...this.#lines].filter(({ near }) => !near.destroyed).length;
  }

  /** The client's machine is gone: its connections are reset, and no other is let in. */
  cut(): void {
    this.#isCut = true;
    for (const { near } of this.#lines) near.resetAndDestroy();
  }

  /**
   * The client is told that its connection broke. Calls that it begins now have arrived, and their messages come later
   * all the same. False: it has no connection.
   */
  holdBack(ms: number): boolean {
    const line = this.#newest();
    if (line === undefined) return false;
    const kept: Buffer[] = [];
    line.kept = kept;
    this.#clock.elsewhere(BREAK_MS, () => line.near.resetAndDestroy());
    this.#clock.elsewhere(BREAK_MS + ms, () => {
      if (line.far.writable) line.far.write(Buffer.concat(kept));
    });
    return true;
  }

  /** What both sides send is lost from now on, and neither is told. False: there is no connection. */
  halfOpen(): boolean {
    const line = this.#newest();
    if (line === undefined) return false;
    line.halfOpen = true;
    return true;
  }

  /** Ends all of it. */
  async close(): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    for (const { near, far } of this.#lines) {
      near.destroy();
      far.destroy();
    }
    await closed;
  }

  #newest(): Line | undefined {
    return [...this.#lines].findLast(({ near, far }) => !near.destroyed && far.readyState === "open");
  }

  #add(near: Socket, port: number): void {
    if (this.#isCut) {
      near.on("error", () => {}).resetAndDestroy();
      return;
    }
    const far = connect({ port, host: "127.0.0.1", noDelay: true });
    const line: Line = { near, far, kept: undefined, halfOpen: false };
    this.#lines.add(line);
    const frames = new FrameCutter();
    near.on("data", (bytes) => {
      for (const frame of frames.cut(bytes)) pass(frame, line);
    });
    far.on("data", (bytes) => {
      if (line.kept === undefined && !line.halfOpen && near.writable) near.write(bytes);
    });
    near.on("error", () => {});
    far.on("error", () => {});
    near.once("close", () => {
      // What was kept back is yet to come.
      if (line.kept === undefined) far.destroy();
    });
    far.once("close", () => {
      this.#lines.delete(line);
      near.resetAndDestroy();
    });
  }
}

/** Passes on what the client sent; from the first message on, it is kept where that is wanted. */
function pass(frame: Buffer, { far, halfOpen, kept }: Line): void {
  if (kept !== undefined && (kept.length > 0 || isData(frame))) kept.push(frame);
  else if (!halfOpen) far.write(frame);
}
