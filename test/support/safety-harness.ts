import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  fileLedger,
  RemovalGuardError,
  type RunFunction,
  type RunOptions,
  type SnapshotCollection,
  type SyncClientOptions,
  type SyncReceipt,
} from "@saas-management/sdk/sync";
import { afterEach, beforeEach } from "vitest";
import { type ReferenceHarness, there, useReferenceServer } from "./reference-harness.js";

/** A reference server, a client of it and an empty directory for ledgers, for each test of a file. */
export interface SafetyHarness extends ReferenceHarness {
  readonly directory: string;
  /** A run of the server's installation with a ledger in the directory. */
  run<const S extends SnapshotCollection>(
    snapshots: readonly S[],
    fn: RunFunction<S>,
    options?: Partial<RunOptions<S>>,
  ): Promise<SyncReceipt>;
  /** A run that sends these accounts. */
  accounts(ids: readonly string[], options?: Partial<RunOptions<"accounts">>): Promise<SyncReceipt>;
  /** The states of all batches, in the order in which they were started. */
  states(): string[];
  /** Paths of the ledger's files; the journal's are not among them. */
  files(): Promise<string[]>;
  /** The one file whose name matches. */
  file(name: RegExp): Promise<string>;
}

export function useSafetyHarness(options: Partial<SyncClientOptions> = {}): SafetyHarness {
  let directory: string | undefined;
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), "ledger-"));
  });
  afterEach(async () => {
    if (directory !== undefined) await rm(directory, { recursive: true, force: true, maxRetries: 10 });
  });
  // Closed before the directory goes: what comes last is ended first.
  const reference = useReferenceServer(options);
  const harness: SafetyHarness = {
    get server() {
      return reference.server;
    },
    get client() {
      return reference.client;
    },
    get directory() {
      return there(directory);
    },
    run: (snapshots, fn, options = {}) =>
      harness.client.run(
        {
          installationId: harness.server.installationId,
          ledger: fileLedger(harness.directory),
          ...options,
          snapshots,
        },
        fn,
      ),
    accounts: (ids, options) =>
      harness.run(["accounts"], async (batch) => void (await batch.write("accounts", records(ids))), options),
    present: reference.present,
    states: () => harness.server.inspect(harness.server.installationId).batches.map(({ state }) => state),
    files: async () => {
      const entries = await readdir(harness.directory, { recursive: true, withFileTypes: true });
      return entries
        .filter((entry) => !entry.isDirectory())
        .map((entry) => join(entry.parentPath, entry.name))
        .filter((path) => !path.startsWith(join(harness.directory, "journal")))
        .sort();
    },
    file: async (name) => {
      const found = (await harness.files()).filter((path) => name.test(path));
      const [path] = found;
      if (path === undefined || found.length > 1) throw new Error(`${found.length} files match ${name}`);
      return path;
    },
  };
  return harness;
}

/** Accounts with these ids. */
export function records(ids: readonly string[]) {
  return ids.map((id) => ({ generic: { id, name: `name of ${id}` } }));
}

/** Ids `u0`, `u1`, … */
export function ids(count: number, prefix = "u"): string[] {
  return Array.from({ length: count }, (_, i) => `${prefix}${i}`);
}

/** The error with which the guard holds a run. */
export async function heldBy(run: Promise<unknown>): Promise<RemovalGuardError> {
  const outcome = await run.then(
    () => new Error("the run was not held"),
    (error: unknown) => error,
  );
  if (outcome instanceof RemovalGuardError) return outcome;
  throw outcome;
}
