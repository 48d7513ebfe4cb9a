import type { GraphQLFaultKind, SyncFaultKind } from "./kinds.js";

/** The operations of the Sync API. */
export type SyncOperation = "StartSyncBatch" | "SyncRecords" | "CompleteSyncBatch" | "AbortSyncBatch";

/** All operations of the Sync API. */
export const SYNC_OPERATIONS = [
  "StartSyncBatch",
  "SyncRecords",
  "CompleteSyncBatch",
  "AbortSyncBatch",
] as const satisfies readonly SyncOperation[];

/** Which of the matching calls a fault strikes, and how often it must. */
export interface FaultTarget {
  /**
   * The first call that is struck, counted from 1 among the matching calls since the fault was added.
   * @default 1
   */
  readonly nth?: number;
  /**
   * How many matching calls in a row are struck.
   * @default 1
   */
  readonly times?: number;
  /**
   * How many calls must have been struck when `assertFired()` is called: 0 to `times`.
   * @default 1
   */
  readonly atLeast?: number;
}

/** A fault of the Sync API. */
export interface SyncFault extends FaultTarget {
  /** The API whose calls are struck. */
  readonly api: "sync";
  /** The operation whose calls are struck. @default every operation */
  readonly operation?: SyncOperation;
  /**
   * Strikes within a `SyncRecords` stream, at its message of this number, counted from 1: before the message is applied
   * (`at: "request"`) or after (`at: "answer"`). `nth` and `times` then count streams with so many messages.
   * @default the call as a whole
   */
  readonly message?: number;
  /** What happens. */
  readonly kind: SyncFaultKind;
}

/** A fault of the GraphQL API. */
export interface GraphQLFault extends FaultTarget {
  /** The API whose requests are struck. */
  readonly api: "graphql";
  /**
   * Name of the operation in the document, such as `Applications`.
   * @default every request
   */
  readonly operation?: string;
  /** What happens. */
  readonly kind: GraphQLFaultKind;
}

/** What to break, where and when: plain data that survives JSON. */
export type Fault = SyncFault | GraphQLFault;

/** A fault that was added. */
export interface FaultHandle {
  /** A copy of what was added. */
  readonly fault: Fault;
  /** How many calls it has struck so far. */
  readonly firings: number;
}

/** A list of faults: plain data that survives JSON. */
export interface FaultSchedule {
  /** The seed of a generated list; undefined for a list that was written by hand. */
  readonly seed?: number;
  /** The faults, in the order in which they are added. */
  readonly faults: readonly Fault[];
}

/**
 * Injects faults into the reference server, to test an integration against failing networks and servers.
 *
 * ```ts
 * server.faults.add({
 *   api: "sync",
 *   operation: "CompleteSyncBatch",
 *   kind: { type: "grpc-status", code: 14, at: "answer" },   // completed, but the answer is lost
 * });
 * // …
 * server.faults.assertFired();
 * ```
 */
export interface FaultInjector {
  /**
   * Adds a fault. If several match a call, they strike in the order in which they were added until one ends the call;
   * the others strike the next matching call. The fault is copied.
   * @throws {TypeError} the fault has an unknown key or makes no sense, such as an HTTP status for the Sync API
   */
  add(fault: Fault): FaultHandle;
  /**
   * Adds all faults of a schedule, or none.
   * @throws {TypeError} the schedule or one of its faults is invalid
   */
  schedule(schedule: FaultSchedule): readonly FaultHandle[];
  /** The faults that have struck fewer calls than their `atLeast` since the last `clear()`. */
  unfired(): readonly FaultHandle[];
  /**
   * Asserts that the faults of the test have struck.
   * @throws {Error} lists the faults that have struck too few calls
   */
  assertFired(): void;
  /** Removes all faults. Handles keep their counts. */
  clear(): void;
}
