import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import {
  fileLedger,
  type RecordOf,
  type RecordSource,
  type RunAttempt,
  type RunBatch,
  type RunOptions,
  type SyncReceipt,
  type WriteOptions,
} from "@saas-management/sdk/sync";
import type { SafetyHarness } from "../../../support/safety-harness.js";

export type Account = RecordOf<"accounts">;
export type AccountBatch = RunBatch<"accounts">;

/** Number of accounts of the vendor. */
export const COUNT = 40;
export const LEASE_MS = 15 * 60_000;

/** What the attacks happen in: a service that has completed all accounts and licenses, and a ledger that knows them. */
export interface World extends Pick<SafetyHarness, "server" | "client" | "directory" | "file" | "run"> {
  /** A run of the accounts, which are written by one write. */
  send(
    source: RecordSource<Account> | ((attempt: RunAttempt) => RecordSource<Account>),
    options?: Partial<RunOptions<"accounts">>,
    writing?: WriteOptions,
  ): Promise<SyncReceipt>;
  /** The operation fails so often that its retry is used up too. */
  breakTwice(
    operation: "SyncRecords" | "CompleteSyncBatch" | "AbortSyncBatch",
    at?: "request" | "answer",
    nth?: number,
  ): void;
  /** Writes a file into the directory of the test; its path. */
  write(name: string, content: string | Uint8Array): Promise<string>;
}

export function worldOf(harness: SafetyHarness): World {
  return {
    get server() {
      return harness.server;
    },
    get client() {
      return harness.client;
    },
    get directory() {
      return harness.directory;
    },
    file: harness.file,
    run: harness.run,
    send: (source, options, writing) =>
      harness.run(
        ["accounts"],
        async (batch, attempt) => {
          await batch.write("accounts", typeof source === "function" ? source(attempt) : source, writing);
        },
        options,
      ),
    breakTwice: (operation, at = "request", nth = 1) => {
      for (const again of [0, 1])
        harness.server.faults.add({ api: "sync", operation, nth: nth + again, kind: { type: "drop", at } });
    },
    write: async (name, content) => {
      const path = join(harness.directory, name);
      await writeFile(path, content);
      return path;
    },
  };
}

/** The good run, before each attack. */
export function goodRun(harness: SafetyHarness): Promise<SyncReceipt> {
  return harness.run(
    ["accounts", "licenses"],
    async (batch) => {
      await batch.write("accounts", people());
      await batch.write("licenses", licenses());
    },
    { ledger: fileLedger(harness.directory) },
  );
}

/** One account. A third is not active; the ids have a letter beyond ASCII. */
export function person(i: number): {
  readonly generic: { id: string; name: string; email: string; active: boolean };
} {
  return {
    generic: { id: `né-${i}`, name: `name ${i}`, email: `${i}@example.com`, active: i % 3 !== 0 },
  };
}

/** The accounts from one number to before another: all of them where nothing is said. */
export function people(from = 0, to = COUNT) {
  return Array.from({ length: to - from }, (_, i) => person(from + i));
}

/** All accounts, with other ids. */
export function renamed(idOf: (id: string, i: number) => string) {
  return people().map(({ generic }, i) => ({ generic: { ...generic, id: idOf(generic.id, i) } }));
}

function licenses() {
  return people().map(({ generic }, i) => ({
    generic: { sourceId: `l-${i}`, sourceAccountId: generic.id, sourcePlanId: "p", billable: true },
  }));
}

/** What a hand-written pager reads: pages of ten accounts. */
export async function vendorPage(
  page: number,
): Promise<{ readonly users: Account[]; readonly next: number | null }> {
  return { users: people(10 * page, 10 * page + 10), next: page === 3 ? null : page + 1 };
}
