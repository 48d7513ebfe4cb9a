/** What can go wrong between client and service, as plain data: the same schedule strikes at the same places. */

/** Moments of a call: before the service did anything, after it did everything, or, for a stream, in its middle. */
export type FaultMoment = "before" | "after" | "middle";

export type FaultKind =
  /** The connection breaks. */
  | { readonly type: "lost"; readonly at: FaultMoment }
  /** The service, or something in between, says no without having done anything. */
  | { readonly type: "refused"; readonly code: number; readonly details: string }
  /** The answer takes its time. */
  | { readonly type: "delayed"; readonly at: FaultMoment; readonly ms: number }
  /** There is never an answer. */
  | { readonly type: "stalled"; readonly at: FaultMoment }
  /** The client is told that the connection broke; what it sent arrives later all the same. */
  | { readonly type: "late"; readonly ms: number }
  /** Fewer records are acknowledged than were sent. */
  | { readonly type: "undercounted" }
  /** The answer does not say how many records were accepted. */
  | { readonly type: "uncounted" }
  /** The batch's lease has run out at the service. */
  | { readonly type: "expired" }
  /** The same, and somebody else has started a batch since. */
  | { readonly type: "stolen" }
  /** The key stops working, from now on. */
  | { readonly type: "revoked" };

export type Operation = "StartSyncBatch" | "SyncRecords" | "CompleteSyncBatch" | "AbortSyncBatch";

/** What faults strike: those twice that are worth it. */
export const OPERATIONS: readonly Operation[] = [
  "StartSyncBatch",
  "SyncRecords",
  "SyncRecords",
  "CompleteSyncBatch",
  "CompleteSyncBatch",
  "AbortSyncBatch",
];

/** A fault and its place: the n-th call of an operation, counted from 1 over all clients. */
export interface ScheduledFault {
  readonly operation: Operation;
  readonly nth: number;
  readonly kind: FaultKind;
}

/** A schedule while it is run. */
export class FaultSchedule {
  readonly #faults: readonly ScheduledFault[];
  readonly #calls = new Map<Operation, number>();
  /** The faults that have struck. */
  readonly fired: ScheduledFault[] = [];

  constructor(faults: readonly ScheduledFault[]) {
    this.#faults = faults;
  }

  /** Counts a call; the fault that strikes it, if one does. */
  take(operation: Operation): FaultKind | undefined {
    const call = (this.#calls.get(operation) ?? 0) + 1;
    this.#calls.set(operation, call);
    const fault = this.#faults.find((f) => f.operation === operation && f.nth === call);
    if (fault !== undefined) this.fired.push(fault);
    return fault?.kind;
  }
}
