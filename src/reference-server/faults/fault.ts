export const SYNC_OPERATIONS = [
  "StartSyncBatch",
  "SyncRecords",
  "CompleteSyncBatch",
  "AbortSyncBatch",
] as const;

export type SyncOperation = (typeof SYNC_OPERATIONS)[number];

/**
 * What goes wrong, where and when. Plain data that survives JSON. Unknown kinds and fields are rejected.
 *
 * ```ts
 * const status = "UNAVAILABLE";
 * server.faults.add({ on: "SyncRecords", fault: "status", status, nth: 2 });
 * ```
 */
export type Fault = {
  /**
   * The calls that the fault counts and applies to: an operation of the Sync API, the name of a GraphQL operation (or
   * the first field of an unnamed one), `"sync"` or `"graphql"` for every call of that API, or `"*"` for every call.
   */
  readonly on:
    | "*"
    | "sync"
    | "graphql"
    | "StartSyncBatch"
    | "SyncRecords"
    | "CompleteSyncBatch"
    | "AbortSyncBatch"
    | (string & {});
  /** The first call on which the fault fires, counted from 1 since you added the fault. @default 1 */
  readonly nth?: number | undefined;
  /** Number of consecutive calls on which the fault fires. @default 1 */
  readonly times?: number | undefined;
  /**
   * For `SyncRecords`: fires within a stream, at the message with this number, counted from 1. `nth` and `times` then
   * count streams that reach that message.
   * @default the whole call
   */
  readonly message?: number | undefined;
  /**
   * Whether the fault fires before the server does anything, or after the server's work and before its answer.
   * @default "request", or "answer" for the faults of answers: `oversized-answer`, `graphql-errors`, bodies and pages
   */
  readonly at?: "request" | "answer" | undefined;
} & (
  | // Both APIs: delay the call or its answer, by milliseconds on the server's clock.
  { readonly fault: "delay"; readonly ms: number }
  // Both APIs: never answer; close or reset (TCP RST) the connection; revoke the call's key.
  | { readonly fault: "stall" | "drop" | "reset" | "revoke-key" }
  // Sync API: end the call with a gRPC status, with details ("Injected fault.") and trailing metadata.
  | {
      readonly fault: "status";
      readonly status:
        | "CANCELLED"
        | "UNKNOWN"
        | "INVALID_ARGUMENT"
        | "DEADLINE_EXCEEDED"
        | "NOT_FOUND"
        | "ALREADY_EXISTS"
        | "PERMISSION_DENIED"
        | "RESOURCE_EXHAUSTED"
        | "FAILED_PRECONDITION"
        | "ABORTED"
        | "OUT_OF_RANGE"
        | "UNIMPLEMENTED"
        | "INTERNAL"
        | "UNAVAILABLE"
        | "DATA_LOSS"
        | "UNAUTHENTICATED";
      readonly details?: string | undefined;
      readonly trailers?: Readonly<Record<string, string>> | undefined;
    }
  // Sync API: reset the HTTP/2 stream with an error code, 0 to 13 (2, INTERNAL_ERROR), and keep the connection.
  | { readonly fault: "rst-stream"; readonly code?: number | undefined }
  // Sync API: send GOAWAY. With grace (true), running calls may finish; without it, the connection is closed.
  | { readonly fault: "goaway"; readonly grace?: boolean | undefined }
  // Sync API: end the lease of the call's batch (StartSyncBatch: the lock's batch); "lock-stolen" also starts a batch.
  | { readonly fault: "lease-expiry" | "lock-stolen" }
  // SyncRecords: at this message, answer with the number of records so far, and read no more.
  | { readonly fault: "early-answer"; readonly message: number }
  // Sync API: do the work, and answer with more bytes than clients accept (16 MiB + 1).
  | { readonly fault: "oversized-answer" }
  // GraphQL API: answer with an HTTP status, 200 to 599, and a body (by default an HTML page like a proxy's).
  | {
      readonly fault: "http";
      readonly status: number;
      readonly headers?: Readonly<Record<string, string>> | undefined;
      readonly body?: string | undefined;
    }
  // GraphQL API: add entries to `errors` (by default one, "Injected fault."), and send null ("none") or partial data.
  | {
      readonly fault: "graphql-errors";
      readonly errors?:
        | readonly {
            readonly message: string;
            readonly path?: readonly (string | number)[] | undefined;
            readonly extensions?: Readonly<Record<string, unknown>> | undefined;
          }[]
        | undefined;
      readonly data?: "none" | "partial" | undefined;
    }
  // GraphQL API: send the head at once and the body in pieces (2), with a pause before each.
  | { readonly fault: "slow-body"; readonly ms: number; readonly pieces?: number | undefined }
  // GraphQL API: send half of the body, and either declare it as the whole ("end") or close or reset the connection.
  | { readonly fault: "truncated-body"; readonly ending?: "end" | "close" | "reset" | undefined }
  // GraphQL API: send the body and then spaces without end.
  | { readonly fault: "endless-body" }
  // GraphQL API: every page of a connection announces another one, and repeats the request's cursor or has none.
  | { readonly fault: "page-info"; readonly cursor: "repeated" | "missing" }
);

/** Injects faults into the reference server, so you can test an integration against failing networks and servers. */
export interface Faults {
  /**
   * Adds a copy of a fault; `fired` counts the calls on which it has fired. If several faults match a call, they fire
   * in the order in which you added them, until one ends the call; the others fire on the next matching call. Faults
   * of bodies also change the answer of an `http` fault.
   * @throws {TypeError} a field is unknown or makes no sense, for example an HTTP status for the Sync API
   */
  add(fault: Fault): { readonly fired: number };
  /**
   * Asserts that each fault has fired.
   * @throws {Error} lists the faults that never fired
   */
  assertFired(): void;
  /** Removes all faults. */
  clear(): void;
}
