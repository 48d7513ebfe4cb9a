/** Programs that run under faults, and the checks of what the server and the program have seen. */
import { isDeepStrictEqual } from "node:util";
import { SaasManagementError, type SyncBatch, type SyncClient } from "@saas-management/sdk";
import type { GraphQLClient } from "@saas-management/sdk/graphql";
import type { ReferenceServer } from "@saas-management/sdk/testing";
import { expect } from "vitest";
import type { Settle } from "./stepped-clock.js";

/** "done", or the code of the error of a call. */
export type Outcome = string;

/** @throws the error of the call if it is not an SDK error */
function outcomeOf(result: PromiseSettledResult<unknown>): Outcome {
  if (result.status === "fulfilled") return "done";
  const { reason } = result;
  if (reason instanceof SaasManagementError && reason.code.length > 0) return reason.code;
  throw reason;
}

/** The applications of the server, in the order of pages. */
export const APPLICATIONS = [..."ABCDEFGHIJKLMNOPQRST"].map((letter) => ({ name: `Application ${letter}` }));

/** Requests of a walk without retries. */
const PAGES = 4;

/** Walks through the {@link APPLICATIONS} and checks that the nodes so far are right, whatever happens. */
export async function judgedWalk(client: GraphQLClient, settle: Settle): Promise<Outcome> {
  const names: (string | undefined)[] = [];
  const read = async () => {
    for await (const node of client.applications({ pageSize: APPLICATIONS.length / PAGES })) {
      names.push(node.application?.name);
    }
  };
  const outcome = outcomeOf(await settle(read()));
  const right = APPLICATIONS.map(({ name }) => name);
  expect(names, outcome).toEqual(outcome === "done" ? right : right.slice(0, names.length));
  return outcome;
}

const account = (id: string, name: string) => ({ id, name });
type Account = ReturnType<typeof account>;

const BEFORE = ["u0", "u1", "gone"].map((id) => account(id, "before"));
const USAGE = Array.from({ length: 3 }, (_, i) => ({
  id: `e${i}`,
  sourceActorId: `u${i}`,
  lastActivity: "2026-05-01T00:00:00.000Z",
}));

/** Number of accounts in the batch. */
const ACCOUNTS = 12;

/** Completes a first batch, so that a second one updates and removes records. */
export async function writeBefore(client: SyncClient, server: ReferenceServer): Promise<void> {
  const batch = await client.startBatch({ installationId: server.installationId });
  await batch.write("accounts", BEFORE);
  await batch.complete();
}

/** The outcome of a batch. */
export interface BatchOutcome {
  /** The last call. */
  readonly ended: "start" | "write" | "complete";
  readonly outcome: Outcome;
  /** Outcome of the abort; undefined if the batch was completed or never started. */
  readonly aborted: Outcome | undefined;
}

export interface JudgedBatchOptions {
  /** Approximate size of each account. @default 200 */
  readonly accountBytes?: number;
  /** Whether the server completed the batch and answered with an error. @default never */
  readonly lied?: () => boolean;
}

/**
 * Starts a batch, writes accounts and usage, and completes it, or aborts it if a call fails. Checks that the server holds
 * what the program was told, whatever happens.
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
  // If the program was told that the batch ended, the lock is free or belongs to another batch.
  if (batch !== undefined && (isDone || told.aborted === "done")) {
    expect(lock?.batchId, why).not.toBe(batch.id);
  }
  judgeRecords(server, accounts, stored?.state === "completed", why);
}

/** Records are as written, each once. Only a completed batch is whole and removes records. */
function judgeRecords(
  server: ReferenceServer,
  accounts: readonly Account[],
  isCompleted: boolean,
  why: string,
): void {
  const { snapshots } = server.inspect(server.installationId);
  const ids = snapshots.accounts.map(({ id }) => id);
  expect(ids, why).toEqual([...new Set(ids)]);
  expect(ids, why).toEqual(expect.arrayContaining(idsOf(isCompleted ? [...BEFORE, ...accounts] : BEFORE)));
  for (const { id, removed, record } of snapshots.accounts) {
    const isOld = !isCompleted || id === "gone";
    expect(isOld ? [...BEFORE, ...accounts] : accounts, `${why}: ${id}`).toContainEqual(record);
    expect(removed, `${why}: ${id}`).toBe(isCompleted && id === "gone");
  }
  const usage = snapshots.usage.map(({ record }) => record);
  expect(usage, why).toEqual(
    USAGE.filter((event) => usage.some((stored) => isDeepStrictEqual(stored, event))),
  );
  if (isCompleted) expect(usage, why).toHaveLength(USAGE.length);
}

function idsOf(records: readonly Account[]): string[] {
  return records.map((record) => record.id);
}
