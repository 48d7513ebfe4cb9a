import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";

/** Where Debian installs Redis. */
const PROGRAM = "/usr/bin/redis-server";

/** Continuous integration installs the package, and never skips these tests. */
export const skipped = !existsSync(PROGRAM) && process.env["CI"] === undefined;
/** Added to the title of a skipped test, to say why it is skipped. */
export const whySkipped = skipped ? " (skipped: Debian's package redis-server is not installed)" : "";

/** A Redis server in its own folder; it listens only on a Unix socket. The server ends with this process. */
export class RedisServer {
  readonly #folder: string;
  readonly #server: ChildProcess;

  private constructor(folder: string, server: ChildProcess) {
    this.#folder = folder;
    this.#server = server;
  }

  get path(): string {
    return join(this.#folder, "redis.sock");
  }

  static async start(): Promise<RedisServer> {
    const folder = await mkdtemp(join(tmpdir(), "sdk-redis-"));
    const settings = [
      "--port",
      "0",
      "--unixsocket",
      join(folder, "redis.sock"),
      "--dir",
      folder,
      "--save",
      "",
    ];
    // The shell stops the server when the shell's input ends, which also happens if this process dies.
    const script = '"$@" </dev/null & read -r _; kill -KILL $! 2>/dev/null; wait $!';
    const server = spawn("sh", ["-c", script, "sh", PROGRAM, ...settings], {
      stdio: ["pipe", "pipe", "inherit"],
    });
    const lines: string[] = [];
    for await (const line of createInterface(server.stdout)) {
      lines.push(line);
      if (line.includes("accept connections at")) break;
    }
    server.stdout.resume();
    if (server.exitCode !== null) throw new Error(`Redis did not start:\n${lines.join("\n")}`);
    return new RedisServer(folder, server);
  }

  async close(): Promise<void> {
    const closed = once(this.#server, "exit");
    this.#server.stdin?.end();
    await closed;
    await rm(this.#folder, { recursive: true, force: true });
  }
}
