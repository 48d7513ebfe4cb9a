import { annotate, type DetailsOf, type ErrorDetails, SdkError, type WalkPosition } from "./base.js";

/** An option, an environment variable or an endpoint is invalid (service description, "Errors"). */
export class ConfigurationError extends SdkError {
  /** @internal */
  static override readonly name = "ConfigurationError";
  readonly code = "INVALID_CONFIGURATION";

  /** @internal */
  constructor(message: string, details?: ErrorDetails) {
    super(message, details);
  }
}

/**
 * One problem with an input: what was expected, and the type of the value. Only numbers, booleans, null and undefined
 * are quoted, never strings.
 */
export interface InputIssue {
  /** Collection of the record. */
  readonly collection?: string;
  /** Index of the record in its write, from 0. */
  readonly index?: number;
  /** Id of the record, if it can be read. */
  readonly id?: string;
  /** Where the record came from, such as `users.csv:1042`, if its source knows. */
  readonly location?: string;
  /** Path of the field, such as `details.model`; empty for the whole value. */
  readonly path: string;
  /**
   * What was expected and what was found: `a string, got a number`. For a place in a file or a listing, `expected` says
   * what is wrong there, such as `has 3 cells, but the header has 4`.
   */
  readonly expected: string;
}

/** An argument or a record is invalid (service description, "Errors"). */
export class InvalidInputError extends SdkError {
  /** @internal */
  static override readonly name = "InvalidInputError";
  readonly code = "INVALID_INPUT";
  /** The problems, up to 20. */
  declare readonly issues: readonly InputIssue[];

  /** @internal */
  constructor(message: string, details: DetailsOf<InvalidInputError, "issues"> = {}) {
    super(message, { issues: [], ...details }, ["issues"]);
  }
}

/** The service refused the credential, or no usable one was configured (service description, "Authentication"). */
export class AuthenticationError extends SdkError {
  /** @internal */
  static override readonly name = "AuthenticationError";
  readonly code = "AUTHENTICATION_FAILED";

  /** @internal */
  constructor(message: string, details?: ErrorDetails) {
    super(message, details);
  }
}

/** The credential is valid but doesn't permit the operation (service description, "Errors"). */
export class PermissionDeniedError extends SdkError {
  /** @internal */
  static override readonly name = "PermissionDeniedError";
  readonly code = "PERMISSION_DENIED";

  /** @internal */
  constructor(message: string, details?: ErrorDetails) {
    super(message, details);
  }
}

/** The service asks for fewer requests. */
export class RateLimitError extends SdkError {
  /** @internal */
  static override readonly name = "RateLimitError";
  readonly code = "RATE_LIMITED";
  /** How long the service asks to wait, in milliseconds; undefined if it does not say. */
  declare readonly retryAfterMs: number | undefined;

  /** @internal */
  constructor(message: string, details: DetailsOf<RateLimitError, "retryAfterMs"> = {}) {
    super(message, details, ["retryAfterMs"]);
  }
}

/** The response has entries in `errors` (service description, "Errors"). */
export class GraphQLResponseError extends SdkError {
  /** @internal */
  static override readonly name = "GraphQLResponseError";
  readonly code = "GRAPHQL_ERRORS";
  /** HTTP status of the response. */
  declare readonly status: number;
  /**
   * The entries of the response. `path` points into the result. `message` and `extensions` come from the server and
   * aren't meant for end users. Not enumerable.
   */
  declare readonly errors: readonly {
    readonly message: string;
    readonly path?: readonly (string | number)[];
    readonly locations?: readonly { readonly line: number; readonly column: number }[];
    readonly extensions?: Readonly<Record<string, unknown>> & { readonly code?: string };
  }[];
  /** The partial data of the response; `null` or undefined if there is none. Not enumerable. */
  declare readonly data: unknown;

  /** @internal */
  constructor(message: string, details: DetailsOf<GraphQLResponseError>) {
    super(message, details, ["status", "errors", "data"]);
  }
}

/**
 * The payload of a mutation has typed errors (service description, "Typed mutation errors"): the change failed, or only
 * part of it was made.
 */
export class MutationError extends SdkError {
  /** @internal */
  static override readonly name = "MutationError";
  readonly code = "MUTATION_REJECTED";
  /** Name of the mutation. */
  declare readonly mutation: string;
  /** The typed errors, with the server's messages. Narrow `errors` with `isMutationError`. Not enumerable. */
  declare readonly errors: readonly { readonly __typename: string; readonly message: string }[];

  /** @internal */
  constructor(message: string, details: DetailsOf<MutationError>) {
    super(message, details, ["mutation", "errors"]);
  }
}

/** A walk over a connection can't continue: its cursor repeats or is missing, or the response isn't a page. */
export class PaginationError extends SdkError {
  /** @internal */
  static override readonly name = "PaginationError";
  readonly code = "PAGINATION";

  /** @internal */
  constructor(message: string, details: ErrorDetails & WalkPosition) {
    super(message, details);
    annotate(this, { position: { cursor: details.cursor, nodesYielded: details.nodesYielded } });
  }

  /**
   * Cursor to continue from (that of the last valid page; undefined at the very start), and the number of nodes already
   * yielded.
   */
  override get position(): { readonly cursor: string | undefined; readonly nodesYielded: number } {
    return super.position ?? { cursor: undefined, nodesYielded: 0 };
  }
}

/** The network or the server failed, or the response didn't come from the API (service description, "Errors"). */
export class TransportError extends SdkError {
  /** @internal */
  static override readonly name = "TransportError";
  readonly code = "TRANSPORT_FAILED";
  /** HTTP status, if there was an HTTP response. */
  declare readonly status: number | undefined;
  /** @internal Declared content type of the HTTP response. */
  declare readonly contentType: string | undefined;
  /** Name of the gRPC status, such as `UNAVAILABLE`. */
  declare readonly grpcStatus: string | undefined;
  /** How long the service asks to wait, in milliseconds; undefined if it does not say. */
  declare readonly retryAfterMs: number | undefined;

  /** @internal */
  constructor(message: string, details: DetailsOf<TransportError, keyof TransportError> = {}) {
    super(message, details, ["status", "contentType", "grpcStatus", "retryAfterMs"]);
  }
}

/** The operation ran out of time. `cause` is the failure of the last attempt that got a response, if any. */
export class TimeoutError extends SdkError {
  /** @internal */
  static override readonly name = "TimeoutError";
  readonly code = "TIMEOUT";
  /** The operation's time limit, in milliseconds. */
  declare readonly timeoutMs: number;

  /** @internal */
  constructor(message: string, details: DetailsOf<TimeoutError>) {
    super(message, details, ["timeoutMs"]);
  }
}

/** The client or the handle was closed (service description, "Errors"). */
export class ClosedError extends SdkError {
  /** @internal */
  static override readonly name = "ClosedError";
  readonly code = "CLOSED";

  /** @internal */
  constructor(message: string, details?: ErrorDetails) {
    super(message, details);
  }
}
