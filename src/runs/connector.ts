import { InvalidInputError } from "../core/errors/index.js";
import { describeType, isObject, isPlainObject } from "../core/validate.js";
import {
  type Collection,
  type EventCollection,
  notSnapshotsError,
  type RecordOf,
  type SnapshotCollection,
} from "../sync/collections.js";
import { WIRE } from "../sync/generated/collections.js";
import type { CollectionWriter } from "../sync/write/collection-writer.js";
import type { WriteOptions, WriteStats } from "../sync/write/options.js";
import type { RecordSource } from "../sync/write/source.js";
import { RUN_OPTIONS } from "./options.js";

/**
 * The batch that a run's connector writes to. Nothing is sent while the connector writes.
 *
 * Write each declared snapshot collection exactly once, in full, and event collections as often as you like.
 */
export interface RunBatch<Snapshots extends SnapshotCollection = SnapshotCollection> {
  /** Fires when the run accepts no more records: the connector returned, or the run ended. Pass it to your requests. */
  readonly signal: AbortSignal;
  /** What you've written so far, per collection. The records are sent only after all of them have been judged. */
  readonly stats: Partial<Record<Collection, WriteStats>>;
  /**
   * See {@link SyncBatch.write}. Resolves once the records are checked and stored, and counts those that will be sent.
   * @throws {InvalidInputError} the snapshot collection isn't declared, or was already written
   */
  write<C extends Snapshots | EventCollection>(
    collection: C,
    source: RecordSource<RecordOf<C>>,
    options?: WriteOptions,
  ): Promise<WriteStats>;
  /**
   * See {@link SyncBatch.writer}.
   * @throws {InvalidInputError} the snapshot collection isn't declared, or was already written
   */
  writer<C extends Snapshots | EventCollection>(collection: C, options?: WriteOptions): CollectionWriter<C>;
}

/** What a connector receives besides the batch. */
export interface RunContext {
  /** Whether this is a preview, which sends nothing: skip side effects such as saving a position. */
  readonly preview: boolean;
  /** Fires when the run accepts no more records: the connector returned, or the run ended. */
  readonly signal: AbortSignal;
  /**
   * Returns the point from which to send events: the value that this installation's last completed run stored for the
   * collection.
   *
   * @example
   * ```ts
   * run: async (batch, { watermark, advance }) => {
   *   const until = new Date().toISOString();
   *   const since = watermark("usage");
   *   await batch.write("usage", fetchUsage({ since, until }));
   *   advance("usage", until);
   * }
   * ```
   * @returns undefined if no run has stored a watermark, or without a ledger
   * @throws {InvalidInputError} `name` isn't a collection of events
   */
  watermark(name: EventCollection): string | undefined;
  /**
   * Records how far you've read the events of a collection. It's stored only when the run completes: after a held,
   * aborted, failed or unclear run, the next run sends the same events again. A preview ignores it.
   * @param value A time, a cursor or another string of 1 to 1,000 characters. The last call counts.
   * @throws {InvalidInputError} `name` isn't a collection of events, the value is invalid, or the run has no ledger
   */
  advance(name: EventCollection, value: string): void;
}

/** A connector for runs and previews: the snapshots that it writes, and the function that writes everything. */
export interface Connector<S extends SnapshotCollection = never> {
  /** The snapshot collections that it writes, each exactly once and in full. Events need no declaration. */
  readonly snapshots: readonly S[];
  /**
   * Writes everything, from the beginning, each time it's called. The run awaits the result and ignores its value, so
   * `(batch) => batch.write(…)` will do. A run also waits for writes that the connector doesn't await, and fails if one
   * of them fails.
   */
  run(batch: RunBatch<S>, context: RunContext): Promise<unknown>;
}

/**
 * Infers the declared collections of a connector that you keep in a variable or a separate module.
 *
 * @example
 * ```ts
 * export const connector = defineConnector({
 *   snapshots: ["accounts"],
 *   run: (batch) => batch.write("accounts", fetchAccounts()),
 * });
 * ```
 * @returns the same object
 */
export function defineConnector<const S extends SnapshotCollection = never>(
  connector: Connector<S>,
): Connector<S> {
  return connector;
}

/**
 * Checks a connector, and copies its list of snapshots.
 * @param caller The method that received the connector.
 * @throws {InvalidInputError} it isn't an object with `snapshots` and `run`, or it contains an option of the run
 */
export function readConnector<S extends SnapshotCollection>(
  caller: string,
  connector: Connector<S>,
): Connector<S> {
  // Untyped callers may pass anything.
  const run: unknown = isObject(connector) ? connector.run : undefined;
  if (typeof run !== "function") {
    throw new InvalidInputError(
      `${caller} needs a connector as its first argument: { snapshots, run(batch) }, got ${isObject(connector) ? "an object without a function run" : describeType(connector)}.`,
    );
  }
  const option =
    isPlainObject(connector) && Object.keys(connector).find((key) => Object.hasOwn(RUN_OPTIONS, key));
  if (typeof option === "string")
    throw new InvalidInputError(
      `${option} is an option of ${caller}: pass it in the second argument, not in the connector.`,
    );
  const snapshots = readSnapshots(connector.snapshots);
  return { snapshots, run: (batch, context) => connector.run(batch, context) };
}

function readSnapshots<S extends SnapshotCollection>(snapshots: readonly S[]): readonly S[] {
  const names: readonly string[] = Object.entries(WIRE)
    .filter(([, { model }]) => model === "snapshot")
    .map(([name]) => name);
  const isList: boolean = Array.isArray(snapshots);
  const declared = isList ? [...snapshots] : [];
  if (isList && declared.every((name) => names.includes(name))) return [...new Set(declared)];
  throw notSnapshotsError(isList ? declared : snapshots, names);
}
