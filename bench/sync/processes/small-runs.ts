/**
 * Writes the accounts of many installations, each in its own run and several at a time, and prints the cost of a second
 * round.
 *
 * Arguments: a {@link SmallRunsTask} as JSON.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { mkdir, open, rename, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { credentials, Metadata, type ServiceError } from "@grpc/grpc-js";
import { fileLedger, SaasManagementClient } from "@saas-management/sdk";
import { SyncServiceClient } from "../../../test/support/sync-service-client.js";
import { take } from "../../harness/stopwatch.js";
import { makePool } from "../records.js";
import { makeRecords } from "../sdk-records.js";

/** This SDK, with or without the guard; or three grpc-js calls, with as many files as a guarded run has, or none. */
export type SmallRunsMode = "guarded" | "off" | "by-hand" | "by-hand-with-files";

/** What to write. */
export interface SmallRunsTask {
  readonly endpoint: string;
  readonly mode: SmallRunsMode;
  readonly runs: number;
  /** Number of simultaneous runs. */
  readonly atOnce: number;
  /** Records of one run. */
  readonly records: number;
}

const { endpoint, mode, runs, atOnce, records }: SmallRunsTask = JSON.parse(process.argv[2] ?? "");
const NOTE = Buffer.from(JSON.stringify({ at: 0, text: "x".repeat(200) }));
const directory = mkdtempSync(join(tmpdir(), "runs-"));
try {
  const { run, close } = mode === "guarded" || mode === "off" ? withSdk() : byHand();
  await all((installation) => run(installation, true));
  globalThis.gc?.();
  const { ms, cpuMs, peakRssMiB } = await take(() => all((installation) => run(installation, false)));
  await close();
  console.log(JSON.stringify({ seconds: ms / 1000, cpuMsPerRun: cpuMs / runs, peakRssMiB }));
} finally {
  rmSync(directory, { recursive: true, force: true });
}

async function all(run: (installation: string) => Promise<void>): Promise<void> {
  let next = 0;
  const work = async () => {
    while (next < runs) await run(`installation-${next++}`);
  };
  await Promise.all(Array.from({ length: atOnce }, work));
}

function withSdk() {
  const client = new SaasManagementClient({ syncUrl: endpoint, apiKey: "key" });
  const accounts = makeRecords("accounts", "ascii", records);
  const ledger = fileLedger(directory);
  const run = async (installationId: string, firstRun: boolean) => {
    const safety = mode === "guarded" ? { ledger, firstRun } : ({ ledger: "none", guard: false } as const);
    await client.sync.run(
      { snapshots: ["accounts"], run: (batch) => batch.write("accounts", accounts) },
      { ...safety, installationId },
    );
  };
  return { run, close: () => client.close() };
}

function byHand() {
  const client = new SyncServiceClient(new URL(endpoint).host, credentials.createInsecure());
  const metadata = new Metadata();
  metadata.set("authorization", "ApiKey key");
  const accounts = makePool("accounts", "ascii", records);
  const ids = Buffer.from(accounts.map(({ id }) => id).join("\n"));
  const keep = async (installationId: string, name: string, contents: Uint8Array, lasts = true) => {
    if (mode === "by-hand-with-files") await put(join(directory, installationId), name, contents, lasts);
  };
  const run = async (installationId: string) => {
    await keep(installationId, "start", NOTE, false);
    const { batchId } = await answer<{ batchId: string }>((done) =>
      client.startSyncBatch({ installationId }, metadata, done),
    );
    await keep(installationId, "batch", NOTE, false);
    await answer((done) => {
      const stream = client.syncRecords(metadata, done);
      const toMessage = (value: (typeof accounts)[number]) => ({
        variant: { $case: "generic" as const, value },
      });
      const collection = { $case: "accounts" as const, value: { records: accounts.map(toMessage) } };
      stream.end({ batchId, collection });
    });
    await keep(installationId, "ids", ids);
    await answer((done) => client.completeSyncBatch({ batchId }, metadata, done));
    await keep(installationId, "state", NOTE);
    await Promise.all(
      ["start", "batch"].map((name) => rm(join(directory, installationId, name), { force: true })),
    );
  };
  return { run, close: async () => client.close() };
}

/** Replaces a file. @param lasts Whether the file survives a loss of power */
async function put(folder: string, name: string, contents: Uint8Array, lasts: boolean): Promise<void> {
  await mkdir(folder, { recursive: true });
  const path = join(folder, name);
  const file = await open(`${path}.tmp`, "w");
  await file.writeFile(contents);
  if (lasts) await file.sync();
  await file.close();
  await rename(`${path}.tmp`, path);
  if (!lasts) return;
  const entries = await open(folder);
  await entries.sync();
  await entries.close();
}

function answer<T>(call: (done: (error: ServiceError | null, value: T) => void) => void): Promise<T> {
  return new Promise((resolve, reject) =>
    call((error, value) => (error === null ? resolve(value) : reject(error))),
  );
}
