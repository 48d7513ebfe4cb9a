/** Runs the programs in `test/system/interop/python` with the system's Python and exchanges lines with them. */
import { type ChildProcessWithoutNullStreams, execFile, spawn, spawnSync } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

/** Debian installs python3-grpcio for this interpreter only. */
const PYTHON = "/usr/bin/python3";

const GRACE_MS = 5000;

const project = (path: string) => fileURLToPath(new URL(`../../../${path}`, import.meta.url));

/** Continuous integration installs the packages, and never skips these tests. */
export const skipped =
  !process.env["CI"] && spawnSync(PYTHON, ["-c", "import grpc, google.protobuf"]).status !== 0;

export const whySkipped = skipped ? " (skipped: python3-grpcio and python3-protobuf are not installed)" : "";

/** The compiled contract, in a temporary folder. */
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

/** A running program that answers each question with one value. */
export class PythonProgram {
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #ended: Promise<void>;
  readonly #waiting: { resolve(answer: unknown): void; reject(error: Error): void }[] = [];
  #errors = "";
  #hasEnded = false;
  /** Its first line. */
  readonly ready: Promise<unknown>;

  constructor(script: string, args: readonly string[]) {
    const path = project(`test/system/interop/python/${script}`);
    // Ignores PYTHON* variables and the user's packages, and writes no compiled files.
    this.#child = spawn(PYTHON, ["-E", "-s", "-B", path, ...args]);
    this.ready = this.#nextAnswer();
    this.ready.catch(() => {});
    createInterface({ input: this.#child.stdout }).on("line", (line) =>
      this.#waiting.shift()?.resolve(JSON.parse(line)),
    );
    this.#child.stderr.on("data", (text: Buffer) => {
      this.#errors += text.toString();
    });
    // If the program has exited, the answer is rejected.
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

  /** Ends the input, and kills the program if it does not exit. */
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
    return new Error(`The Python program has exited:\n${this.#errors}`);
  }
}
