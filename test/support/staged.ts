import { mkdtempSync } from "node:fs";
import { readdir, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Store } from "@saas-management/sdk";
import { onTestFinished } from "vitest";
import { memoryLedger, memoryStore } from "../../src/sync/ledger/memory-ledger.js";
import type { SyncClientOptions } from "../../src/sync/options.js";
import { requireStaged } from "../../src/sync/staging/parts.js";
import type { Plan, PlanOptions } from "../../src/sync/staging/plan.js";
import { readSealedRun } from "../../src/sync/staging/sealed-run.js";
import type { StagedRun } from "../../src/sync/staging/staged-run.js";
import { type Staging, storeStaging } from "../../src/sync/staging/staging.js";
import { syncClient } from "./sync-client.js";

export const PLAN = {
  runKey: "nightly",
  version: "1.0",
  installationId: "installation-1",
  ledger: memoryLedger(),
  partitions: { accounts: ["a-m", "n-z"] },
} as const satisfies PlanOptions;

/** A client whose service nobody can reach: an extraction sends nothing. */
export const offlineClient = (options: Partial<SyncClientOptions> = {}) =>
  syncClient("http://127.0.0.1:1", options);

/** Opens a run. By default, the partitions `a-m` and `n-z` of accounts in a new staging in memory. */
export function stage<const P extends Plan = (typeof PLAN)["partitions"]>(
  staging: Staging = storeStaging(memoryStore()),
  options: Partial<PlanOptions<P>> = {},
  client: Partial<SyncClientOptions> = {},
): Promise<StagedRun<P>> {
  return offlineClient(client).stage(staging, { ...PLAN, ...options } as PlanOptions<P>);
}

/** An empty directory that is gone after the test. */
export function directory(): string {
  const path = mkdtempSync(join(tmpdir(), "sdk-staging-"));
  onTestFinished(() => rm(path, { recursive: true, force: true, maxRetries: 10 }));
  return path;
}

/** What the files of a directory contain, by their paths. */
export async function filesIn(root: string): Promise<Map<string, string>> {
  const files = new Map<string, string>();
  for (const name of await readdir(root, { recursive: true })) {
    const path = join(root, name);
    if ((await stat(path)).isFile()) files.set(name, await readFile(path, "latin1"));
  }
  return files;
}

/** The states of all partitions, such as `a-m sealed 3 records, 1 attempt`. */
export async function statesOf(run: StagedRun): Promise<string[]> {
  const states = await run.status();
  return states.map(
    ({ partition, state, records, attempts }) =>
      `${partition}: ${state}, ${records} records, ${attempts} attempts`,
  );
}

/** The blocks of all segments of a sealed run. */
export async function blocksOf(run: StagedRun): Promise<Uint8Array[]> {
  const { segments } = await readSealedRun(requireStaged(run));
  const blocks: Uint8Array[] = [];
  for (const list of segments.values())
    for (const segment of list)
      for await (const { bytes } of segment.blocks()) blocks.push(Buffer.from(bytes));
  return blocks;
}

/** A source that waits in its middle, after its first records. */
export function pausedSource<R>(first: readonly R[], last: readonly R[]) {
  let goOn = (_?: Error) => {};
  let begin = () => {};
  const paused = new Promise<void>((resolve, reject) => {
    goOn = (error) => (error === undefined ? resolve() : reject(error));
  });
  const begun = new Promise<void>((resolve) => {
    begin = resolve;
  });
  async function* records() {
    yield* first;
    begin();
    await paused;
    yield* last;
  }
  return { records: records(), begun, goOn };
}

/** A store that counts on the one below, and in which the segments of partitions meet with this. */
export function aroundSegments(
  below: Store,
  put: (go: () => Promise<boolean>, value: AsyncIterable<Uint8Array>) => Promise<boolean>,
): Store {
  return {
    get: (key) => below.get(key),
    list: (prefix) => below.list(prefix),
    delete: (key) => below.delete(key),
    putIfAbsent: (key, value) => {
      const go = () => below.putIfAbsent(key, value);
      return key.includes("/s/") ? put(go, value) : go();
    },
  };
}
