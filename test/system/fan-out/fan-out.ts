import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { pipeline } from "node:stream/promises";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { ReferenceServer } from "@saas-management/sdk/testing";
import { RedisServer } from "../../support/redis.js";
import { programFile } from "../programs.js";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));
const PARTITIONS = 8;
const PIECE = 10_000;
const WORKERS = 3;
const LOOK_MS = 20;

interface Line {
  readonly event: "completed" | "failed" | "error";
  readonly name: string;
  readonly message?: string;
  readonly records?: number;
}

/** A vendor's large installation, whose accounts come in eight partitions, and its workers. */
export class FanOut {
  readonly lines: Line[] = [];
  /** The partition that always fails. */
  broken: string | undefined;
  /** The partition whose first export never ends. */
  #endless: string | undefined;
  readonly #env: NodeJS.ProcessEnv;
  readonly #vendor: Server;
  #workers: ChildProcess[] = [];

  private constructor(
    readonly redis: RedisServer,
    readonly folder: string,
    readonly server: ReferenceServer,
    readonly perPartition: number,
  ) {
    this.#env = {
      REDIS_URL: redis.path,
      FAN_OUT_FOLDER: join(folder, "partitions"),
      XDG_STATE_HOME: folder,
      SAAS_MANAGEMENT_SYNC_URL: server.syncUrl,
      SAAS_MANAGEMENT_API_KEY: server.apiKey,
    };
    this.#vendor = createServer(async ({ url = "" }, response) => {
      const name = url.slice(1);
      if (name === this.broken) return void response.writeHead(500).end();
      response.writeHead(200, { "x-count": perPartition });
      if (name === this.#endless) {
        this.#endless = undefined;
        return void response.write("{");
      }
      // The request of a killed worker ends.
      await pipeline(exportOf(name, perPartition), response).catch(() => {});
    });
  }

  static async start(server: ReferenceServer, records: number): Promise<FanOut> {
    const folder = await mkdtemp(join(tmpdir(), "sdk-fan-out-"));
    const fanOut = new FanOut(await RedisServer.start(), folder, server, records / PARTITIONS);
    fanOut.#vendor.listen(0, "127.0.0.1");
    await once(fanOut.#vendor, "listening");
    const { port } = fanOut.#vendor.address() as AddressInfo;
    const partitions = fanOut.names.map((name) => ({ name, source: `http://127.0.0.1:${port}/${name}` }));
    await writeFile(join(folder, "partitions.json"), JSON.stringify(partitions));
    return fanOut;
  }

  get names(): readonly string[] {
    return Array.from({ length: PARTITIONS }, (_, index) => `part${index}`);
  }

  /** Ids of all accounts of the vendor. */
  *ids(): Generator<string, void, undefined> {
    for (const name of this.names) for (let id = 0; id < this.perPartition; id += 1) yield `${name}-${id}`;
  }

  /** Starts the flow. */
  async flow(installationId: string): Promise<void> {
    const child = this.#spawn(["start", installationId, join(this.folder, "partitions.json"), "--first-run"]);
    const [code] = await once(child, "exit");
    if (code !== 0) throw new Error(`The flow was not started: ${code}.`);
  }

  /** Starts a worker. */
  work(): ChildProcess {
    const child = this.#spawn(["work"]);
    this.#workers.push(child);
    createInterface(child.stdout ?? process.stdin).on("line", (line) => this.lines.push(JSON.parse(line)));
    return child;
  }

  /** Runs an installation with three workers and, by mistake, two schedulers; kills them while they read and send. */
  async runWithKills(installationId: string): Promise<Line> {
    await Promise.all([this.flow(installationId), this.flow(installationId)]);
    this.#endless = "part0";
    // The stalled worker is sending, and only another worker can continue the job.
    const sending = this.server.faults.add({ on: "SyncRecords", fault: "stall" });
    for (let worker = 0; worker < WORKERS; worker += 1) this.work();
    for (const isReached of [() => this.lines.length > 0, () => sending.fired > 0]) {
      while (!isReached()) await setTimeout(LOOK_MS);
      const killed = this.#workers;
      this.#workers = [];
      for (const child of killed) {
        child.kill("SIGKILL");
        this.work();
      }
    }
    return this.committed();
  }

  /** How the sending job ended. */
  async committed(): Promise<Line> {
    for (;;) {
      const found = this.lines.find(({ name, event }) => name === "commit" && event !== "error");
      if (found !== undefined) return found;
      await setTimeout(LOOK_MS);
    }
  }

  /** Names of the remaining files. */
  left(): Promise<readonly string[]> {
    return readdir(join(this.folder, "partitions"));
  }

  async close(): Promise<void> {
    for (const child of this.#workers) child.kill("SIGKILL");
    this.#vendor.closeAllConnections();
    this.#vendor.close();
    await this.redis.close();
    await rm(this.folder, { recursive: true, force: true, maxRetries: 10 });
  }

  #spawn(args: readonly string[]): ChildProcess {
    return spawn(process.execPath, [programFile("fan-out"), ...args], {
      cwd: ROOT,
      env: { ...process.env, ...this.#env },
      stdio: ["ignore", "pipe", "inherit"],
    });
  }
}

async function* exportOf(name: string, count: number): AsyncGenerator<string, void, undefined> {
  for (let from = 0; from < count; from += PIECE) {
    const ids = Array.from({ length: Math.min(PIECE, count - from) }, (_, index) => from + index);
    yield ids.map((id) => `{"id":"${name}-${id}","name":"Account ${id}"}\n`).join("");
    await setTimeout(10);
  }
}
