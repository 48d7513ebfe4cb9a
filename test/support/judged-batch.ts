import { isDeepStrictEqual } from "node:util";
import type { ReferenceServer } from "@saas-management/sdk/reference-server";
import type { SyncBatch, SyncClient } from "@saas-management/sdk/sync";
import { expect } from "vitest";
import { type Outcome, outcomeOf } from "./outcome.js";
import type { Settle } from "./stepped-clock.js";

const account = (id: string, name: string) => ({ generic: { id, name } });
type Account = ReturnType<typeof account>;

const BEFORE = ["u0", "u1", "gone"].map((id) => account(id, "before"));
const USAGE = Array.from({ length: 3 }, (_, i) => ({
  generic: { id: `e${i}`, sourceActorId: `u${i}`, lastActivity: "2026-05-01T00:00:00.000Z" },
}));

/** Accounts that the batch writes. */
const ACCOUNTS = 12;

/** Completes a first batch, so that a second one has something to update and to remove. */
export async function writeBefore(client: SyncClient, server: ReferenceServer): Promise<void> {
  const batch = await client.startBatch({ installationId: server.installationId });
  await batch.write("accounts", BEFORE);
  await batch.complete();
}

/** What became of a batch. */
export interface BatchOutcome {
  /** The call that ended it: "complete" where none failed. */
  readonly ended: "start" | "write" | "complete";
  readonly outcome: Outcome;
  /** What became of its abort; undefined where it was completed, or never begun. */
  readonly aborted: Outcome | undefined;
}

/** What {@link judgedBatch} is told of the run. */
export interface JudgedBatchOptions {
  /** Bytes of each account, roughly. @default 200 */
  readonly accountBytes?: number;
  /** Whether the server completed the batch and said that it did not, which no client sees through. @default never */
  readonly lied?: () => boolean;
}

/**
 * Starts a batch, writes accounts and usage, and completes it, or aborts it where that fails. Whatever happens, the
 * server holds nothing that it should not, and lacks nothing that the program was told it has.
 */
export async function judgedBatch(
  client: SyncClient,
  server: ReferenceServer,
  settle: Settle,
  { accountBytes = 200, lied = () => false }: JudgedBatchOptions = {},
): Promise<BatchOutcome> {
  const accounts = Array.from({ length: ACCOUNTS }, (_, i) => account(`u${i}`, "n".repeat(accountBytes)));
  let batch: SyncBatch | undefined;
  let ended: BatchOutcome["ended"] = "start";
  const ran = await settle(
    (async () => {
      batch = await client.startBatch({ installationId: server.installationId });
      ended = "write";
      await batch.write("accounts", accounts);
      await batch.write("usage", USAGE);
      ended = "complete";
      await batch.complete();
    })(),
  );
  const outcome = outcomeOf(ran);
  const abort = outcome === "done" ? undefined : batch?.abort();
  const aborted = abort === undefined ? undefined : outcomeOf(await settle(abort));
  const told = { ended, outcome, aborted };
  judge(server, batch, accounts, { ...told, lied: lied() });
  return told;
}

function judge(
  server: ReferenceServer,
  batch: SyncBatch | undefined,
  accounts: readonly Account[],
  told: BatchOutcome & { readonly lied: boolean },
): void {
  const { lock, batches } = server.inspect(server.installationId);
  const why = JSON.stringify(told);
  const stored = batches.find(({ id }) => id === batch?.id);
  const isDone = told.outcome === "done";
  const mayBeCompleted = told.ended === "complete" && (told.outcome === "BATCH_OUTCOME_UNKNOWN" || told.lied);
  if (isDone) expect(stored?.state, why).toBe("completed");
  else if (!mayBeCompleted) expect(stored?.state, why).not.toBe("completed");
  // Whoever was told that the batch has ended finds its lock free, or with somebody else.
  if (batch !== undefined && (isDone || told.aborted === "done")) {
    expect(lock?.batchId, why).not.toBe(batch.id);
  }
  judgeRecords(server, accounts, stored?.state === "completed", why);
}

/** Records are as they were written, each once; only a completed batch is whole, and only it removes something. */
function judgeRecords(
  server: ReferenceServer,
  accounts: readonly Account[],
  isCompleted: boolean,
  why: string,
): void {
  const { snapshots, events } = server.inspect(server.installationId);
  const ids = snapshots.accounts.map(({ id }) => id);
  expect(ids, why).toEqual([...new Set(ids)]);
  expect(ids, why).toEqual(expect.arrayContaining(idsOf(isCompleted ? [...BEFORE, ...accounts] : BEFORE)));
  for (const { id, removed, record } of snapshots.accounts) {
    const isOld = !isCompleted || id === "gone";
    expect(isOld ? [...BEFORE, ...accounts] : accounts, `${why}: ${id}`).toContainEqual(record);
    expect(removed, `${why}: ${id}`).toBe(isCompleted && id === "gone");
  }
  const { usage } = events;
  expect(usage, why).toEqual(
    USAGE.filter((event) => usage.some((stored) => isDeepStrictEqual(stored, event))),
  );
  if (isCompleted) expect(usage, why).toHaveLength(USAGE.length);
}

function idsOf(records: readonly Account[]): string[] {
  return records.map(({ generic }) => generic.id);
}
