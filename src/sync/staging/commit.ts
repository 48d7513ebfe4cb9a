/**
 * Commits a staged run. The numbers are those of the protocol that test/simulation/staging-model explores: keep the two
 * alike.
 */
import { createHash } from "node:crypto";
import { raceAbort } from "../../core/abort.js";
import { InvalidInputError } from "../../core/errors/index.js";
import type { BatchHandle } from "../batch/sync-batch.js";
import type { SnapshotCollection } from "../collections.js";
import type { ObservedIds } from "../guard/observed-ids.js";
import type { RunGuard } from "../guard/run-guard.js";
import type { SnapshotIds } from "../guard/snapshot-ids.js";
import { stateOf } from "../ledger/run-tokens.js";
import type { CommitOptions } from "../run/options.js";
import type { RunReceipt } from "../run/receipt.js";
import type { RunSteps } from "../run/run-steps.js";
import { type RunParts, SyncRun } from "../run/sync-run.js";
import { endBatch } from "../run/unreleased-batches.js";
import { CommitRecord } from "./commit-record.js";
import { runKeys } from "./keys.js";
import { decideFate, discardedError, readReceipt, requireKept } from "./outcome.js";
import type { StagedParts } from "./parts.js";
import { readSealedRun, type SealedRun } from "./sealed-run.js";
import { StagedRecords } from "./staged-records.js";

/**
 * Judges a staged run, and sends it if it is not held. Returns the receipt if it was committed before.
 * @param observed The ids of the run, if this process has just extracted it.
 * @throws {InvalidInputError} it was discarded, it was superseded by another run, or partitions are missing
 * @throws {RunHeldError} the guard held it; nothing was sent
 */
export async function commitRun(
  staged: StagedParts,
  options: CommitOptions,
  parts: RunParts,
  observed?: ObservedIds,
): Promise<RunReceipt> {
  const { plan, ledger, staging } = staged;
  const { signal } = options;
  const keys = runKeys(plan);
  const { origin } = parts.configuration.endpoint;
  if (origin !== plan.endpoint)
    throw new InvalidInputError(
      `The run ${JSON.stringify(plan.runKey)} was opened for ${plan.endpoint}, and this client is one of ${origin}.`,
    );
  try {
    const committed = await raceAbort(committedBefore(staged), signal, parts.closed);
    if (committed !== undefined) return committed;
    const sealed = await raceAbort(readSealedRun(staged), signal, parts.closed);
    const commit = new Commit(staged, sealed, parts, observed);
    const { installationId, id: runId, runKey } = plan;
    const run = { ...options, installationId, ledger, runId, runKey };
    return await new SyncRun(commit.records.connector(), run, parts, commit).execute();
  } catch (error) {
    // 6 Another committer may have been faster.
    const receipt = await readReceipt(staging.store, keys, plan).catch(() => undefined);
    if (receipt === undefined || signal?.aborted === true) throw error;
    return receipt;
  }
}

/** 1 A receipt: return it. Discarded: refuse. */
async function committedBefore(staged: StagedParts): Promise<RunReceipt | undefined> {
  const { staging, plan } = staged;
  const receipt = await readReceipt(staging.store, runKeys(plan), plan);
  if (receipt === undefined) await requireKept(staged);
  return receipt;
}

class Commit implements RunSteps {
  readonly records: StagedRecords;
  readonly #staged: StagedParts;
  readonly #sealed: SealedRun;
  readonly #parts: RunParts;
  readonly #observed: ObservedIds | undefined;
  readonly #record: CommitRecord;
  /** T: the state of the ledger that the run was judged in. */
  #judgedIn: string | undefined;

  constructor(staged: StagedParts, sealed: SealedRun, parts: RunParts, observed: ObservedIds | undefined) {
    this.records = new StagedRecords(sealed);
    this.#staged = staged;
    this.#sealed = sealed;
    this.#parts = parts;
    this.#observed = observed;
    this.#record = new CommitRecord(staged, sealed, parts.configuration);
  }

  async beforeStart(guard: RunGuard, signal: AbortSignal): Promise<RunReceipt | undefined> {
    const { plan, digest, keys } = this.#sealed;
    const { store } = this.#staged.staging;
    // 1 A receipt: return it. Discarded: refuse. A promotion that was cut off is finished, because approvals are bound to T.
    const receipt = (await committedBefore(this.#staged)) ?? (await this.#record.completedInLedger(guard));
    if (receipt !== undefined) return receipt;
    // 2 Read T, then every segment, and judge all. Held: nothing was sent.
    const tokens = await this.#record.tokens();
    // 5d early: a run that can never be sent need not be read. If it was sent before, 5c comes first.
    if ((await this.#record.batches()).size === 0) await this.#record.requireNewest(tokens);
    const state = stateOf(tokens, plan.id);
    if (state !== this.#judgedIn) {
      await guard.judgeStaged(
        {
          boundTo: createHash("sha256").update(`${digest} ${state}`).digest("hex"),
          blocks: (collection) => this.records.blocks(collection, signal),
          placeOf: (collection, index) => this.records.placeOf(collection, index),
          observed: (collection) => this.#takeObserved(collection),
        },
        signal,
      );
      await this.records.verify(signal);
      this.#judgedIn = state;
    }
    // 3 From now on, nobody can discard it.
    const { fate } = await decideFate(store, keys, { fate: "commit", digest });
    if (fate === "discard") throw discardedError(plan);
    // 4 StartSyncBatch, by the run.
    return undefined;
  }

  #takeObserved(collection: SnapshotCollection): SnapshotIds | undefined {
    const ids = this.#observed?.take(collection);
    if (ids !== undefined) this.records.trust(collection);
    return ids;
  }

  async underLock(guard: RunGuard, batch: BatchHandle): Promise<RunReceipt | "again" | undefined> {
    const { plan, keys } = this.#sealed;
    const { store } = this.#staged.staging;
    // 5a A receipt: abort, return it.
    const receipt = await readReceipt(store, keys, plan);
    if (receipt !== undefined) return receipt;
    // 5b The ledger has it as completed: abort, write the receipt.
    const completed = await this.#record.completedInLedger(guard);
    if (completed !== undefined) return completed;
    // 5c A batch of mine was completed: abort, promote it, write the receipt. Aborted or unclear: its ids stay.
    const batchIds = await this.#record.batches();
    for (const [token, batchId] of batchIds) {
      const ended = endBatch(this.#parts.abort, batchId, batch.signal).catch(() => "unknown");
      if ((await ended) === "completed") return this.#record.finish(guard, token, batchId);
    }
    // 5d Another run was completed or is pending that this one does not follow: abort, refuse.
    const tokens = await this.#record.tokens();
    await this.#record.requireNewest(tokens);
    // 5e T is another one: abort, judge again.
    if (stateOf(tokens, plan.id) !== this.#judgedIn) return "again";
    // 5f Draft, by the guard; 6 send, by the run.
    return undefined;
  }

  /** 7 A durable pending: the guard has saved the ids. */
  beforeComplete({ token }: RunGuard, batchId: string): Promise<void> {
    return this.#record.note(token, batchId);
  }

  /** 8 CompleteSyncBatch and 9 promote, by the run; 10 put the receipt, delete the segments. */
  completed(receipt: RunReceipt): Promise<void> {
    return this.#record.completed(receipt);
  }
}
