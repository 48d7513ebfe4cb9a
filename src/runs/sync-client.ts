/// <reference lib="esnext.disposable" preserve="true" />
import type { BatchOptions } from "../sync/batch/start.js";
import type { SyncBatch } from "../sync/batch/sync-batch.js";
import type { SnapshotCollection } from "../sync/collections.js";
import type { SyncTuning } from "../sync/options.js";
import type { Connector } from "./connector.js";
import type { JudgeOptions } from "./guard/rules.js";
import type { RunHistory } from "./history.js";
import type { PreviewOptions, RunOptions } from "./options.js";
import type { RunPreview } from "./preview/report.js";
import type { RunReceipt } from "./receipt.js";
import type { SpoolOptions } from "./spool.js";

/**
 * Defaults for every run, batch and preview, and settings of the Sync API: the field `sync` of the client's
 * options.
 */
export interface SyncDefaults extends SyncTuning, Pick<JudgeOptions, "ledger" | "guard" | "onHeld"> {
  /** Id of the direct integration installation. @default none: pass it to each call */
  readonly installationId?: string | undefined;
  /** Where a run keeps its records until it sends them. @default a temporary file after 4 MiB */
  readonly spool?: SpoolOptions | undefined;
}

/** Pushes the data of custom connectors (service description, "Sync API"); `client.sync`. */
export interface SyncClient {
  /**
   * Pushes everything in one call. A run extracts, is judged, and only then sends.
   *
   * 1. The run calls the connector once. It checks and encodes the records and keeps them on this machine, in memory
   *    and then in a temporary file. Meanwhile there is no batch and no lock: a source may take hours.
   * 2. It compares all snapshots with the ledger. If the guard holds one, nothing is sent.
   * 3. It starts a batch, sends everything, and completes the batch (service description, rule 8).
   *
   * - `connector.snapshots` declares the snapshot collections of the run. Write each exactly once, in full; the run
   *   fails if one is missing, undeclared or written twice.
   * - If the batch fails transiently or can't be started, the run aborts it and sends the same records in a new one,
   *   until `retryForMs` has elapsed. It sends snapshots in full, and events that weren't accepted yet. It doesn't call
   *   the connector again.
   * - If another run completes one of the same collections while this one reads its source, or moves a watermark that
   *   this one was given, the run fails, because its data may be older. With `ledger: "none"`, nothing notices
   *   this, so don't let runs overlap.
   * - Errors of the connector, and the signal's reason, are rethrown unchanged; nothing is sent.
   *
   * @example
   * ```ts
   * const firstRun = process.argv.includes("--first-run");
   * await client.sync.run(
   *   {
   *     snapshots: ["accounts"],
   *     run: (batch) => batch.write("accounts", accounts),
   *   },
   *   { installationId, ledger: fileLedger("ledger"), firstRun },
   * );
   * ```
   * @throws {InvalidInputError} an option is wrong, or the connector didn't write what `snapshots` declares
   * @throws {RunHeldError} the guard held the run
   * @throws {SpoolError} the folder of the temporary file is full, missing or read-only
   * @throws {RunOutdatedError} another run completed one of its collections in the meantime
   * @throws everything that `startBatch`, `write` and `complete` throw; transient errors once `retryForMs` has elapsed
   */
  run<const S extends SnapshotCollection = never>(
    connector: Connector<S>,
    options?: RunOptions,
  ): Promise<RunReceipt>;

  /**
   * Calls the connector without sending anything, and reports what a run would do: what it would send, add and remove,
   * whether the guard would hold it, and which records have problems. It needs no credential.
   *
   * It checks, encodes and compares the records as a run does, and then drops them. Invalid records and duplicate ids
   * would end a run; the preview lists them and continues. It reads the ledger and never changes it. It uses memory for
   * three messages, and up to about 75 bytes per id.
   * @throws {InvalidInputError} an option is invalid, the connector did not write its `snapshots`, or an
   *   `expectedCount` differs
   * @throws {BatchStateError} a write failed, and the connector continued
   * @throws errors of the connector and of sources, and the signal's reason, unchanged
   */
  preview<const S extends SnapshotCollection = never>(
    connector: Connector<S>,
    options?: PreviewOptions,
  ): Promise<RunPreview>;

  /**
   * Reads what the ledger knows about the installation: the last completed runs, and what is held. It needs no
   * credential.
   * @throws {InvalidInputError} an option is missing or wrong
   * @throws {ConfigurationError} the ledger is damaged
   */
  history(options?: Pick<RunOptions, "installationId" | "ledger" | "signal">): Promise<RunHistory>;

  /**
   * Acquires the installation's lock and starts a batch, without a guard, a ledger or retries of the whole batch. A
   * write sends records while it reads them. If the batch isn't completed, they stay for good, unless a completed
   * snapshot once contained them.
   *
   * If you give up or time runs out, the call rejects at once. The request continues, and if it still starts a batch,
   * the client aborts it, so that no lock is left.
   *
   * @example
   * ```ts
   * await using batch = await client.sync.startBatch({ installationId });
   * await batch.write("accounts", accounts);
   * await batch.complete();
   * ```
   * @throws {InvalidInputError} no installation id, or another option is wrong
   * @throws {BatchInProgressError} another batch of the installation is still in progress after `waitForLockMs`
   * @throws {AuthenticationError | PermissionDeniedError | TransportError | TimeoutError | ClosedError}
   */
  startBatch(options?: BatchOptions): Promise<SyncBatch>;

  /**
   * Aborts a batch that another process left behind, which releases its lock. Make sure that nothing writes to it any
   * more: records that it added stay for good, unless a completed snapshot once contained them.
   * @throws {BatchStateError} the batch has ended already
   * @throws {InvalidInputError} no batch id, or an option is wrong
   * @throws {SyncProtocolError} the service doesn't know the batch
   * @throws {AuthenticationError | PermissionDeniedError | TransportError | TimeoutError | ClosedError}
   */
  abortBatch(
    batchId: string,
    options?: Pick<BatchOptions, "signal" | "timeoutMs" | "headers">,
  ): Promise<void>;
}
