import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { programFile } from "../programs.js";
import { NODE } from "./node-24.js";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));

/** A line of a worker's log. */
export interface Line {
  readonly at: number;
  readonly worker: number;
  readonly event: "began" | "lost" | "locked" | "completed" | "failed";
  readonly installationId: string;
  /** When the job was fetched. */
  readonly claimedAt?: number;
  readonly batchId?: string;
  readonly waitedForLockMs?: number;
  readonly next?: string;
  readonly code?: string;
}

export interface Overlap {
  readonly installationId: string;
  /** Time between the claims of the two runs. */
  readonly apartMs: number;
  readonly workers: readonly [first: number, second: number];
  /** The run that had the lock when the second one began. */
  readonly lockedBy: number | undefined;
  readonly batchId: string | undefined;
}

/** The processes of a fleet. */
export class Workers {
  readonly lines: Line[] = [];
  /** When workers were killed. */
  readonly kills: { readonly at: number; readonly worker: number }[] = [];
  /** What the workers wrote to stderr. */
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

  /**
   * Starts a worker, and replaces it if it exits by itself, as an orchestrator does.
   * @param script What the worker imports first, to stop between claiming and starting a job, or to show its heap.
   * @returns its number
   */
  start(script?: "stall-script" | "memory-script"): number {
    this.#started += 1;
    const worker = this.#started;
    const child = this.#spawn(["work"], "pipe", script && ["--expose-gc", "--import", programFile(script)]);
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

  /** Suspends a worker, as if its machine had no free processor, or resumes it. */
  send(worker: number, signal: "SIGSTOP" | "SIGCONT"): void {
    this.#running.get(worker)?.child.kill(signal);
  }

  async kill(worker: number, signal: "SIGKILL" | "SIGTERM" = "SIGKILL"): Promise<unknown> {
    const running = this.#running.get(worker);
    if (running === undefined) return undefined;
    this.#running.delete(worker);
    // The time of the kill is noted now, because this process may hear of the worker's end seconds later.
    this.kills.push({ at: Date.now(), worker });
    running.child.kill(signal);
    // Once the output is closed, the lines contain everything that the worker printed.
    await running.closed;
    return running.child.signalCode ?? running.child.exitCode;
  }

  /** Kills all workers. */
  async close(): Promise<void> {
    for (const worker of this.numbers) await this.kill(worker);
  }

  /** Resident memory of a worker, in MiB. */
  memoryMiB(worker: number): number {
    return Number(/^VmRSS:\s+(\d+)/m.exec(this.#status(worker))?.[1]) / 1024;
  }

  /** Heap after a garbage collection of a worker with `memory-script`, in MiB. */
  async heapMiB(worker: number): Promise<number> {
    const { length } = this.errors;
    this.#running.get(worker)?.child.kill("SIGUSR2");
    while (this.errors.length === length) await setTimeout(5);
    return Number(this.errors[length]);
  }

  isStopped(worker: number): boolean {
    return /^State:\s+T/m.test(this.#status(worker));
  }

  #status(worker: number): string {
    return readFileSync(`/proc/${this.#running.get(worker)?.child.pid}/status`, "utf8");
  }

  /**
   * Each pair of an installation's runs that overlapped, with the time between their claims, and who had the lock. A
   * run ended at the latest when its worker was killed.
   */
  overlaps(): readonly Overlap[] {
    const diedAt = new Map(this.kills.map(({ worker, at }) => [worker, at]));
    const found: Overlap[] = [];
    const open = new Map<string, Line>();
    const locks = new Map<string, Line>();
    for (const line of [...this.lines].sort((a, b) => a.at - b.at)) {
      const { installationId, event, worker, claimedAt = 0, at } = line;
      const before = open.get(installationId);
      if (event === "locked") locks.set(installationId, line);
      else if (event === "began") {
        if (before !== undefined && (diedAt.get(before.worker) ?? Infinity) > at) {
          const { worker: lockedBy, batchId } = locks.get(installationId) ?? {};
          const apartMs = Math.abs(claimedAt - (before.claimedAt ?? 0));
          found.push({ installationId, apartMs, workers: [before.worker, worker], lockedBy, batchId });
        }
        open.set(installationId, line);
      } else if (before?.worker === worker) {
        open.delete(installationId);
        locks.delete(installationId);
      }
    }
    return found;
  }

  /** Runs of a worker that have begun and not ended. */
  going(worker: number): number {
    const told = (...events: Line["event"][]) =>
      this.lines.filter((line) => line.worker === worker && events.includes(line.event)).length;
    return told("began") - told("completed", "failed");
  }

  #spawn(
    args: readonly string[],
    stderr: "pipe" | "inherit" = "pipe",
    flags: readonly string[] = [],
  ): ChildProcess {
    return spawn(NODE, [...flags, programFile("fleet"), ...args], {
      cwd: ROOT,
      env: { ...process.env, ...this.#env },
      stdio: ["ignore", "pipe", stderr],
    });
  }
}
