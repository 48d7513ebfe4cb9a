/**
 * Commits a staged run. The numbers are those of the protocol that test/simulation/staging-model explores: keep the two
 * alike.
 */
import { createHash } from "node:crypto";
import { raceAbort } from "../../core/abort.js";
import { InvalidInputError } from "../../core/errors/index.js";
import { isObject } from "../../core/validate.js";
import type { BatchHandle } from "../batch/sync-batch.js";
import { withinGrace } from "../call.js";
import type { EventCollection, SnapshotCollection } from "../collections.js";
import type { ObservedIds } from "../guard/observed-ids.js";
import type { RunGuard } from "../guard/run-guard.js";
import type { SnapshotIds } from "../guard/snapshot-ids.js";
import type { InstallationScope } from "../ledger/entry.js";
import { runOf } from "../ledger/keys.js";
import type { LedgerParts } from "../ledger/ledger.js";
import { type RunToken, runTokens, stateOf } from "../ledger/run-tokens.js";
import { readWatermarks, storeWatermarks } from "../ledger/watermark-entries.js";
import type { CommitOptions } from "../run/options.js";
import { type RunReceipt, receiptOf } from "../run/receipt.js";
import type { RunSteps } from "../run/run-steps.js";
import { type RunParts, SyncRun } from "../run/sync-run.js";
import { endBatch } from "../run/unreleased-batches.js";
import { newReport, statsByCollection } from "../write/options.js";
import { deleteSegments } from "./clear.js";
import { discardedError } from "./extract.js";
import { decideFate, putJson, readFate, readJson } from "./fate.js";
import { type RunKeys, runKeys } from "./keys.js";
import { ledgerOf, type StagedParts } from "./parts.js";
import { putReceipt, readReceipt, SupersededError } from "./receipts.js";
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
    const committed = await raceAbort(committedBefore(staged, keys), signal, parts.closed);
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
async function committedBefore(
  { staging, plan }: StagedParts,
  keys: RunKeys,
): Promise<RunReceipt | undefined> {
  const receipt = await readReceipt(staging.store, keys, plan);
  if (receipt === undefined && (await readFate(staging.store, keys))?.fate === "discard")
    throw discardedError(plan.runKey);
  return receipt;
}

class Commit implements RunSteps {
  readonly records: StagedRecords;
  readonly #staged: StagedParts;
  readonly #sealed: SealedRun;
  readonly #parts: RunParts;
  readonly #observed: ObservedIds | undefined;
  readonly #ledger: LedgerParts;
  readonly #scope: InstallationScope;
  /** T: the state of the ledger that the run was judged in. */
  #judgedIn: string | undefined;

  constructor(staged: StagedParts, sealed: SealedRun, parts: RunParts, observed: ObservedIds | undefined) {
    const { endpoint, installationId } = staged.plan;
    this.records = new StagedRecords(sealed);
    this.#staged = staged;
    this.#sealed = sealed;
    this.#parts = parts;
    this.#observed = observed;
    this.#ledger = ledgerOf(staged.ledger);
    this.#scope = { endpoint, installationId };
  }

