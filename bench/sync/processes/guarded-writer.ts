/**
 * Writes fresh accounts in a run, twice, and prints what the second write and its completion took.
 *
 * Arguments: a {@link GuardTask} as JSON.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileLedger, type RecordOf, SyncClient } from "@saas-management/sdk/sync";
import { type Taken, take } from "../../harness/stopwatch.js";
import { makePool } from "../records.js";
import { type SourceForm, toSource } from "../sources.js";

/** What looks on while records are written. */
export type GuardMode = "guarded" | "off" | "bare";

interface GuardTask {
  readonly endpoint: string;
  readonly records: number;
  readonly mode: GuardMode;
  readonly form: SourceForm;
}

const { endpoint, records, mode, form }: GuardTask = JSON.parse(process.argv[2] ?? "");
const accounts: readonly RecordOf<"accounts">[] = makePool("accounts", "ascii", records).map((generic) => ({
  generic,
}));
const client = new SyncClient({ endpoint, apiKey: "key" });
const directory = mkdtempSync(join(tmpdir(), "guard-"));
const safety =
  mode === "guarded" ? { ledger: fileLedger(directory) } : ({ ledger: "none", guard: false } as const);

try {
  await measure();
  console.log(JSON.stringify(await measure()));
} finally {
  rmSync(directory, { recursive: true, force: true });
  await client.close();
}

async function measure(): Promise<Record<string, number>> {
  // What the run before left behind is not the write's.
  globalThis.gc?.();
  let taken: Taken | undefined;
  const write = async (batch: {
    write(
      collection: "accounts",
      source: typeof accounts | AsyncIterable<RecordOf<"accounts">>,
    ): Promise<unknown>;
  }) => {
    const source = toSource(form, accounts);
    if (source.form === "async arrays") throw new Error("There is no such scenario.");
    const { records: given } = source;
    taken = await take(async () => void (await batch.write("accounts", given)));
  };
  const since = performance.now();
  if (mode === "bare") {
    const batch = await client.startBatch({ installationId: "installation" });
    await write(batch);
    await batch.complete();
  } else {
    await client.run({ ...safety, installationId: "installation", snapshots: ["accounts"] }, write);
  }
  if (taken === undefined) throw new Error("Nothing was written.");
  const { ms, cpuMs, peakRssMiB } = taken;
  return {
    recordsPerSecond: records / (ms / 1000),
    cpuMicrosPerRecord: (cpuMs * 1000) / records,
    completionMs: performance.now() - since - ms,
    peakRssMiB,
  };
}
