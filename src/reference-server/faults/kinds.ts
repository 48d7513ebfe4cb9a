/**
 * When a fault strikes: before the server does anything, or in place of the answer, after it has done everything
 * (for `SyncRecords`: after the records were applied).
 */
export type FaultMoment = "request" | "answer";

/** Delays a call or its answer. */
export interface DelayFault {
  /** Discriminates the kinds of faults. */
  readonly type: "delay";
  /** Milliseconds on the server's clock. */
  readonly ms: number;
  /** Whether it strikes before the server does its work or after. @default "request" */
  readonly at?: FaultMoment;
}

/** Sends nothing more until the caller gives up. The connection stays open. */
export interface StallFault {
  /** Discriminates the kinds of faults. */
  readonly type: "stall";
  /** Whether it strikes before the server does its work or after. @default "request" */
  readonly at?: FaultMoment;
}

/** Closes the connection of the call. */
export interface DropFault {
  /** Discriminates the kinds of faults. */
  readonly type: "drop";
  /** Whether it strikes before the server does its work or after. @default "request" */
  readonly at?: FaultMoment;
}

/** Resets the connection of the call (TCP RST). */
export interface ResetFault {
  /** Discriminates the kinds of faults. */
  readonly type: "reset";
  /** Whether it strikes before the server does its work or after. @default "request" */
  readonly at?: FaultMoment;
}

/** Revokes the API key of the call. The call then continues. */
export interface RevokeKeyFault {
  /** Discriminates the kinds of faults. */
  readonly type: "revoke-key";
  /** Whether it strikes before the server does its work or after. @default "request" */
  readonly at?: FaultMoment;
}

/** Ends a call of the Sync API with a status. */
export interface GrpcStatusFault {
  /** Discriminates the kinds of faults. */
  readonly type: "grpc-status";
  /** A gRPC status code other than OK: 1 to 16. */
  readonly code: number;
  /** Details of the status. @default a text that servers and proxies typically send with this code */
  readonly details?: string;
  /** Trailing metadata, such as `{ "batch-state": "expired" }`. */
  readonly trailers?: Readonly<Record<string, string>>;
  /** Whether it strikes before the server does its work or after. @default "request" */
  readonly at?: FaultMoment;
}

/** Resets the HTTP/2 stream of the call. The connection stays open. */
export interface RstStreamFault {
  /** Discriminates the kinds of faults. */
  readonly type: "rst-stream";
  /**
   * An HTTP/2 error code, such as 7 (REFUSED_STREAM), 8 (CANCEL) or 11 (ENHANCE_YOUR_CALM): 0 to 13.
   * @default 2 (INTERNAL_ERROR)
   */
  readonly code?: number;
  /** Whether it strikes before the server does its work or after. @default "request" */
  readonly at?: FaultMoment;
}

/** Sends GOAWAY on the connection, like a server that is being replaced. */
export interface GoawayFault {
  /** Discriminates the kinds of faults. */
  readonly type: "goaway";
  /** Whether running calls may end. Without grace the connection is closed immediately. @default true */
  readonly grace?: boolean;
  /** Whether it strikes before the server does its work or after. @default "request" */
  readonly at?: FaultMoment;
}

/** Answers with the records counted so far, before all messages were read, and reads no more. */
export interface EarlyAnswerFault {
  /** Discriminates the kinds of faults. */
  readonly type: "early-answer";
  /** Whether it strikes before the server does its work or after. @default "request" */
  readonly at?: FaultMoment;
}

/** Does the work and answers with a message that is too large for the client. */
export interface OversizedAnswerFault {
  /** Discriminates the kinds of faults. */
  readonly type: "oversized-answer";
  /** Bytes of the message. @default 16_777_217, one more than clients accept by default */
  readonly bytes?: number;
}

/** Ends the lease of the call's batch; for `StartSyncBatch` the lease of the batch that holds the lock. */
export interface LeaseExpiryFault {
  /** Discriminates the kinds of faults. */
  readonly type: "lease-expiry";
  /** Whether it strikes before the server does its work or after. @default "request" */
  readonly at?: FaultMoment;
}