  async beforeStart(guard: RunGuard, signal: AbortSignal): Promise<RunReceipt | undefined> {
    const { plan, digest, keys } = this.#sealed;
    const { store } = this.#staged.staging;
    // 1 A receipt: return it. Discarded: refuse. A promotion that was cut off is finished, because approvals are bound to T.
    const receipt = (await committedBefore(this.#staged, keys)) ?? (await this.#completedInLedger(guard));
    if (receipt !== undefined) return receipt;
    // 2 Read T, then every segment, and judge all. Held: nothing was sent.
    const tokens = await this.#tokens();
    // 5d early: a run that can never be sent need not be read. If it was sent before, 5c comes first.
    if ((await this.#batches()).size === 0) await this.#requireNewest(tokens);
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
    if (fate === "discard") throw discardedError(plan.runKey);
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
    const completed = await this.#completedInLedger(guard);
    if (completed !== undefined) return completed;
    // 5c A batch of mine was completed: abort, promote it, write the receipt. Aborted or unclear: its ids stay.
    const batchIds = await this.#batches();
    for (const [token, batchId] of batchIds) {
      const ended = endBatch(this.#parts.abort, batchId, batch.signal).catch(() => "unknown");
      if ((await ended) === "completed") return this.#finish(guard, token, batchId);
    }
    // 5d Another run was completed or is pending that this one does not follow: abort, refuse.
    const tokens = await this.#tokens();
    await this.#requireNewest(tokens);
    // 5e T is another one: abort, judge again.
    if (stateOf(tokens, plan.id) !== this.#judgedIn) return "again";
    // 5f Draft, by the guard; 6 send, by the run.
    return undefined;
  }

  /** 7 A durable pending: the guard has saved the ids. */
  async beforeComplete(guard: RunGuard, batchId: string): Promise<void> {
    const { token } = guard;
    if (!(await putJson(this.#staged.staging.store, this.#batchKey(token), { batchId })))
      throw new Error("The staging has stored the batch before.");
  }

  /** 8 CompleteSyncBatch and 9 promote, by the run; 10 put the receipt, delete the segments. */
  async completed(receipt: RunReceipt): Promise<void> {
    const { staging } = this.#staged;
    const { keys } = this.#sealed;
    const { clock, logger } = this.#parts.configuration;
    try {
      await withinGrace(clock, async () => {
        await putReceipt(staging.store, keys, { receipt });
        await this.#deleteSegments();
      });
    } catch (error) {
      logger.error(
        "saas-management: the batch was completed, but the staging could not note it; the next commit asks the service again",
        { error },
      );
    }
  }

  /** 5b Returns the receipt if the ledger has a batch of the run as completed. */
  async #completedInLedger(guard: RunGuard): Promise<RunReceipt | undefined> {
    const { id } = this.#sealed.plan;
    const tokens = await this.#tokens();
    const completed = tokens.find(({ kind, token }) => kind === "completed" && runOf(token) === id);
    const batches = await this.#batches();
    if (completed !== undefined)
      return this.#finish(guard, completed.token, batches.get(completed.token) ?? "");
    // A run of events has its watermarks only; they are stored after the completion.
    const { advanced } = this.#sealed;
    const [last] = [...batches].slice(-1);
    if (last === undefined || this.records.snapshots.length > 0 || advanced.size === 0) return undefined;
    const watermarks = await this.#watermarks();
    const isStored = [...advanced].every(([name, value]) => watermarks.get(name) === value);
    return isStored ? this.#finish(guard, ...last) : undefined;
  }

  /** Finishes what another attempt began: its batch was completed. */
  async #finish(guard: RunGuard, token: string, batchId: string): Promise<RunReceipt> {
    const { ledger } = this.#staged;
    await guard.completedBefore(token);
    await this.#storeWatermarks();
    const receipt = receiptOf({
      batchId,
      runKey: this.#sealed.plan.runKey,
      restarts: 0,
      durationMs: 0,
      waitedForLockMs: 0,
      ledger: ledger === "none" ? undefined : ledger.location,
      stats: statsOf(this.#sealed),
      expected: guard.figures,
      approved: guard.approvedRules,
      reported: {},
      guard: guard.isOn ? "on" : "off",
      surprises: [],
    });
    await this.completed(receipt);
    return receipt;
  }

  /** Those that a later run has stored stay. */
  async #storeWatermarks(): Promise<void> {
    const { plan, advanced } = this.#sealed;
    if (advanced.size === 0) return;
    const current = await this.#watermarks();
    const own = [...advanced].filter(([name]) => current.get(name) === plan.watermarks[name]);
    await storeWatermarks(this.#ledger, this.#scope, new Map(own), new AbortController().signal);
  }

  /** 5d */
  async #requireNewest(tokens: readonly RunToken[]): Promise<void> {
    const { plan, keys, advanced } = this.#sealed;
    const newer = tokens.filter(
      ({ token }) => runOf(token) !== plan.id && !plan.after.includes(runOf(token)),
    );
    const watermarks = advanced.size === 0 ? new Map() : await this.#watermarks();
    const isRead = [...advanced].some(
      ([name, value]) => ![plan.watermarks[name], value].includes(watermarks.get(name)),
    );
    if (newer.length === 0 && !isRead) return;
    if (isRead || newer.some(({ kind }) => kind === "completed")) {
      await putReceipt(this.#staged.staging.store, keys, { superseded: true });
      await this.#deleteSegments();
    }
    throw new SupersededError(plan);
  }

  /** What the ledger has of the snapshots of the run. */
  async #tokens(): Promise<readonly RunToken[]> {
    const { snapshots } = this.records;
    const tokens = await runTokens(this.#ledger, this.#scope);
    return tokens.filter(({ collection }) => snapshots.includes(collection));
  }

  #watermarks(): Promise<ReadonlyMap<EventCollection, string>> {
    return readWatermarks(this.#ledger, this.#scope);
  }

  /** The batches of the run that may have been completed: their ids, by their tokens. */
  async #batches(): Promise<ReadonlyMap<string, string>> {
    const { store } = this.#staged.staging;
    const prefix = this.#batchKey("");
    const batches = new Map<string, string>();
    for await (const key of store.list(prefix)) {
      const value = key.startsWith(prefix) ? await readJson(store, key) : undefined;
      const batchId: unknown = isObject(value) ? Reflect.get(value, "batchId") : undefined;
      if (typeof batchId === "string") batches.set(key.slice(prefix.length), batchId);
    }
    return batches;
  }

  #batchKey(token: string): string {
    return `${this.#sealed.keys.batches}${token}`;
  }

  async #deleteSegments(): Promise<void> {
    const { staging, plan } = this.#staged;
    if (!staging.keep) await deleteSegments(staging, plan);
  }
}

function statsOf({ segments }: SealedRun) {
  const reports = [...segments].flatMap(([collection, all]) =>
    all.map(({ records, bytes }) => ({ ...newReport(collection), sent: records, accepted: records, bytes })),
  );
  return statsByCollection(reports);
}
