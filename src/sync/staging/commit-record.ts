import { isObject } from "../../core/validate.js";
import { withinGrace } from "../call.js";
import { type EventCollection, isSnapshot, type SnapshotCollection } from "../collections.js";
import type { RunGuard } from "../guard/run-guard.js";
import type { InstallationScope } from "../ledger/entry.js";
import { runOf } from "../ledger/keys.js";
import type { LedgerParts } from "../ledger/ledger.js";
import { type RunToken, runTokens } from "../ledger/run-tokens.js";
import { readWatermarks, storeWatermarks } from "../ledger/watermark-entries.js";
import type { SyncConfiguration } from "../options.js";
import { type RunReceipt, receiptOf } from "../run/receipt.js";
import { newReport, statsByCollection } from "../write/options.js";
import { putReceipt, SupersededError } from "./outcome.js";
import { ledgerOf, type StagedParts } from "./parts.js";
import { deleteSegments } from "./runs.js";
import type { SealedRun } from "./sealed-run.js";
import { listKeys, putJson, readJson } from "./values.js";

/** What the staging and the ledger know of the commits of a run, of this process or another. */
export class CommitRecord {
  readonly #staged: StagedParts;
  readonly #sealed: SealedRun;
  readonly #configuration: SyncConfiguration;
  readonly #ledger: LedgerParts;
  readonly #scope: InstallationScope;
  readonly #snapshots: readonly SnapshotCollection[];

  /** @param configuration That of the client that commits. */
  constructor(staged: StagedParts, sealed: SealedRun, configuration: SyncConfiguration) {
    const { endpoint, installationId } = staged.plan;
    this.#staged = staged;
    this.#sealed = sealed;
    this.#configuration = configuration;
    this.#ledger = ledgerOf(staged.ledger);
    this.#scope = { endpoint, installationId };
    this.#snapshots = [...sealed.segments.keys()].filter(isSnapshot);
  }

  /** 5b Returns the receipt if the ledger has a batch of the run as completed. */
  async completedInLedger(guard: RunGuard): Promise<RunReceipt | undefined> {
    const { id } = this.#sealed.plan;
    const tokens = await this.tokens();
    const completed = tokens.find(({ kind, token }) => kind === "completed" && runOf(token) === id);
    const batches = await this.batches();
    if (completed !== undefined)
      return this.finish(guard, completed.token, batches.get(completed.token) ?? "");
    // A run of events has its watermarks only; they are stored after the completion.
    const { advanced } = this.#sealed;
    const [last] = [...batches].slice(-1);
    if (last === undefined || this.#snapshots.length > 0 || advanced.size === 0) return undefined;
    const watermarks = await this.#watermarks();
    const isStored = [...advanced].every(([name, value]) => watermarks.get(name) === value);
    return isStored ? this.finish(guard, ...last) : undefined;
  }

  /** Finishes what another attempt began: its batch was completed. */
  async finish(guard: RunGuard, token: string, batchId: string): Promise<RunReceipt> {
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

  /** 8 CompleteSyncBatch and 9 promote, by the run; 10 put the receipt, delete the segments. */
  async completed(receipt: RunReceipt): Promise<void> {
    const { staging } = this.#staged;
    const { keys } = this.#sealed;
    const { clock, logger } = this.#configuration;
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

  /** 5d */
  async requireNewest(tokens: readonly RunToken[]): Promise<void> {
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
  async tokens(): Promise<readonly RunToken[]> {
    const tokens = await runTokens(this.#ledger, this.#scope);
    return tokens.filter(({ collection }) => this.#snapshots.includes(collection));
  }

  /** The batches of the run that may have been completed: their ids, by their tokens. */
  async batches(): Promise<ReadonlyMap<string, string>> {
    const { store } = this.#staged.staging;
    const prefix = this.#batchKey("");
    const batches = new Map<string, string>();
    for (const key of await listKeys(store, prefix)) {
      const value = await readJson(store, key);
      const batchId: unknown = isObject(value) ? Reflect.get(value, "batchId") : undefined;
      if (typeof batchId === "string") batches.set(key.slice(prefix.length), batchId);
    }
    return batches;
  }

  /** Those that a later run has stored stay. */
  async #storeWatermarks(): Promise<void> {
    const { plan, advanced } = this.#sealed;
    if (advanced.size === 0) return;
    const current = await this.#watermarks();
    const own = [...advanced].filter(([name]) => current.get(name) === plan.watermarks[name]);
    await storeWatermarks(this.#ledger, this.#scope, new Map(own), new AbortController().signal);
  }

  #watermarks(): Promise<ReadonlyMap<EventCollection, string>> {
    return readWatermarks(this.#ledger, this.#scope);
  }

  /** 7 Notes a batch before its completion. */
  async note(token: string, batchId: string): Promise<void> {
    if (!(await putJson(this.#staged.staging.store, this.#batchKey(token), { batchId })))
      throw new Error("The staging has stored the batch before.");
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
