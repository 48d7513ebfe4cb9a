/**
 * Writes accounts, no two alike, in two runs, plain or by way of a staging, and prints what the second one took.
 *
 * Arguments: a {@link StagedTask} as JSON.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type CommitOptions,
  type Connector,
  fileLedger,
  fileStaging,
  SaasManagementClient,
  type SyncProgress,
} from "@saas-management/sdk";
import { take } from "../../harness/stopwatch.js";
import { freshAccounts } from "../fresh-accounts.js";

/** How the records come to the service. A commit is measured alone, after the extraction. */
export type StagedMode = "plain" | "staged" | "commit";

/** What to write. */
export interface StagedTask {
  readonly endpoint: string;
  readonly records: number;
  readonly mode: StagedMode;
  /** Whether the records are made while they are read, or are in memory before. */
  readonly source: "fresh" | "array";
  readonly windowBytes?: number | undefined;
}

const PAGE = 1000;

const task: StagedTask = JSON.parse(process.argv[2] ?? "");
const { records, windowBytes } = task;
const folder = mkdtempSync(join(tmpdir(), "staged-"));
const client = new SaasManagementClient({
  syncUrl: task.endpoint,
  apiKey: "key",
  sync: { installationId: "installation", ledger: fileLedger(join(folder, "ledger")), windowBytes },
});
const staging = fileStaging(join(folder, "staging"));
const made = task.source === "array" ? freshAccounts(0, records) : undefined;
const connector: Connector<"accounts"> = {
  snapshots: ["accounts"],
  run: async (batch) => void (await batch.write("accounts", made ?? pages())),
};

try {
  await measure("first", true);
  // What the run before left behind is not the measured one's.
  globalThis.gc?.();
  console.log(JSON.stringify(await measure("second", false)));
} finally {
  await client.close();
  rmSync(folder, { recursive: true, force: true });
}

async function measure(runKey: string, firstRun: boolean): Promise<Record<string, number>> {
  let judgedAt = Number.NaN;
  let bytes = 0;
  const onProgress = (progress: SyncProgress) => {
    if (progress.type === "judged") judgedAt = performance.now();
    if (progress.type === "progress") bytes = progress.bytes;
  };
  const run = await prepare(runKey, { firstRun, onProgress });
  const { ms, cpuMs, peakRssMiB } = await take(run);
  const sendingMs = performance.now() - judgedAt;
  return {
    seconds: ms / 1000,
    cpuMicrosPerRecord: (cpuMs * 1000) / records,
    peakRssMiB,
    mbitPerSecond: (bytes * 8) / 1000 / ms,
    sendingMbitPerSecond: (bytes * 8) / 1000 / sendingMs,
  };
}

async function prepare(runKey: string, options: CommitOptions): Promise<() => Promise<void>> {
  if (task.mode === "plain") return async () => void (await client.sync.run(connector, options));
  if (task.mode === "staged")
    return async () => void (await client.sync.run(connector, { ...options, staging }));
  const partitions = { accounts: ["all"] } as const;
  const staged = await client.sync.stage(staging, { runKey, version: "1", partitions });
  await staged.extract("accounts", "all", made ?? pages());
  return async () => void (await client.sync.commit(staged, options));
}

async function* pages() {
  for (let from = 0; from < records; from += PAGE) yield freshAccounts(from, Math.min(PAGE, records - from));
}
