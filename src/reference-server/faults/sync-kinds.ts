import type {
  DelayFault,
  DropFault,
  FaultMoment,
  ResetFault,
  RevokeKeyFault,
  StallFault,
} from "./shared-kinds.js";

/** Ends a call of the Sync API with a status. */
export interface GrpcStatusFault {
  /** Tells the kinds of fault apart. */
  readonly type: "grpc-status";
  /** A gRPC status code other than OK: 1 to 16. */
  readonly code: number;
  /** Text beside the code. @default what servers and proxies typically say with this code */
  readonly details?: string;
  /** Trailing metadata, such as `{ "batch-state": "expired" }`. */
  readonly trailers?: Readonly<Record<string, string>>;
  /** Whether it strikes before the server does its work or after. @default "request" */
  readonly at?: FaultMoment;
}

/** Resets the call's HTTP/2 stream; the connection stands. */
export interface RstStreamFault {
  /** Tells the kinds of fault apart. */
  readonly type: "rst-stream";
  /**
   * An HTTP/2 error code, such as 7 (REFUSED_STREAM), 8 (CANCEL) or 11 (ENHANCE_YOUR_CALM): 0 to 13.
   * @default 2 (INTERNAL_ERROR)
   */
  readonly code?: number;
  /** Whether it strikes before the server does its work or after. @default "request" */
  readonly at?: FaultMoment;
}

/** Takes leave of the connection with GOAWAY, as a server does that is being replaced. */
export interface GoawayFault {
  /** Tells the kinds of fault apart. */
  readonly type: "goaway";
  /** Whether the calls that are under way may end. Without grace the connection is closed at once. @default true */
  readonly grace?: boolean;
  /** Whether it strikes before the server does its work or after. @default "request" */
  readonly at?: FaultMoment;
}

/** Answers before all messages were read, with the records counted so far, and reads no more. */
export interface EarlyAnswerFault {
  /** Tells the kinds of fault apart. */
  readonly type: "early-answer";
  /** Whether it strikes before the server does its work or after. @default "request" */
  readonly at?: FaultMoment;
}

/** Does its work and answers with a message that is too large for the client. */
export interface OversizedAnswerFault {
  /** Tells the kinds of fault apart. */
  readonly type: "oversized-answer";
  /** Bytes of the message. @default 16_777_217, one more than clients take by default */
  readonly bytes?: number;
}

/** Ends the lease of the call's batch now; of `StartSyncBatch` the lease of the batch that holds the lock. */
export interface LeaseExpiryFault {
  /** Tells the kinds of fault apart. */
  readonly type: "lease-expiry";
  /** Whether it strikes before the server does its work or after. @default "request" */
  readonly at?: FaultMoment;
}

/**
 * Ends the lease of the call's batch now, and lets somebody else start a batch in its place. Where somebody else holds
 * the lock already, nothing happens.
 */
export interface LockStolenFault {
  /** Tells the kinds of fault apart. */
  readonly type: "lock-stolen";
  /** Whether it strikes before the server does its work or after. @default "request" */
  readonly at?: FaultMoment;
}

/** What can go wrong with a call of the Sync API. */
export type SyncFaultKind =
  | DelayFault
  | StallFault
  | DropFault
  | ResetFault
  | RstStreamFault
  | GoawayFault
  | GrpcStatusFault
  | EarlyAnswerFault
  | OversizedAnswerFault
  | LeaseExpiryFault
  | LockStolenFault
  | RevokeKeyFault;
