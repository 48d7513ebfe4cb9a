import type { GraphQLFaultKind } from "./graphql-kinds.js";
import type { SyncFaultKind } from "./sync-kinds.js";

/** The operations of the Sync API. */
export type SyncOperation = "StartSyncBatch" | "SyncRecords" | "CompleteSyncBatch" | "AbortSyncBatch";

/** All of them. */
export const SYNC_OPERATIONS = [
  "StartSyncBatch",
  "SyncRecords",
  "CompleteSyncBatch",
  "AbortSyncBatch",
] as const satisfies readonly SyncOperation[];

/** Which of the matching calls a fault strikes, and how often it has to. */
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
   * How many calls it must have struck when `assertFired()` is called: 0 to `times`.
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
   * Strikes in the middle of a `SyncRecords` stream: when its message of this number comes, counted from 1, before it
   * is applied (`at: "request"`) or after (`at: "answer"`). `nth` and `times` then count streams that have so many
   * messages.
   * @default the call as a whole
   */
  readonly message?: number;
  /** What happens to it. */
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
  /** What happens to it. */
  readonly kind: GraphQLFaultKind;
}

/** What to break, where and when: plain data, which survives JSON. */
export type Fault = SyncFault | GraphQLFault;

/** A fault that was added. */
export interface FaultHandle {
  /** A copy of what was added. */
  readonly fault: Fault;
  /** How many calls it has struck so far. */
  readonly firings: number;
}

/** A list of faults: plain data, which survives JSON. */
export interface FaultSchedule {
  /** What the list was drawn from; undefined where it was written by hand. */
  readonly seed?: number;
  /** The faults, in the order in which they are added. */
  readonly faults: readonly Fault[];
}

/**
 * Faults to be injected into the reference server, so that an integration can be tested against what networks and
 * servers do.
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
   * Adds a fault. Where several match a call, they strike in the order in which they were added, until one ends it;
   * those that did not come to strike it strike the next matching call. Later changes of the object change nothing.
   * @throws TypeError where the fault makes no sense, such as an HTTP status for the Sync API, or has a name that is
   * not known.
   */
  add(fault: Fault): FaultHandle;
  /**
   * Adds all faults of a schedule, or none.
   * @throws TypeError where one of them makes no sense, or a name is not known.
   */
  schedule(schedule: FaultSchedule): readonly FaultHandle[];
  /** The faults that have struck fewer calls than their `atLeast`, since the last `clear()`. */
  unfired(): readonly FaultHandle[];
  /**
   * Makes sure that the test has tested what it was meant to.
   * @throws Error that lists the faults that have struck too few calls.
   */
  assertFired(): void;
  /** Takes all faults away. Handles keep their counts. */
  clear(): void;
}
