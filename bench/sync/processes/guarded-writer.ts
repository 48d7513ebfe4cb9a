/**
 * Writes different records in two runs, and prints what the write and the rest of the second run took.
 *
 * Arguments: a {@link GuardTask} as JSON.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileLedger, type RunBatch, SaasManagementClient } from "@saas-management/sdk";
import { type Taken, take } from "../../harness/stopwatch.js";
import { makeRecords } from "../sdk-records.js";
import { type SourceForm, toSource } from "../sources.js";

/** Whether guard and ledger inspect the records. */
export type GuardMode = "guarded" | "off";

/** Small and large records. */
export type GuardKind = "accounts" | "employees";

/** What to write. */
export interface GuardTask {
  readonly endpoint: string;
  readonly kind: GuardKind;
  readonly records: number;
  readonly mode: GuardMode;
  readonly form: SourceForm;
}

const { endpoint, kind, records, mode, form }: GuardTask = JSON.parse(process.argv[2] ?? "");
const client = new SaasManagementClient({ syncUrl: endpoint, apiKey: "key" });
const directory = mkdtempSync(join(tmpdir(), "guard-"));
const safetyOf = (firstRun: boolean) =>
  mode === "guarded"
    ? { ledger: fileLedger(directory), firstRun }
    : ({ ledger: "none", guard: false } as const);

try {
  const measure = measurementOf(kind);
  await measure(true);
  console.log(JSON.stringify(await measure(false)));
} finally {
  rmSync(directory, { recursive: true, force: true });
  await client.close();
}

function measurementOf<K extends GuardKind>(
  collection: K,
): (firstRun: boolean) => Promise<Record<string, number>> {
  const given = makeRecords(collection, "ascii", records);
  return async (firstRun) => {
    // Garbage of the previous run must not count towards the write.
    globalThis.gc?.();
    let taken: Taken | undefined;
    const write = async (batch: Pick<RunBatch<K>, "write">) => {
      const source = toSource(form, given);
      taken = await take(async () => void (await batch.write(collection, source.records)));
    };
    const since = performance.now();
    await client.sync.run(
      { snapshots: [collection], run: write },
      { ...safetyOf(firstRun), installationId: "installation" },
    );
    if (taken === undefined) throw new Error("Nothing was written.");
    const { ms, cpuMs, peakRssMiB } = taken;
    return {
      recordsPerSecond: records / (ms / 1000),
      cpuMicrosPerRecord: (cpuMs * 1000) / records,
      restMs: performance.now() - since - ms,
      peakRssMiB,
    };
  };
}
