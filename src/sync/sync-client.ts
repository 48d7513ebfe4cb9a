/// <reference lib="esnext.disposable" preserve="true" />
import type { BatchOptions } from "./batch/start.js";
import type { SyncBatch } from "./batch/sync-batch.js";
import type { SnapshotCollection } from "./collections.js";
import type { JudgeOptions } from "./guard/rules.js";
import type { SyncTuning } from "./options.js";
import type { RunPreview } from "./preview/report.js";
import type { Connector } from "./run/connector.js";
import type { RunHistory } from "./run/history.js";
import type { CommitOptions, PreviewOptions } from "./run/options.js";
import type { RunReceipt } from "./run/receipt.js";
import type { Plan, PlanOptions } from "./staging/plan.js";
import type { StagedRun } from "./staging/staged-run.js";
import type { RunOptions, Staging } from "./staging/staging.js";

/** Defaults of every run, batch and preview, and how the Sync API is spoken: the field `sync` of the client's options. */
export interface SyncDefaults extends SyncTuning, Pick<JudgeOptions, "ledger" | "guard" | "onHeld"> {
  /** Id of the direct integration installation that runs and batches are for. @default none: each call names it */
  readonly installationId?: string | undefined;
}

/** Pushes the data of custom connectors (service description, "Sync API"); `client.sync`. */
export interface SyncClient {
  /**
   * Pushes everything in one call: starts a batch, calls the connector to write, completes the batch when `run` returns,
   * and aborts it when it throws (service description, rule 8).
   *
   * - `connector.snapshots` declares the snapshot collections of the run. Each is written exactly once, in full; the
   *   batch is not completed if one is missing, undeclared or written twice.
   * - If the batch itself fails transiently (a window, the lease, the completion; not an exception of the connector), it
   *   is aborted and the connector is called again with a new one, up to `restarts` times. Snapshots are sent again in
   *   full; events that an earlier attempt got accepted are left out, each as often as it was accepted.
   * - An exception of the connector and the signal's reason are rethrown unchanged.
   *
   * @example
   * ```ts
   * const ledger = fileLedger("ledger");
   * await client.sync.run(
   *   { snapshots: ["accounts"], run: (batch) => batch.write("accounts", accounts) },
   *   { installationId, ledger, firstRun: process.argv.includes("--first-run") },
   * );
   * ```
   * @throws {InvalidInputError} an option is missing or wrong, or the connector did not keep to its `snapshots`
   * @throws {RunHeldError} the guard held the run
   * @throws everything that `startBatch`, `write` and `complete` throw, when the restarts are used up
   */
  run<const S extends SnapshotCollection = never>(
    connector: Connector<S>,
    options?: RunOptions,
  ): Promise<RunReceipt>;

  /**
   * Calls the connector of a run without sending anything, and reports what the run would do: what it would send, add
   * and remove, whether the guard would hold it, and which records have problems. It needs no credential.
   *
   * The records are checked, encoded and compared as in a run, and then dropped. Invalid records and duplicate ids, which
   * would end a run, are noted, and the preview continues. The ledger is read and never changed. Memory is bounded as in
   * a run: two windows, and up to about 75 bytes per id.
   * @throws {InvalidInputError} an option is invalid, the connector did not write its `snapshots`, or an `expectedCount`
   *   differs
   * @throws {BatchStateError} a write failed, and the connector continued
   * @throws errors of the connector and of sources, and the signal's reason, unchanged
   */
  preview<const S extends SnapshotCollection = never>(
    connector: Connector<S>,
    options?: PreviewOptions,
  ): Promise<RunPreview>;

  /**
   * Opens a run whose records are extracted first, by any number of processes, and then sent by one commit. All that open
   * it with the same `runKey` get the same run; a discarded run is opened anew.
   *
   * @example
   * ```ts
   * const staged = await client.sync.stage(fileStaging("staging"), {
   *   runKey: "nightly 2026-11-22",
   *   version: "acme-connector 3.1",
   *   partitions: { accounts: ["a-m", "n-z"] },
   * });
   * await staged.extract("accounts", "a-m", fetchAccounts("a", "m"));
   * ```
   * @throws {InvalidInputError} an option is invalid, or the run was opened before with another plan
   * @throws {ConfigurationError} the staging or the ledger cannot be read or written
   */
  stage<const P extends Plan>(staging: Staging, options: PlanOptions<P>): Promise<StagedRun<P>>;

  /**
   * Judges a staged run and sends it. If the guard holds it, nothing was sent, and it can be committed later with
   * `approve`. If the process dies, commit again: the records are not extracted again. A run that was committed before,
   * also by another process, returns its receipt.
   *
   * @example
   * ```ts
   * const receipt = await client.sync.commit(staged, { waitForLockMs: 60_000 });
   * ```
   * @throws {InvalidInputError} partitions are missing, two of them have one id with different contents, the run was
   *   discarded, or another run was completed since it was opened
   * @throws {RunHeldError} the guard held the run
   * @throws everything that `startBatch`, `write` and `complete` throw, when the restarts are used up
   */
  commit(staged: StagedRun, options?: CommitOptions): Promise<RunReceipt>;

  /**
   * Reads what the ledger knows of the installation: the last completed runs, and what is held. It needs no credential.
   * @throws {InvalidInputError} an option is missing or wrong
   * @throws {ConfigurationError} the ledger is damaged
   */
  history(options?: Pick<RunOptions, "installationId" | "ledger" | "signal">): Promise<RunHistory>;

  /**
   * Acquires the installation's lock and starts a batch, without restarts, guard and ledger.
   *
   * If the caller gives up or the time is up, the call rejects at once. The request itself goes on, and a batch that it
   * still starts is aborted, so that no lock is left.
   *
   * @example
   * ```ts
   * await using batch = await client.sync.startBatch({ installationId });
   * await batch.write("accounts", accounts);
   * await batch.complete();
   * ```
   * @throws {InvalidInputError} no installation id, or another option is wrong
   * @throws {BatchInProgressError} another batch of the installation is in progress, and was for `waitForLockMs`
   * @throws {AuthenticationError | PermissionDeniedError | TransportError | TimeoutError | ClosedError}
   */
  startBatch(options?: BatchOptions): Promise<SyncBatch>;

  /**
   * Takes over a batch that another handle started: the handle that is returned is the only one that may write to it.
   * Nothing is sent: the first call shows whether the batch is active. Its lease is counted from now, so it may end
   * earlier than it says. `complete()` needs `{ unverified: true }`.
   *
   * A handle of the same client, also that of a run, is refused from then on (`BatchStateError`, reason `taken-over`). One
   * of another process is not told: the service refuses only a write of it that began before a write of this handle and
   * is not done yet. Make sure that the other process has stopped.
   * @throws {InvalidInputError} no batch id, or another option is wrong
   * @throws {ClosedError} the client was closed
   */
  openBatch(batchId: string, options: BatchOptions & { readonly takeOver: true }): SyncBatch;
  /**
   * Returns a handle on a batch that another process started, to abort it. Nothing is sent before that, so its state is
   * `unknown` until then. To write, use `takeOver: true`: a batch has one writer.
   * @throws {InvalidInputError} no batch id, or another option is wrong; `maxIdleMs` needs `takeOver: true`
   * @throws {ClosedError} the client was closed
   */
  openBatch(
    batchId: string,
    options?: BatchOptions,
  ): Pick<SyncBatch, "id" | "state" | "abort" | "close"> & AsyncDisposable;
}
