/**
 * Writes different accounts in runs of a build of this SDK, and prints the cost of all runs but the first.
 *
 * Arguments: a {@link RunTask} as JSON.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import type { RecordOf, RunReceipt } from "@saas-management/sdk";
import { take } from "../../harness/stopwatch.js";
import { freshAccounts } from "../fresh-accounts.js";
import { PAGE, type SourceForm, toSource } from "../sources.js";

/** What to write, and the build to write it with. */
export interface RunTask {
  readonly endpoint: string;
  /**
   * Fresh pages are created while they're read; the other forms contain prepared records. A slow source delivers its
   * records after a second.
   */
  readonly form: SourceForm | "fresh pages" | "slow";
  readonly records: number;
  /** Whether a run has a guard and a file ledger, or neither. */
  readonly guarded: boolean;
  /** Number of measured runs, one after another. */
  readonly runs: number;
  /** URL of the SDK's main file. @default this build's */
  readonly sdk?: string | undefined;
}

const task: RunTask = JSON.parse(process.argv[2] ?? "");
const { endpoint, form, records, guarded, runs } = task;
const sdk: typeof import("@saas-management/sdk") = await import(task.sdk ?? "@saas-management/sdk");
let lockedAt = 0;
let lockedMs = 0;
const client = new sdk.SaasManagementClient({
  syncUrl: endpoint,
  apiKey: "key",
  onEvent: ({ type, operation }) => {
    if (type === "request" && operation === "StartSyncBatch") lockedAt = performance.now();
    if (type === "response" && operation === "CompleteSyncBatch") lockedMs += performance.now() - lockedAt;
  },
});
const directory = mkdtempSync(join(tmpdir(), "run-"));
const given = form === "fresh pages" ? [] : freshAccounts(0, records);

try {
  // The first run compiles the hot code, and is the baseline of the measured ones.
  for (let i = 0; i < Math.ceil(runs / 2); i += 1) await run(i === 0);
  globalThis.gc?.();
  forgetPeak();
  let bytes = 0;
  lockedMs = 0;
  const { ms, cpuMs, peakRssMiB } = await take(async () => {
    for (let i = 0; i < runs; i += 1) bytes += bytesOf(await run(false));
  });
  const mbitPerSecond = (bytes * 8) / 1000 / ms;
  const perRun = { msPerRun: ms / runs, cpuMsPerRun: cpuMs / runs, lockedMsPerRun: lockedMs / runs };
  console.log(JSON.stringify({ ...perRun, mbitPerSecond, peakRssMiB }));
} finally {
  rmSync(directory, { recursive: true, force: true });
  await client.close();
}

function run(firstRun: boolean): Promise<RunReceipt> {
  const safety = guarded
    ? { ledger: sdk.fileLedger(directory), firstRun }
    : ({ ledger: "none", guard: false } as const);
  return client.sync.run(
    { snapshots: ["accounts"], run: (batch) => batch.write("accounts", source()) },
    { ...safety, installationId: "installation" },
  );
}

function source() {
  if (form === "slow") return slowly();
  return form === "fresh pages" ? freshPages() : toSource(form, given).records;
}

async function* slowly(): AsyncGenerator<readonly RecordOf<"accounts">[], void, undefined> {
  await setTimeout(1000);
  yield given;
}

async function* freshPages(): AsyncGenerator<RecordOf<"accounts">[], void, undefined> {
  for (let from = 0; from < records; from += PAGE) yield freshAccounts(from, Math.min(PAGE, records - from));
}

function bytesOf({ collections }: RunReceipt): number {
  const { accepted = 0, bytes = 0 } = collections.accounts?.stats ?? {};
  if (accepted !== records) throw new Error(`The server accepted ${accepted} of ${records} records.`);
  return bytes;
}

/** Resets the peak memory, to exclude the first run and the creation of the records. */
function forgetPeak(): void {
  if (process.platform === "linux") writeFileSync("/proc/self/clear_refs", "5");
}
