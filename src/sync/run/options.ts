import { InvalidInputError } from "../../core/errors/index.js";
import type { KeysOf } from "../../core/validate.js";
import { BATCH_KEYS, type StartBatchOptions } from "../batch/start.js";
import type { SnapshotCollection } from "../collections.js";
import { notSnapshotsError } from "../collections.js";
import { WIRE } from "../generated/collections.js";
import type { SafetyOptions } from "../guard/safety-options.js";
import type { RunBatch } from "./run-batch.js";

/** How many times a batch that failed transiently is started anew, unless the caller says otherwise. */
export const DEFAULT_RESTARTS = 2;

/** Options of {@link SyncClient.run}. */
export interface RunOptions<Snapshots extends SnapshotCollection = SnapshotCollection>
  extends Omit<StartBatchOptions, "timeoutMs">,
    SafetyOptions {
  /** The snapshot collections of this run: each is written exactly once, as a whole. */
  readonly snapshots: readonly Snapshots[];
  /**
   * How many times a batch that failed transiently is started anew. Unless it is 0, the run remembers which events were
   * accepted: 21 to 32 bytes for each different one.
   * @default 2
   */
  readonly restarts?: number | undefined;
  /** How long the run may take with all its restarts and waits, in milliseconds. @default no limit */
  readonly maxDurationMs?: number | undefined;
  /** Whether SIGINT and SIGTERM abort the batch; a second one ends the process as ever. @default false */
  readonly signals?: boolean | undefined;
}

/** The names of {@link RunOptions}. */
export const RUN_KEYS = {
  ...BATCH_KEYS,
  installationId: true,
  waitForLockMs: true,
  signal: true,
  ledger: true,
  guard: true,
  approveRemovals: true,
  snapshots: true,
  restarts: true,
  maxDurationMs: true,
  signals: true,
} satisfies KeysOf<RunOptions>;

/** What a run's function is told. */
export interface RunAttempt {
  /** Number of the attempt, from 1. */
  readonly number: number;
  /** Fires when the attempt is over: for whatever feeds it. */
  readonly signal: AbortSignal;
  /**
   * Whether this is a preview, of which nothing is sent: a function with side effects of its own, such as a mark where
   * it stopped reading, leaves them out then.
   */
  readonly preview: boolean;
}

/**
 * The function of a run: writes everything, from the beginning, each time it is called. What it returns is awaited, and
 * the value is of no interest, so that `(batch) => batch.write(…)` will do. A write whose promise it drops is waited
 * for all the same, and its failure fails the attempt.
 */
export type RunFunction<Snapshots extends SnapshotCollection> = (
  batch: RunBatch<Snapshots>,
  attempt: RunAttempt,
) => unknown;

/**
 * Checks the options that are the run's own.
 * @throws {InvalidInputError} naming the option and what is allowed
 */
export function checkRunOptions({
  restarts = DEFAULT_RESTARTS,
  maxDurationMs,
  signals,
}: Pick<RunOptions, "restarts" | "maxDurationMs" | "signals">): void {
  if (!Number.isInteger(restarts) || restarts < 0) {
    throw new InvalidInputError("restarts must be a whole number, 0 or more.");
  }
  if (maxDurationMs !== undefined && !(Number.isFinite(maxDurationMs) && maxDurationMs > 0)) {
    throw new InvalidInputError("maxDurationMs must be a positive, finite number of milliseconds.");
  }
  if (signals !== undefined && typeof signals !== "boolean")
    throw new InvalidInputError("signals must be true or false.");
}

/**
 * Checks what a run declares, before it takes the lock.
 * @returns a copy, with each collection once: what becomes of the caller's list while the run is under way is not
 *   heeded
 * @throws {InvalidInputError} it is no list of snapshot collections
 */
export function checkSnapshots<Snapshots extends SnapshotCollection>(
  snapshots: readonly Snapshots[],
): readonly Snapshots[] {
  const names: readonly string[] = Object.entries(WIRE)
    .filter(([, { model }]) => model === "snapshot")
    .map(([name]) => name);
  // The types say so already; a caller without types may not.
  const isList: boolean = Array.isArray(snapshots);
  const declared = isList ? [...snapshots] : [];
  if (isList && declared.every((name) => names.includes(name))) return [...new Set(declared)];
  throw notSnapshotsError(isList ? declared : snapshots, names);
}

/**
 * Checks what writes the batch.
 * @param caller Method that was given it.
 * @throws {InvalidInputError} it is no function
 */
export function checkRunFunction(caller: string, fn: unknown): void {
  if (typeof fn === "function") return;
  throw new InvalidInputError(
    `${caller} takes a function as its second argument: it writes to the batch it is given.`,
  );
}
