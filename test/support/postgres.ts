import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync } from "node:fs";
import { chown, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import pg from "pg";
import { afterAll, beforeAll, onTestFinished } from "vitest";

/** The folder in which Debian installs each version. */
const VERSIONS = "/usr/lib/postgresql";
/** PostgreSQL refuses to run as root. */
const NOBODY = 65534;
const asUser = process.geteuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};

const programs = findPrograms();

/** Continuous integration installs the package, and never skips these tests. */
export const skipped = programs === undefined && process.env["CI"] === undefined;
/** Added to the title of a skipped test, to say why it is skipped. */
export const whySkipped = skipped ? " (skipped: Debian's package postgresql is not installed)" : "";

function findPrograms(): string | undefined {
  const versions = existsSync(VERSIONS) ? readdirSync(VERSIONS) : [];
  const [newest] = versions.sort((a, b) => Number(b) - Number(a));
  return newest === undefined ? undefined : join(VERSIONS, newest, "bin");
}

/** One server for all tests of a file; each test takes a schema of its own. Use it in a suite with `skipIf(skipped)`. */
export function postgresServer(settings: readonly string[] = []): PostgresServer {
  const server = new PostgresServer(settings);
  beforeAll(() => server.create(), 60_000);
  afterAll(() => server.close());
  return server;
}

/**
 * A PostgreSQL server in its own folder. The server listens only on a Unix socket, so that it needs no port. Its locale
 * sorts the way people do. The server ends with this process, even if the process crashes.
 */
export class PostgresServer {
  readonly #settings: readonly string[];
  #folder = "";
  #process: ChildProcess | undefined;
  #pools: pg.Pool[] = [];
  #schemas = 0;

  /** @param settings Such as `max_connections=10`. */
  constructor(settings: readonly string[] = []) {
    this.#settings = settings;
  }

  /** What `pg.Pool` needs to connect, from any process. */
  get connection(): { readonly host: string; readonly user: string; readonly database: string } {
    return { host: this.#folder, user: "postgres", database: "postgres" };
  }

  /** Creates the server's data, and starts the server. */
  async create(): Promise<void> {
    this.#folder = await mkdtemp(join(tmpdir(), "sdk-pg-"));
    if (asUser.uid !== undefined) await chown(this.#folder, asUser.uid, asUser.gid);
    const locale = ["--encoding=UTF8", "--locale=C.UTF-8", "--locale-provider=icu", "--icu-locale=en-US"];
    run("initdb", ["-D", this.#data, "-U", "postgres", "--auth=trust", "--no-sync", ...locale]);
    await this.start();
  }

  /** Resolves when the server accepts connections. */
  async start(): Promise<void> {
    const settings = [
      "listen_addresses=",
      `unix_socket_directories=${this.#folder}`,
      "shared_buffers=32MB",
      // Tests kill processes, not machines.
      "fsync=off",
      ...this.#settings,
    ];
    const command = [join(bin(), "postgres"), "-D", this.#data, ...settings.flatMap((each) => ["-c", each])];
    // The shell stops the server when the shell's input ends, which also happens if this process dies.
    const script = '"$@" </dev/null & read -r _; kill -QUIT $! 2>/dev/null; wait $!';
    const server = spawn("sh", ["-c", script, "sh", ...command], {
      ...asUser,
      cwd: this.#folder,
      stdio: ["pipe", "ignore", "pipe"],
    });
    this.#process = server;
    const lines: string[] = [];
    for await (const line of createInterface(server.stderr)) {
      lines.push(line);
      if (line.includes("ready to accept connections")) break;
    }
    // Keeps reading, so that the server never waits for room in the pipe.
    server.stderr.resume();
    if (!existsSync(join(this.#folder, ".s.PGSQL.5432")))
      throw new Error(`PostgreSQL did not start:\n${lines.join("\n")}`);
  }

  /**
   * Stops it.
   * @param mode `fast` disconnects all clients; `immediate` is a crash, from which the next start recovers
   */
  async stop(mode: "fast" | "immediate" = "fast"): Promise<void> {
    const server = this.#process;
    this.#process = undefined;
    if (server === undefined) return;
    const closed = once(server, "exit");
    run("pg_ctl", ["stop", "-D", this.#data, "-m", mode]);
    server.stdin?.end();
    await closed;
  }

  async restart(mode: "fast" | "immediate" = "fast"): Promise<void> {
    await this.stop(mode);
    await this.start();
  }

  /** Stops the server and removes its data. */
  async close(): Promise<void> {
    await Promise.all(this.#pools.map((pool) => pool.end()));
    if (this.#folder === "") return;
    await this.stop("immediate");
    await rm(this.#folder, { recursive: true, force: true, maxRetries: 10 });
  }

  /** A pool that ends with the test. */
  pool(config: pg.PoolConfig = {}): pg.Pool {
    const pool = new pg.Pool({ ...this.connection, ...config });
    // A restart breaks idle connections.
    pool.on("error", () => {});
    this.#pools.push(pool);
    onTestFinished(async () => {
      this.#pools = this.#pools.filter((each) => each !== pool);
      await pool.end();
    });
    return pool;
  }

  /** The name of a schema that no other test uses. It isn't created. */
  schema(): string {
    this.#schemas += 1;
    return `test_${this.#schemas}`;
  }

  /** The process of the server. */
  async pid(): Promise<number> {
    return Number((await readFile(join(this.#data, "postmaster.pid"), "utf8")).split("\n")[0]);
  }

  get #data(): string {
    return join(this.#folder, "data");
  }
}

function bin(): string {
  if (programs === undefined)
    throw new Error(`${VERSIONS} has no PostgreSQL. Install the package postgresql.`);
  return programs;
}

function run(program: string, args: readonly string[]): void {
  execFileSync(join(bin(), program), args, { ...asUser, cwd: tmpdir(), stdio: ["ignore", "ignore", "pipe"] });
}
