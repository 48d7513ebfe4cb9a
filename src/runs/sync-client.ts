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

/** Defaults of every run, batch and preview, and how the Sync API is spoken: the field `sync` of the client's options. */
export interface SyncDefaults extends SyncTuning, Pick<JudgeOptions, "ledger" | "guard" | "onHeld"> {
  /** Id of the direct integration installation that runs and batches are for. @default none: each call names it */
  readonly installationId?: string | undefined;
  /** Where runs keep what their connectors write until it was judged and sent. @default a temporary file after 4 MiB */
  readonly spool?: SpoolOptions | undefined;
}

/** Pushes the data of custom connectors (service description, "Sync API"); `client.sync`. */
export interface SyncClient {
  /**
   * Pushes everything in one call. A run extracts, is judged, and only then sends.
   *
   * 1. The connector is called once. What it writes is checked, encoded and kept on this machine, in memory and then in a
   *    temporary file. There is no batch and no lock meanwhile: a source may take hours.
   * 2. All snapshots are compared with the ledger together. If the guard holds one, nothing was sent.
   * 3. A batch is started, everything is sent, and the batch is completed (service description, rule 8).
   *
   * - `connector.snapshots` declares the snapshot collections of the run. Each is written exactly once, in full; the run
   *   fails if one is missing, undeclared or written twice.
   * - If the batch fails transiently, or cannot be started, it is aborted, and what was read is sent again in a new one until
   *   `retryForMs` is over. Snapshots are sent again in full, events without those that were accepted. The connector is not
   *   called for it.
   * - If another run completed a collection of this one while it read its source, or moved a watermark that it was given,
   *   the run fails: what it read may be older. With `ledger: "none"` nobody notices it: runs must not overlap then.
   * - An exception of the connector and the signal's reason are rethrown unchanged; nothing was sent.
   *
   * @example
   * ```ts
   * const ledger = fileLedger("ledger");
   * await client.sync.run(
   *   { snapshots: ["accounts"], run: (batch) => batch.write("accounts", accounts) },
   *   { installationId, ledger, firstRun: process.argv.includes("--first-run") },
   * );
   * ```
   * @throws {InvalidInputError} an option is wrong, or the connector did not keep to its `snapshots`
   * @throws {RunHeldError} the guard held the run
   * @throws {SpoolError} the folder of the temporary file is full, missing or read-only
   * @throws {RunOutdatedError} another run completed one of its collections meanwhile
   * @throws everything that `startBatch`, `write` and `complete` throw, when `retryForMs` is over
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
   * would end a run, are noted, and the preview continues. The ledger is read and never changed. Memory is bounded: three
   * messages, and up to about 75 bytes per id.
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
   * Reads what the ledger knows of the installation: the last completed runs, and what is held. It needs no credential.
   * @throws {InvalidInputError} an option is missing or wrong
   * @throws {ConfigurationError} the ledger is damaged
   */
  history(options?: Pick<RunOptions, "installationId" | "ledger" | "signal">): Promise<RunHistory>;

  /**
   * Acquires the installation's lock and starts a batch, without retries by batch, guard and ledger. Records are sent while they
   * are read: what a batch that is not completed has added stays for good, unless a completed snapshot once contained it.
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
   * Aborts a batch that another process began and left, and so releases its lock. Make sure that nothing writes to it any
   * more: what it added stays for good, unless a completed snapshot once contained it.
   * @throws {BatchStateError} the batch has ended already
   * @throws {InvalidInputError} no batch id, or an option is wrong
   * @throws {SyncProtocolError} the service does not know the batch
   * @throws {AuthenticationError | PermissionDeniedError | TransportError | TimeoutError | ClosedError}
   */
  abortBatch(
    batchId: string,
    options?: Pick<BatchOptions, "signal" | "timeoutMs" | "headers">,
  ): Promise<void>;
}
