import { execFile } from "node:child_process";
import { readdirSync, readlinkSync, truncateSync } from "node:fs";
import { mkdir, readdir } from "node:fs/promises";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import type { SyncProgress } from "../../../src/index.js";
import { canMount } from "../../support/can-mount.js";
import { testService } from "../../support/test-service.js";
import { programFile } from "../programs.js";
import { startScript } from "./run-process.js";

const service = testService();
const MIB = 1024 * 1024;

const argsOf = (directory: string, records: number, bytes: number) => {
  const { syncUrl, apiKey, installationId } = service.server;
  return [syncUrl, apiKey, installationId, directory, String(records), String(bytes)];
};

/** How a run in its own process ends. */
async function endOf(directory: string, records: number, bytes: number) {
  const printed = await text(startScript("spool-script", argsOf(directory, records, bytes)).stdout);
  return JSON.parse(printed);
}

/** How a run ends whose spool is in an in-memory folder of this size. Checks that nothing is left in the folder. */
async function endInFolderOf(bytes: number, options: string, records: number): Promise<unknown> {
  const folder = join(service.directory, "small");
  await mkdir(folder);
  const run = `mount -t tmpfs -o size=${bytes},${options} none "$1" && shift && "$@" && ls "${folder}"`;
  const node = [process.execPath, programFile("spool-script"), ...argsOf(folder, records, 1000)];
  const { stdout } = await promisify(execFile)("unshare", ["-m", "sh", "-c", run, "sh", folder, ...node]);
  const [printed = "", ...left] = stdout.trim().split("\n");
  expect(left).toEqual([]);
  return JSON.parse(printed);
}

/** The target of a link; undefined if the link is gone. */
function targetOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return "";
  }
}

test.runIf(canMount)("a full disk ends a run before anything is sent, and says what it needs", async () => {
  const end = await endInFolderOf(2 * MIB, "rw", 10_000);
  expect(end).toMatchObject({
    code: "SPOOL_FAILED",
    directory: join(service.directory, "small"),
    message: expect.stringMatching(/ENOSPC.*At least \d+ bytes.*spool\.directory.* Nothing was sent\./),
  });
  expect(end).toHaveProperty("bytesNeeded");
  expect(service.states()).toEqual([]);
});

test.runIf(canMount)("a read-only folder ends a run before anything is sent", async () => {
  expect(await endInFolderOf(2 * MIB, "ro", 1000)).toMatchObject({
    code: "SPOOL_FAILED",
    message: expect.stringContaining("EROFS"),
  });
  expect(service.states()).toEqual([]);
});

test.runIf(process.platform === "linux")(
  "a file that loses bytes while it is sent ends the run",
  async () => {
    const { directory } = service;
    const onProgress = ({ type }: SyncProgress) => {
      if (type !== "sending") return;
      for (const fd of readdirSync("/proc/self/fd")) {
        const path = `/proc/self/fd/${fd}`;
        if (targetOf(path).startsWith(directory)) truncateSync(path, 10);
      }
    };
    const run = service.runAccounts(["a", "b"], {
      onProgress,
      spool: { directory, memoryBytes: 0 },
      ledger: "none",
    });
    await expect(run).rejects.toMatchObject({
      code: "SPOOL_FAILED",
      message: expect.stringMatching(/it is shorter than what was written.*Nothing was completed\.$/),
    });
    expect(service.states()).toEqual(["aborted"]);
  },
);

test("a process killed while it reads leaves no file and no batch", async () => {
  const child = startScript("spool-script", [...argsOf(service.directory, 1000, 100_000), "stuck"]);
  await new Promise((resolve) => child.stdout.once("data", resolve));
  expect(await readdir(service.directory)).toEqual([]);
  child.kill("SIGKILL");
  await text(child.stdout);
  expect(await readdir(service.directory)).toEqual([]);
  expect(service.inspect()).toMatchObject({ batches: [], lock: null });
});

test("memory does not grow with the spool", async () => {
  const small = await endOf(service.directory, 50, MIB);
  await service.reset();
  const large = await endOf(service.directory, 300, MIB);
  expect(large).toMatchObject({ code: "completed" });
  // The large run wrote 250 MiB more to the disk.
  expect(large.peakBytes - small.peakBytes).toBeLessThan(60 * MIB);
});
