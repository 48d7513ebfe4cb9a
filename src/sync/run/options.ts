import { InvalidInputError } from "../../core/errors/index.js";
import type { KeysOf } from "../../core/validate.js";
import { BATCH_KEYS, type StartBatchOptions } from "../batch/start.js";
import type { SnapshotCollection } from "../collections.js";
import { notSnapshotsError } from "../collections.js";
import { WIRE } from "../generated/collections.js";
import type { SafetyOptions } from "../guard/rules.js";
import type { RunBatch } from "./declared-batch.js";

/** Number of restarts by default. */
export const DEFAULT_RESTARTS = 2;

/** Options of {@link SyncClient.run}. */
export interface RunOptions<Snapshots extends SnapshotCollection = SnapshotCollection>
  extends Omit<StartBatchOptions, "timeoutMs">,
    SafetyOptions {
  /** The snapshot collections of this run: each is written exactly once, in full. */
  readonly snapshots: readonly Snapshots[];
  /**
   * How many times a batch that failed transiently is started again. Unless it is 0, the run remembers which events were
   * accepted: 21 to 32 bytes for each different one.
   * @default 2
   */
  readonly restarts?: number | undefined;
  /** How long the run may take with all restarts and waits, in milliseconds. @default no limit */
  readonly maxDurationMs?: number | undefined;
  /** Whether SIGINT and SIGTERM abort the batch; a second one ends the process as usual. @default false */
  readonly stopOnSignals?: boolean | undefined;
}

/** The names of {@link RunOptions}. */
export const RUN_KEYS = {
  ...BATCH_KEYS,
  installationId: true,
  waitForLockMs: true,
  signal: true,
  ledger: true,
  guard: true,
  approve: true,
  snapshots: true,
  restarts: true,
  maxDurationMs: true,
  stopOnSignals: true,
} satisfies KeysOf<RunOptions>;

/** One attempt of a run, for its function. */
export interface RunContext {
  /** Number of the attempt, from 1. */
  readonly attempt: number;
  /** Fires when the attempt has ended. */
  readonly signal: AbortSignal;
  /** Whether this is a preview, in which nothing is sent: leave out side effects such as saving a position. */
  readonly preview: boolean;
}

/**
 * The function of a run: writes everything, from the beginning, each time it is called. Its return value is awaited and
 * otherwise ignored, so `(batch) => batch.write(…)` will do. The run also waits for writes that it does not await, and
 * fails if one of them fails.
 */
export type RunFunction<Snapshots extends SnapshotCollection> = (
  batch: RunBatch<Snapshots>,
  attempt: RunContext,
) => unknown;

/**
 * Checks the options that only runs have, and copies the list of snapshots.
 * @throws {InvalidInputError} naming the option and what is allowed
 */
export function resolveRunOptions<Snapshots extends SnapshotCollection>(
  options: RunOptions<Snapshots>,
): RunOptions<Snapshots> {
  const { restarts = DEFAULT_RESTARTS, maxDurationMs, stopOnSignals: signals } = options;
  if (!Number.isInteger(restarts) || restarts < 0)
    throw new InvalidInputError("restarts must be an integer of 0 or more.");
  if (maxDurationMs !== undefined && !(Number.isFinite(maxDurationMs) && maxDurationMs > 0))
    throw new InvalidInputError("maxDurationMs must be a positive number of milliseconds.");
  if (signals !== undefined && typeof signals !== "boolean")
    throw new InvalidInputError("signals must be true or false.");
  return { ...options, snapshots: checkSnapshots(options.snapshots) };
}

/**
 * Checks the declared snapshots.
 * @returns a copy with each collection once
 * @throws {InvalidInputError} it is not an array of snapshot collections
 */
export function checkSnapshots<Snapshots extends SnapshotCollection>(
  snapshots: readonly Snapshots[],
): readonly Snapshots[] {
  const names: readonly string[] = Object.entries(WIRE)
    .filter(([, { model }]) => model === "snapshot")
    .map(([name]) => name);
  // Callers without types may pass anything.
  const isList: boolean = Array.isArray(snapshots);
  const declared = isList ? [...snapshots] : [];
  if (isList && declared.every((name) => names.includes(name))) return [...new Set(declared)];
  throw notSnapshotsError(isList ? declared : snapshots, names);
}

/**
 * Checks the function that writes the batch.
 * @param caller The method that received it.
 * @throws {InvalidInputError} it is not a function
 */
export function checkRunFunction(caller: string, fn: unknown): void {
  if (typeof fn === "function") return;
  throw new InvalidInputError(
    `${caller} needs a function as its second argument, which writes to the batch that it receives.`,
  );
}
