/** Runs the Python programs of `test/interop/python` with the system's own Python, and talks to them line by line. */
import { type ChildProcessWithoutNullStreams, execFile, spawn, spawnSync } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

/** Debian's python3-grpcio belongs to this one; another in the PATH does not see it. */
const PYTHON = "/usr/bin/python3";

/** How long a program may take to end after its input has ended. */
const GRACE_MS = 5000;

const project = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url));

/** Whether the packages are missing on a machine that may do without: continuous integration may not. */
export const skipped =
  !process.env["CI"] && spawnSync(PYTHON, ["-c", "import grpc, google.protobuf"]).status !== 0;

/** For the title of what is skipped. */
export const whySkipped = skipped ? " (skipped: python3-grpcio and python3-protobuf are not installed)" : "";

/** The contract, compiled for the programs, in a folder of its own. */
export interface Descriptors {
  readonly path: string;
  remove(): Promise<void>;
}

export async function compileDescriptors(): Promise<Descriptors> {
  const folder = await mkdtemp(join(tmpdir(), "sync-contract-"));
  const path = join(folder, "contract.binpb");
  const buf = project("node_modules/.bin/buf");
  await promisify(execFile)(buf, ["build", project(""), "--as-file-descriptor-set", "-o", path]);
  return { path, remove: () => rm(folder, { recursive: true }) };
}

/** A running program: answers each question with one value. */
export class PythonProgram {
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #ended: Promise<void>;
  readonly #waiting: { resolve(answer: unknown): void; reject(error: Error): void }[] = [];
  #errors = "";
  #hasEnded = false;
  /** What it says first. */
  readonly ready: Promise<unknown>;

  /** @param script Name of a program in `test/interop/python`. */
  constructor(script: string, args: readonly string[]) {
    const path = project(`test/interop/python/${script}`);
    // Neither the environment's Python settings nor the user's own packages, and no compiled files in the tree.
    this.#child = spawn(PYTHON, ["-E", "-s", "-B", path, ...args]);
    this.ready = this.#nextAnswer();
    this.ready.catch(() => {});
    createInterface({ input: this.#child.stdout }).on("line", (line) =>
      this.#waiting.shift()?.resolve(JSON.parse(line)),
    );
    this.#child.stderr.on("data", (text: Buffer) => {
      this.#errors += text.toString();
    });
    // A program that has ended does not read what it is asked: its answer is rejected then.
    this.#child.stdin.on("error", () => {});
    this.#ended = new Promise((resolve) => {
      this.#child.on("error", (error) => {
        this.#errors += error.message;
        this.#end(resolve);
      });
      this.#child.on("close", () => this.#end(resolve));
    });
  }

  async ask(question: object): Promise<unknown> {
    await this.ready;
    this.#child.stdin.write(`${JSON.stringify(question)}\n`);
    return this.#nextAnswer();
  }

  /** Ends the program: by the end of its input, or by force where it does not heed that. */
  async stop(): Promise<void> {
    this.#child.stdin.end();
    const force = setTimeout(() => this.#child.kill("SIGKILL"), GRACE_MS);
    await this.#ended;
    clearTimeout(force);
  }

  #nextAnswer(): Promise<unknown> {
    return new Promise((resolve, reject) => {
      if (this.#hasEnded) reject(this.#failure());
      else this.#waiting.push({ resolve, reject });
    });
  }

  #end(ended: () => void): void {
    this.#hasEnded = true;
    for (const { reject } of this.#waiting.splice(0)) reject(this.#failure());
    ended();
  }

  #failure(): Error {
    return new Error(`The Python program has ended. It said:\n${this.#errors}`);
  }
}
