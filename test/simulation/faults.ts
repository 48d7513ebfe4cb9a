/** What can go wrong between client and service, as plain data, so that a schedule always strikes the same calls. */

/** Moments of a call: before the service did anything, after it did everything, or, for a stream, in its middle. */
export type FaultMoment = "before" | "after" | "middle";

export type FaultKind =
  /** The connection breaks. */
  | { readonly type: "lost"; readonly at: FaultMoment }
  /** The service, or something in between, refuses the call and does nothing. */
  | { readonly type: "refused"; readonly code: number; readonly details: string }
  /** The answer is slow. */
  | { readonly type: "delayed"; readonly at: FaultMoment; readonly ms: number }
  /** No answer ever arrives. */
  | { readonly type: "stalled"; readonly at: FaultMoment }
  /** The client sees a broken connection, but its message still arrives later. */
  | { readonly type: "late"; readonly ms: number }
  /** A proxy forwards nothing and answers with an empty success. */
  | { readonly type: "empty" }
  /** Fewer records are acknowledged than were sent. */
  | { readonly type: "undercounted" }
  /** The client's process dies. */
  | { readonly type: "killed"; readonly at: FaultMoment }
  /** The service answers with success when half of a stream has arrived, with or without a count of records. */
  | { readonly type: "early"; readonly counted: boolean }
  /** The batch's lease has run out at the service. */
  | { readonly type: "expired" }
  /** The batch's lease has run out, and someone else has started a batch. */
  | { readonly type: "stolen" }
  /** The service answers the abort of a completed batch as if the batch had been aborted. */
  | { readonly type: "forgotten" }
  /** The key stops working from now on. */
  | { readonly type: "revoked" };

export type Operation = "StartSyncBatch" | "SyncRecords" | "CompleteSyncBatch" | "AbortSyncBatch";

/** The operations that faults strike. Listing the interesting operations twice makes them more likely. */
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
  /** The least number of times that the fault must strike for the program to pass. */
  readonly atLeast: number;
  readonly kind: FaultKind;
}

/** Tells which calls the faults of a schedule strike, and which of them have struck. */
export class FaultSchedule {
  readonly #faults: readonly ScheduledFault[];
  readonly #calls = new Map<Operation, number>();
  readonly #fired: ScheduledFault[] = [];

  constructor(faults: readonly ScheduledFault[]) {
    this.#faults = faults;
  }

  /** The faults that have struck. */
  get fired(): readonly ScheduledFault[] {
    return this.#fired;
  }

  /** The faults that had to strike, and did not. */
  get missed(): readonly ScheduledFault[] {
    return this.#faults.filter((fault) => fault.atLeast > 0 && !this.#fired.includes(fault));
  }

  /**
   * Counts a call, and returns the fault that strikes it, if any.
   * @param can Whether a fault of this kind can strike the call.
   */
  take(operation: Operation, can: (kind: FaultKind) => boolean): FaultKind | undefined {
    const call = (this.#calls.get(operation) ?? 0) + 1;
    this.#calls.set(operation, call);
    const fault = this.#faults.find((f) => f.operation === operation && f.nth === call && can(f.kind));
    if (fault !== undefined) this.#fired.push(fault);
    return fault?.kind;
  }
}
