import type {
  DelayFault,
  DropFault,
  FaultMoment,
  ResetFault,
  RevokeKeyFault,
  StallFault,
} from "./shared-kinds.js";

/** Answers a request of the GraphQL API with a status and a body. */
export interface HttpFault {
  /** Tells the kinds of fault apart. */
  readonly type: "http";
  /** An HTTP status code: 200 to 599. */
  readonly status: number;
  /** Headers of the answer. @default none */
  readonly headers?: Readonly<Record<string, string>>;
  /** When the answer asks to be tried again. @default none */
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
  /** Seconds from now on the server's clock. Zero and, as a date, less than zero are fine. */
  readonly seconds: number;
  /** Which of the header's two forms is used. @default "seconds" */
  readonly as?: "seconds" | "date";
}

/** Answers a request of the GraphQL API with an HTML page, as proxies do, before the server does anything. */
export interface HtmlFault {
  /** Tells the kinds of fault apart. */
  readonly type: "html";
  /** An HTTP status code: 200 to 599. @default 200 */
  readonly status?: number;
}

/** Adds entries to the `errors` of the server's own answer. */
export interface GraphQLErrorsFault {
  /** Tells the kinds of fault apart. */
  readonly type: "graphql-errors";
  /** The entries to add. @default one entry, with the message "Injected fault." */
  readonly errors?: readonly InjectedGraphQLError[];
  /** What becomes of the answer's data: it is null, or stays, as partial data does. @default "none" */
  readonly data?: "none" | "partial";
}

/** An entry of a response's `errors`. */
export interface InjectedGraphQLError {
  /** What it says. */
  readonly message: string;
  /** `extensions.code`. */
  readonly code?: string;
  /** Path of the field. */
  readonly path?: readonly (string | number)[];
}

/** Sends the server's own answer piece by piece. */
export interface SlowBodyFault {
  /** Tells the kinds of fault apart. */
  readonly type: "slow-body";
  /** The pause before each piece, in milliseconds on the server's clock. The head is sent at once. */
  readonly ms: number;
  /** Number of pieces, 1 to 1000. @default 2 */
  readonly pieces?: number;
}

/** Sends the first half of the body of the server's own answer. */
export interface TruncatedBodyFault {
  /** Tells the kinds of fault apart. */
  readonly type: "truncated-body";
  /**
   * How it goes on: the half is declared as the whole, the connection is closed, or it is reset (TCP RST).
   * @default "end"
   */
  readonly ending?: "end" | "close" | "reset";
}

/** Sends the server's own answer, and then spaces for ever, as fast as the client reads. */
export interface EndlessBodyFault {
  /** Tells the kinds of fault apart. */
  readonly type: "endless-body";
}

/** Breaks the `pageInfo` of every connection in the server's own answer. */
export interface PageInfoFault {
  /** Tells the kinds of fault apart. */
  readonly type: "page-info";
  /**
   * There is always another page, and its cursor is the one that the request came with (the page's own, where it came
   * with none), or none at all. Holds for both directions.
   */
  readonly cursor: "repeated" | "missing";
}

/** How a body is sent that is not sent as a whole. */
export type BodyDelivery = SlowBodyFault | TruncatedBodyFault | EndlessBodyFault;

/** What can go wrong with a request of the GraphQL API. */
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
