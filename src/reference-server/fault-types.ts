/** The operations of the Sync API. */
export type SyncOperation = "StartSyncBatch" | "SyncRecords" | "CompleteSyncBatch" | "AbortSyncBatch";

/**
 * When a fault strikes: before the server does anything, or in place of the answer, after it has done everything
 * (for `SyncRecords`: after the records were applied).
 */
export type FaultMoment = "request" | "answer";

/** Holds a call back before the server does anything. */
export interface DelayFault {
  /** Tells the kinds of fault apart. */
  readonly type: "delay";
  /** How long, in milliseconds on the server's clock. */
  readonly ms: number;
}

/** Destroys the connection that the call came on. */
export interface DropFault {
  /** Tells the kinds of fault apart. */
  readonly type: "drop";
  /** @default "request" */
  readonly at?: FaultMoment;
}

/** Ends a call of the Sync API with a status. */
export interface GrpcStatusFault {
  /** Tells the kinds of fault apart. */
  readonly type: "grpc-status";
  /** A gRPC status code other than OK: 1 to 16. */
  readonly code: number;
  /** @default "Injected fault." */
  readonly details?: string;
  /** Trailing metadata, such as `{ "batch-state": "expired" }`. */
  readonly trailers?: Readonly<Record<string, string>>;
  /** @default "request" */
  readonly at?: FaultMoment;
}

/** Answers a request of the GraphQL API with a status and a body, before the server does anything. */
export interface HttpFault {
  /** Tells the kinds of fault apart. */
  readonly type: "http";
  /** An HTTP status code: 200 to 599. */
  readonly status: number;
  /** @default none */
  readonly headers?: Readonly<Record<string, string>>;
  /** @default empty */
  readonly body?: string;
}

/** Answers a request of the GraphQL API with an HTML page, as proxies do. */
export interface HtmlFault {
  /** Tells the kinds of fault apart. */
  readonly type: "html";
  /** @default 200 */
  readonly status?: number;
}

/** What can go wrong with a call of the Sync API. */
export type SyncFaultKind = DelayFault | DropFault | GrpcStatusFault;

/** What can go wrong with a request of the GraphQL API. */
export type GraphQLFaultKind = DelayFault | DropFault | HttpFault | HtmlFault;

/** Which of the matching calls a fault strikes. */
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
}

/** A fault of the Sync API. */
export interface SyncFault extends FaultTarget {
  /** The API whose calls are struck. */
  readonly api: "sync";
  /** @default every operation */
  readonly operation?: SyncOperation;
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

/** What to break, where and when. */
export type Fault = SyncFault | GraphQLFault;

/** A fault that was added. */
export interface FaultHandle {
  /** How many calls it has struck so far. */
  readonly firings: number;
}

/**
 * Faults to be injected into the reference server, so that an integration can be tested against what networks and
 * servers do.
 *
 * ```ts
 * const fault = server.faults.add({
 *   api: "sync",
 *   operation: "CompleteSyncBatch",
 *   kind: { type: "grpc-status", code: 14, at: "answer" },   // completed, but the answer is lost
 * });
 * ```
 */
export interface FaultInjector {
  /**
   * Adds a fault. Where several match a call, they strike in the order in which they were added, until one ends it.
   * @throws TypeError where the fault makes no sense, such as an HTTP status for the Sync API.
   */
  add(fault: Fault): FaultHandle;
  /** Takes all faults away. Handles keep their counts. */
  clear(): void;
}

/** A call that faults may strike. `operation` is the name, where the call has one. */
export type FaultCall =
  | { readonly api: "sync"; readonly operation: SyncOperation }
  | { readonly api: "graphql"; readonly operation: string | undefined };
