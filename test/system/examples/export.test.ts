import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, expect, test } from "vitest";
import { CLI } from "../../support/cli.js";
import { programFile } from "../programs.js";

const LICENSES = 30_000;
const TIMEOUT_MS = 180_000;

let directory: string;
let server: ChildProcess;
let service: Readonly<Record<string, string>>;

const start = (args: readonly string[], env: Readonly<Record<string, string>> = {}) =>
  spawn(process.execPath, args, { env: { ...process.env, ...env }, stdio: ["pipe", "pipe", "pipe"] });

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "export-"));
  const child = start([programFile("licenses-server-script"), `${LICENSES}`]);
  server = child;
  const [line] = await once(child.stdout, "data");
  service = JSON.parse(line);
}, TIMEOUT_MS);
afterAll(async () => {
  server.stdin?.end();
  await rm(directory, { recursive: true, force: true });
});

/** Runs the example, with a module that it loads first. */
const runExport = (name: string, preload: string, env: Readonly<Record<string, string>> = {}) =>
  run(preload, [programFile("export-licenses"), join(directory, name)], {
    PAUSE_MS: "0",
    ...env,
  });

async function run(preload: string, args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const child = start([`--import=${programFile(preload)}`, ...args], { ...service, ...env });
  const [output, errors, [code, signal]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, "close"),
  ]);
  return { output, errors, end: signal ?? code };
}

const continuedAfter = (output: string) => Number(/^Continuing after (\d+)/.exec(output)?.[1] ?? 0);

async function idsIn(name: string): Promise<readonly string[]> {
  const lines = (await readFile(join(directory, name), "utf8")).split("\n");
  expect(lines.pop()).toBe("");
  return lines.map((line) => JSON.parse(line).id.replace(/.*:/, ""));
}

const MOMENTS = [
  ...["before fetch 8", "after fetch 8", "half appendFile 7", "after appendFile 7", "after datasync 7"],
  ...["half writeFile 7", "before rename 7", "after rename 7"],
];

test(
  "exports each license once, however often its process is killed",
  async () => {
    const starts: number[] = [];
    for (const KILL_AT of MOMENTS) {
      const { end, output, errors } = await runExport("killed.jsonl", "kill-script", { KILL_AT });
      expect({ end, errors, KILL_AT }).toEqual({ end: "SIGKILL", errors: "", KILL_AT });
      starts.push(continuedAfter(output));
    }
    expect(await readdir(directory)).not.toContain("killed.jsonl");
    const { end, output } = await runExport("killed.jsonl", "kill-script");
    expect(end).toBe(0);
    expect(output).toMatch(/\n30000 licenses are in .*\.\n$/);
    starts.push(continuedAfter(output));
    // Each run saved six or seven pages of 500 licenses.
    for (const [run, lines] of starts.slice(1).entries())
      expect([3000, 3500]).toContain(lines - (starts[run] ?? 0));
    const ids = await idsIn("killed.jsonl");
    expect(ids).toHaveLength(LICENSES);
    expect(new Set(ids)).toEqual(new Set(Array.from({ length: LICENSES }, (_, i) => `l${i}`)));
    expect(await readdir(directory)).toEqual(["killed.jsonl"]);
  },
  TIMEOUT_MS,
);

test(
  "uses no more memory for 30,000 licenses than for 10,000",
  async () => {
    const { end, errors } = await runExport("whole.jsonl", "heap-script");
    expect(end).toBe(0);
    const used: Readonly<Record<string, number>> = JSON.parse(errors);
    const { "20": early = 0, "60": late = Number.POSITIVE_INFINITY } = used;
    // Keeping all pages would take 13 MiB.
    expect(late - early).toBeLessThan(4);
  },
  TIMEOUT_MS,
);

test.each(["jsonl", "csv"])(
  "saas-management export uses no more memory for 30,000 licenses than for 10,000, as %s",
  async (format) => {
    const args = ["export", "licenses", "--format", format, "--fields", "id,plan.name"];
    const { end, errors, output } = await run("heap-script", [CLI, ...args]);
    expect(end).toBe(0);
    expect(output.split("\n").filter((line) => line.includes(":l"))).toHaveLength(LICENSES);
    // Pages of 100.
    const used: Readonly<Record<string, number>> = JSON.parse(errors);
    expect((used["300"] ?? Number.POSITIVE_INFINITY) - (used["100"] ?? 0)).toBeLessThan(4);
  },
  TIMEOUT_MS,
);