/**
 * Ends the lease of the call's batch and starts another batch in its place. Has no effect if another batch holds the
 * lock already.
 */
export interface LockStolenFault {
  /** Discriminates the kinds of faults. */
  readonly type: "lock-stolen";
  /** Whether it strikes before the server does its work or after. @default "request" */
  readonly at?: FaultMoment;
}

/** What can happen to a call of the Sync API. */
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

/** Answers a request of the GraphQL API with a status and a body. */
export interface HttpFault {
  /** Discriminates the kinds of faults. */
  readonly type: "http";
  /** An HTTP status code: 200 to 599. */
  readonly status: number;
  /** Headers of the answer. @default none */
  readonly headers?: Readonly<Record<string, string>>;
  /** When the client should try again. @default none */
  readonly retryAfter?: RetryAfterHint;
  /** Body of the answer. @default empty */
  readonly body?: string;
  /** How the body is sent. @default as a whole */
  readonly delivery?: BodyDelivery;
  /** Whether it strikes before the server does its work or after. @default "request" */
  readonly at?: FaultMoment;
}

/** A header `Retry-After`. */
export interface RetryAfterHint {
  /** Seconds from now on the server's clock. May be zero; as a date also negative. */
  readonly seconds: number;
  /** Which of the two forms of the header is used. @default "seconds" */
  readonly as?: "seconds" | "date";
}

/** Answers a request of the GraphQL API with an HTML page, like a proxy, before the server does anything. */
export interface HtmlFault {
  /** Discriminates the kinds of faults. */
  readonly type: "html";
  /** An HTTP status code: 200 to 599. @default 200 */
  readonly status?: number;
}

/** Adds entries to the `errors` of the server's answer. */
export interface GraphQLErrorsFault {
  /** Discriminates the kinds of faults. */
  readonly type: "graphql-errors";
  /** The entries to add. @default one entry with the message "Injected fault." */
  readonly errors?: readonly InjectedGraphQLError[];
  /** Whether the data of the answer becomes null or is kept as partial data. @default "none" */
  readonly data?: "none" | "partial";
}

/** An entry of a response's `errors`. */
export interface InjectedGraphQLError {
  /** Message of the error. */
  readonly message: string;
  /** `extensions.code`. */
  readonly code?: string;
  /** Path of the field. */
  readonly path?: readonly (string | number)[];
}

/** Sends the server's answer in pieces. */
export interface SlowBodyFault {
  /** Discriminates the kinds of faults. */
  readonly type: "slow-body";
  /** The pause before each piece, in milliseconds on the server's clock. The head is sent immediately. */
  readonly ms: number;
  /** Number of pieces, 1 to 1000. @default 2 */
  readonly pieces?: number;
}

/** Sends the first half of the body of the server's answer. */
export interface TruncatedBodyFault {
  /** Discriminates the kinds of faults. */
  readonly type: "truncated-body";
  /**
   * What follows: nothing, because the half is declared as the whole body; or the connection is closed or reset.
   * @default "end"
   */
  readonly ending?: "end" | "close" | "reset";
}

/** Sends the server's answer and then spaces without end, as fast as the client reads. */
export interface EndlessBodyFault {
  /** Discriminates the kinds of faults. */
  readonly type: "endless-body";
}

/** Breaks the `pageInfo` of every connection in the server's answer. */
export interface PageInfoFault {
  /** Discriminates the kinds of faults. */
  readonly type: "page-info";
  /**
   * There is always another page. Its cursor is the one of the request (the page's own, if the request had none), or
   * missing. Holds for both directions.
   */
  readonly cursor: "repeated" | "missing";
}

/** How a body is sent if not as a whole. */
export type BodyDelivery = SlowBodyFault | TruncatedBodyFault | EndlessBodyFault;

/** What can happen to a request of the GraphQL API. */
export type GraphQLFaultKind =
  | DelayFault
  | StallFault
  | DropFault
  | ResetFault
  | HttpFault
  | HtmlFault
  | GraphQLErrorsFault
  | SlowBodyFault
  | TruncatedBodyFault
  | EndlessBodyFault
  | PageInfoFault
  | RevokeKeyFault;
