import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { programFile } from "../programs.js";
import { NODE } from "./node-24.js";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));

/** A line of the log of a worker. */
export interface Line {
  readonly at: number;
  readonly worker: number;
  readonly event: "began" | "completed" | "failed";
  readonly installationId: string;
  readonly batchId?: string;
  readonly waitedForLockMs?: number;
  readonly next?: string;
  readonly code?: string;
}

/** The processes of a fleet. */
export class Workers {
  readonly lines: Line[] = [];
  /** When workers were killed. */
  readonly kills: { readonly at: number; readonly worker: number }[] = [];
  /** What they wrote to stderr. */
  readonly errors: string[] = [];
  readonly #env: NodeJS.ProcessEnv;
  readonly #running = new Map<number, { readonly child: ChildProcess; readonly closed: Promise<unknown> }>();
  #started = 0;

  constructor(env: NodeJS.ProcessEnv) {
    this.#env = env;
  }

  get numbers(): readonly number[] {
    return [...this.#running.keys()];
  }

  /** Starts a worker, and another one if it ends by itself, as an orchestrator does. @returns its number */
  start(): number {
    this.#started += 1;
    const worker = this.#started;
    const child = this.#spawn(["work"]);
    this.#running.set(worker, { child, closed: once(child, "close") });
    child.once("exit", () => {
      if (!this.#running.delete(worker)) return;
      this.kills.push({ at: Date.now(), worker });
      this.start();
    });
    createInterface(child.stdout ?? process.stdin).on("line", (line) =>
      this.lines.push({ ...JSON.parse(line), worker }),
    );
    createInterface(child.stderr ?? process.stdin).on("line", (line) => this.errors.push(line));
    return worker;
  }

  /** Runs another command of the program to its end. */
  async run(command: string, file: string): Promise<void> {
    const [code] = await once(this.#spawn([command, file], "inherit"), "exit");
    if (code !== 0) throw new Error(`${command} ended with ${code}.`);
  }

  /** Lets no time pass for a worker, as a machine without a free processor does, or lets it go on. */
  send(worker: number, signal: "SIGSTOP" | "SIGCONT"): void {
    this.#running.get(worker)?.child.kill(signal);
  }

  async kill(worker: number, signal: "SIGKILL" | "SIGTERM" = "SIGKILL"): Promise<unknown> {
    const running = this.#running.get(worker);
    if (running === undefined) return undefined;
    this.#running.delete(worker);
    // Not when this process hears of it, which may be seconds later.
    this.kills.push({ at: Date.now(), worker });
    running.child.kill(signal);
    // All that it printed is among the lines then.
    await running.closed;
    return running.child.signalCode ?? running.child.exitCode;
  }

  /** Kills all of them. */
  async close(): Promise<void> {
    for (const worker of this.numbers) await this.kill(worker);
  }

  /** Resident memory of a worker, in MiB. */
  memoryMiB(worker: number): number {
    const status = readFileSync(`/proc/${this.#running.get(worker)?.child.pid}/status`, "utf8");
    return Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1]) / 1024;
  }

  /**
   * Of each pair of runs of one installation that went on at once: how long after the first one the second one began. A
   * run of a killed worker ended with it.
   */
  overlapsMs(): readonly number[] {
    const diedAt = new Map(this.kills.map(({ worker, at }) => [worker, at]));
    const found: number[] = [];
    const open = new Map<string, Line>();
    for (const line of [...this.lines].sort((a, b) => a.at - b.at)) {
      const before = open.get(line.installationId);
      if (line.event === "began") {
        if (before !== undefined && (diedAt.get(before.worker) ?? Infinity) > line.at)
          found.push(line.at - before.at);
        open.set(line.installationId, line);
      } else if (before?.worker === line.worker) open.delete(line.installationId);
    }
    return found;
  }

  /** Runs of a worker that have begun and not ended. */
  going(worker: number): number {
    const own = this.lines.filter((line) => line.worker === worker);
    return 2 * own.filter(({ event }) => event === "began").length - own.length;
  }

  #spawn(args: readonly string[], stderr: "pipe" | "inherit" = "pipe"): ChildProcess {
    return spawn(NODE, [programFile("fleet"), ...args], {
      cwd: ROOT,
      env: { ...process.env, ...this.#env },
      stdio: ["ignore", "pipe", stderr],
    });
  }
}
