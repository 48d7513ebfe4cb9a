/**
 * Every error class of the SDK, and its code.
 *
 * - A message is written by the SDK and safe to show; it never holds a key, a variable or the contents of a record. It
 *   is one line, without control characters.
 * - What the server said is kept apart, in `serverMessage` or `errors`: not enumerable, so that neither
 *   `JSON.stringify` nor `util.inspect` prints it by accident.
 * - `instanceof` works across two copies of the package.
 */

import { plainText } from "./plain-text.js";

/** What went wrong, as a stable string to branch on. */
export type ErrorCode =
  | "INVALID_CONFIGURATION"
  | "INVALID_INPUT"
  | "AUTHENTICATION_FAILED"
  | "PERMISSION_DENIED"
  | "RATE_LIMITED"
  | "GRAPHQL_ERRORS"
  | "MUTATION_REJECTED"
  | "PAGINATION"
  | "BATCH_IN_PROGRESS"
  | "SYNC_PROTOCOL"
  | "BATCH_STATE"
  | "BATCH_OUTCOME_UNKNOWN"
  | "REMOVAL_GUARD"
  | "CLOSED"
  | "TRANSPORT_FAILED"
  | "TIMEOUT";

/** What every error can be made with. */
export interface ErrorDetails {
  /** What caused it. Never an object that holds a request. */
  readonly cause?: unknown;
  /** Whether calling the same method again is safe and may help. Default: `false`. */
  readonly retryable?: boolean | undefined;
  /** What the server said, as it said it: for a log, not for an end user. */
  readonly serverMessage?: string | undefined;
  /** The server's own id of the request. */
  readonly requestId?: string | undefined;
}

/**
 * Why an operation was not tried again.
 *
 * - `not-retryable`: another attempt would not help, or is not safe.
 * - `retries-exhausted`: all attempts that `retry` allows were made.
 * - `deadline`: the operation's time is up, or would be before the next attempt.
 * - `retry-after-exceeds-deadline`: the service asks to wait longer than the operation has time (`retryAfterMs`).
 * - `budget-exhausted`: the client's retries of late have failed so often that it makes no more for now.
 */
export type StopReason =
  | "not-retryable"
  | "retries-exhausted"
  | "deadline"
  | "retry-after-exceeds-deadline"
  | "budget-exhausted";

const BRAND = Symbol.for("@saas-management/sdk/error-code");

/** Writes down how many attempts an operation made before this error ended it, and why no more. For the retry loop. */
export let noteAttempts: (error: SaasManagementError, attempts: number, stoppedBecause: StopReason) => void;

/** Writes down the server's id of the request that failed. */
export let noteRequestId: (error: SaasManagementError, requestId: string) => void;

/** Writes down what became of the records of the write that this error ended. Other values are left alone. */
export let noteOutcomes: (error: unknown, outcomes: readonly RecordOutcome[]) => void;

/** Writes down how far the walk over pages came that this error ended. Other values are left alone. */
export let notePosition: (error: unknown, position: WalkPosition) => void;

/** How far a walk over the pages of a connection came. */
export interface WalkPosition {
  /**
   * Cursor to go on from without losing or repeating a node: as `after` forward, as `before` backward. Undefined where
   * that is the very start.
   */
  readonly cursor: string | undefined;
  /** Number of nodes that were handed out before. */
  readonly nodesYielded: number;
}

/**
 * What became of some records of a failed write.
 *
 * - `accepted`: the service acknowledged them.
 * - `rejected`: the service refused the one message that held them.
 * - `unsent`: nothing of them reached the service, because there was no connection or no credential.
 * - `unknown`: the answer was lost, or one of several messages of a window was refused.
 */
export interface RecordOutcome {
  /** What is known of them. */
  readonly outcome: "accepted" | "rejected" | "unsent" | "unknown";
  /** Index in the write of the first record. */
  readonly firstIndex: number;
  /** Number of records. */
  readonly records: number;
}

/** Base of every error that the SDK makes. */
export abstract class SaasManagementError extends Error {
  /** What went wrong, as a stable string to branch on. */
  abstract readonly code: ErrorCode;
  /** Whether calling the same method again is safe and may help. */
  readonly retryable: boolean;
  /** What the server said, as it said it: for a log, not for an end user. Not enumerable. */
  declare readonly serverMessage: string | undefined;
  #attempts = 1;
  #stoppedBecause: StopReason | undefined;
  #requestId: string | undefined;
  #outcomes: readonly RecordOutcome[] = [];
  #position: WalkPosition | undefined;

  static {
    notePosition = (error, position) => {
      if (typeof error === "object" && error !== null && #position in error) error.#position = position;
    };
    noteOutcomes = (error, outcomes) => {
      if (typeof error === "object" && error !== null && #outcomes in error) error.#outcomes = [...outcomes];
    };
    noteAttempts = (error, attempts, stoppedBecause) => {
      // An error of another copy of the package is one of ours, but keeps its own count.
      if (!(#attempts in error)) return;
      error.#attempts = attempts;
      error.#stoppedBecause = stoppedBecause;
    };
    noteRequestId = (error, requestId) => {
      if (#requestId in error) error.#requestId = requestId;
    };
  }

  constructor(message: string, details: ErrorDetails = {}) {
    // Ids, names of files and codes of the server stand in messages: none of them begins a line of its own.
    super(plainText(message), "cause" in details ? { cause: details.cause } : undefined);
    this.name = new.target.name;
    this.retryable = details.retryable ?? false;
    this.#requestId = details.requestId;
    hide(this, "name", this.name);
    hide(this, "serverMessage", details.serverMessage);
  }

  /** How many times the operation was tried; 1 where nothing was retried. */
  get attempts(): number {
    return this.#attempts;
  }

  /** Why the operation was not tried again; undefined where no attempt at one ended with this error. */
  get stoppedBecause(): StopReason | undefined {
    return this.#stoppedBecause;
  }

  /** The server's own id of the request, for its operator; undefined where it sent none. */
  get requestId(): string | undefined {
    return this.#requestId;
  }

  /** Where a write failed: what became of its records that were sent. Empty for other errors. */
  get outcomes(): readonly RecordOutcome[] {
    return this.#outcomes;
  }

  /** Where it ended a walk over pages: how far that came, and where to go on. Undefined for other errors. */
  get position(): WalkPosition | undefined {
    return this.#position;
  }

  /** @internal The code, under a symbol that all copies of the package share. */
  get [BRAND](): ErrorCode {
    return this.code;
  }

  /** The parts that are safe to log. */
  toJSON(): Record<string, unknown> {
    const { name, message, attempts, stoppedBecause, requestId } = this;
    const facts = {
      name,
      message,
      attempts,
      stoppedBecause,
      requestId,
      // Not the cursor: a server may have put parts of a record into it.
      nodesYielded: this.#position?.nodesYielded,
      ...Object.fromEntries(Object.entries(this)),
    };
    return Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== undefined));
  }

  /** What Node's inspection shows: it would print `errors`, enumerable or not, and so what the server said. */
  [Symbol.for("nodejs.util.inspect.custom")](
    _depth: number,
    options: object,
    inspect: (value: unknown, options: object) => string,
  ): string {
    const { name: _name, message: _message, ...facts } = this.toJSON();
    const shown = this.cause === undefined ? facts : { ...facts, cause: this.cause };
    return `${this.stack} ${inspect(shown, options)}`;
  }

  /** True for an error of this class, of another copy of the package too. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    if (Function.prototype[Symbol.hasInstance].call(this, value)) return true;
    if (typeof value !== "object" || value === null || !(BRAND in value)) return false;
    if (this === SaasManagementError) return true;
    return Object.hasOwn(this, "code") && Reflect.get(this, "code") === value[BRAND];
  }
}

/** Options, environment or endpoint are not usable. */
export class ConfigurationError extends SaasManagementError {
  static readonly code = "INVALID_CONFIGURATION";
  override readonly code = ConfigurationError.code;
}

/** One thing that is wrong with an input. Says what was expected, never what was given. */
export interface InputIssue {
  /** Collection of the record. */
  readonly collection?: string;
  /** Index of the record in its write, from 0. */
  readonly index?: number;
  /** Id of the record, where it has a readable one. */
  readonly id?: string;
  /** Where the record comes from, such as `users.csv:1042`, where its source knows. */
  readonly location?: string;
  /** Path of the field, such as `generic.details.model`; empty where the whole value is meant. */
  readonly path: string;
  /** What was expected there. */
  readonly expected: string;
}

/** Arguments or records are not valid. */
export class InvalidInputError extends SaasManagementError {
  static readonly code = "INVALID_INPUT";
  override readonly code = InvalidInputError.code;
  /** What is wrong, up to 20 entries. */
  readonly issues: readonly InputIssue[];

  constructor(message: string, details: ErrorDetails & { readonly issues?: readonly InputIssue[] } = {}) {
    super(message, details);
    this.issues = details.issues ?? [];
  }
}

/** The service does not accept the credential, or there is no usable one. */
export class AuthenticationError extends SaasManagementError {
  static readonly code = "AUTHENTICATION_FAILED";
  override readonly code = AuthenticationError.code;
}

/** The credential is known but may not do this. */
export class PermissionDeniedError extends SaasManagementError {
  static readonly code = "PERMISSION_DENIED";
  override readonly code = PermissionDeniedError.code;
}

/** The service asks for fewer requests. */
export class RateLimitError extends SaasManagementError {
  static readonly code = "RATE_LIMITED";
  override readonly code = RateLimitError.code;
  /** How long the service asks to wait, in milliseconds; undefined where it does not say. */
  readonly retryAfterMs: number | undefined;

  constructor(message: string, details: ErrorDetails & { readonly retryAfterMs?: number | undefined } = {}) {
    super(message, details);
    this.retryAfterMs = details.retryAfterMs;
  }
}

/** One entry of a GraphQL response's `errors`. */
export interface GraphQLErrorEntry {
  /** The server's text: not for end users. */
  readonly message: string;
  /** Where in the result it happened. */
  readonly path?: readonly (string | number)[];
  /** Further facts; `code` among them. */
  readonly extensions?: Readonly<Record<string, unknown>> & { readonly code?: string };
}

/** The response has entries in `errors`. */
export class GraphQLResponseError extends SaasManagementError {
  static readonly code = "GRAPHQL_ERRORS";
  override readonly code = GraphQLResponseError.code;
  /** The entries. Not enumerable. */
  declare readonly errors: readonly GraphQLErrorEntry[];
  /** The partial data beside them; `null` or undefined where there is none. Not enumerable. */
  declare readonly data: unknown;
  /** HTTP status of the response. */
  readonly status: number;

  constructor(
    message: string,
    details: ErrorDetails & {
      readonly errors: readonly GraphQLErrorEntry[];
      readonly data: unknown;
      readonly status: number;
    },
  ) {
    super(message, details);
    this.status = details.status;
    hide(this, "errors", details.errors);
    hide(this, "data", details.data);
  }
}

/** One typed error of a mutation's payload. */
export interface MutationErrorEntry {
  /** The error's type in the schema. */
  readonly __typename: string;
  /** The server's text: not for end users. */
  readonly message: string;
}

/** The payload of a mutation has typed errors: the change was not made, or not wholly. */
export class MutationError<
  Entry extends MutationErrorEntry = MutationErrorEntry,
  Payload = unknown,
> extends SaasManagementError {
  static readonly code = "MUTATION_REJECTED";
  override readonly code = MutationError.code;
  /** Name of the mutation. */
  readonly mutation: string;
  /** The typed errors. Not enumerable. */
  declare readonly errors: readonly Entry[];
  /** The rest of the payload. Not enumerable. */
  declare readonly payload: Payload;

  constructor(
    message: string,
    details: ErrorDetails & {
      readonly mutation: string;
      readonly errors: readonly Entry[];
      readonly payload: Payload;
    },
  ) {
    super(message, details);
    this.mutation = details.mutation;
    hide(this, "errors", details.errors);
    hide(this, "payload", details.payload);
  }
}

/** A connection cannot be walked on: its cursor repeats or is missing, or what came is no page. */
export class PaginationError extends SaasManagementError {
  static readonly code = "PAGINATION";
  override readonly code = PaginationError.code;

  constructor(message: string, details: ErrorDetails & WalkPosition) {
    super(message, details);
    const { cursor, nodesYielded } = details;
    notePosition(this, { cursor, nodesYielded });
  }

  /** Cursor of the last page that was good: what to go on from. The same as in `position`. */
  get cursor(): string | undefined {
    return this.position?.cursor;
  }

  /** Number of nodes that were handed out before. The same as in `position`. */
  get nodesYielded(): number {
    return this.position?.nodesYielded ?? 0;
  }
}

/** Another batch holds the installation's lock. */
export class BatchAlreadyInProgressError extends SaasManagementError {
  static readonly code = "BATCH_IN_PROGRESS";
  override readonly code = BatchAlreadyInProgressError.code;
  /** The installation whose lock is held. */
  readonly installationId: string;
  /** How long the lock was waited for, in milliseconds. */
  readonly waitedMs: number;
  /** Whether the lock may be this client's own, of an earlier start whose answer was lost. */
  readonly mayBeOwn: boolean;

  constructor(
    message: string,
    details: ErrorDetails & {
      readonly installationId: string;
      readonly waitedMs?: number | undefined;
      readonly mayBeOwn?: boolean | undefined;
    },
  ) {
    super(message, details);
    this.installationId = details.installationId;
    this.waitedMs = details.waitedMs ?? 0;
    this.mayBeOwn = details.mayBeOwn ?? false;
  }
}

/** The Sync API rejected an operation. */
export class SyncProtocolError extends SaasManagementError {
  static readonly code = "SYNC_PROTOCOL";
  override readonly code = SyncProtocolError.code;
  /** Name of the gRPC status, such as `INVALID_ARGUMENT`; undefined where the answer itself was wrong. */
  readonly grpcStatus: string | undefined;
  /** State of the batch as the server tells it, such as `completed`; undefined where it does not. */
  readonly batchState: string | undefined;

  constructor(
    message: string,
    details: ErrorDetails & {
      readonly grpcStatus?: string | undefined;
      readonly batchState?: string | undefined;
    } = {},
  ) {
    super(message, details);
    this.grpcStatus = details.grpcStatus;
    this.batchState = details.batchState;
  }
}

/** Why a batch refuses a call. */
export type BatchStateReason = "completed" | "aborted" | "expired" | "incomplete" | "unknown";

/** The batch is in a state that does not allow the call. */
export class BatchStateError extends SaasManagementError {
  static readonly code = "BATCH_STATE";
  override readonly code = BatchStateError.code;
  /** State of the batch. */
  readonly state: string;
  /** Why the call was refused. */
  readonly reason: BatchStateReason;

  constructor(
    message: string,
    details: ErrorDetails & { readonly state: string; readonly reason: BatchStateReason },
  ) {
    super(message, details);
    this.state = details.state;
    this.reason = details.reason;
  }
}

/** Complete was sent and its fate is not known: the snapshots may or may not be reconciled. */
export class BatchOutcomeUnknownError extends SaasManagementError {
  static readonly code = "BATCH_OUTCOME_UNKNOWN";
  override readonly code = BatchOutcomeUnknownError.code;
  /** Id of the batch. */
  readonly batchId: string;

  constructor(message: string, details: ErrorDetails & { readonly batchId: string }) {
    super(message, details);
    this.batchId = details.batchId;
  }
}

/** One snapshot that a run held, and what completing it would have done. */
export interface HeldSnapshot {
  /** Name of the collection. */
  readonly collection: string;
  /**
   * - `removals`: too many of the known ids would be removed.
   * - `no-baseline`: the ledger knows nothing of the collection, and `requireBaseline` was said.
   * - `unreadable-ledger`: what the ledger knows cannot be read.
   */
  readonly reason: "removals" | "no-baseline" | "unreadable-ledger";
  /** Number of ids that were known before. */
  readonly known: number;
  /** Number of different ids that were sent. */
  readonly sent: number;
  /** Number of sent ids that were not known: they are visible already. */
  readonly added: number;
  /** Number of known ids that were sent. */
  readonly kept: number;
  /** Number of known ids that would be removed. */
  readonly removed: number;
  /** Share of the known ids that would be removed, from 0 to 1. */
  readonly removedShare: number;
  /** The first ids that would be removed, up to 20. */
  readonly firstRemoved: readonly string[];
  /** Path of the file with all of them; undefined where the ledger keeps no such file. */
  readonly listedIn: string | undefined;
}

/** The removal guard held a run: its batch was aborted, nothing was completed, and nothing was removed. */
export class RemovalGuardError extends SaasManagementError {
  static readonly code = "REMOVAL_GUARD";
  override readonly code = RemovalGuardError.code;
  /** Id of the batch that was not completed. */
  readonly batchId: string;
  /** What was held. */
  readonly collections: readonly HeldSnapshot[];
  /** What `approveRemovals` has to say for the same run to go through; undefined where it could not be stored. */
  readonly approvalId: string | undefined;
  /** Until when that is good. */
  readonly approvalExpiresAt: Date | undefined;

  constructor(
    message: string,
    details: ErrorDetails & {
      readonly batchId: string;
      readonly collections: readonly HeldSnapshot[];
      readonly approvalId: string | undefined;
      readonly approvalExpiresAt: Date | undefined;
    },
  ) {
    super(message, details);
    this.batchId = details.batchId;
    this.collections = details.collections;
    this.approvalId = details.approvalId;
    this.approvalExpiresAt = details.approvalExpiresAt;
  }
}

/** The client or the handle was closed. */
export class ClosedError extends SaasManagementError {
  static readonly code = "CLOSED";
  override readonly code = ClosedError.code;
}

/** The network, the server, or an answer that is not what the API speaks. */
export class TransportError extends SaasManagementError {
  static readonly code = "TRANSPORT_FAILED";
  override readonly code = TransportError.code;
  /** HTTP status, where there was an HTTP answer. */
  readonly status: number | undefined;
  /** Declared content type of the HTTP answer. */
  readonly contentType: string | undefined;
  /** Name of the gRPC status, such as `UNAVAILABLE`. */
  readonly grpcStatus: string | undefined;
  /** How long the service asks to wait, in milliseconds; undefined where it does not say. */
  readonly retryAfterMs: number | undefined;

  constructor(
    message: string,
    details: ErrorDetails & {
      readonly status?: number | undefined;
      readonly contentType?: string | undefined;
      readonly grpcStatus?: string | undefined;
      readonly retryAfterMs?: number | undefined;
    } = {},
  ) {
    super(message, details);
    this.status = details.status;
    this.contentType = details.contentType;
    this.grpcStatus = details.grpcStatus;
    this.retryAfterMs = details.retryAfterMs;
  }
}

/** The operation's time is up. `cause` is the failure of the last attempt that was answered, where there was one. */
export class TimeoutError extends SaasManagementError {
  static readonly code = "TIMEOUT";
  override readonly code = TimeoutError.code;
  /** The operation's time, in milliseconds. */
  readonly timeoutMs: number;

  constructor(message: string, details: ErrorDetails & { readonly timeoutMs: number }) {
    super(message, details);
    this.timeoutMs = details.timeoutMs;
  }
}

/** Sets a property that neither JSON nor inspection shows. */
function hide(target: object, key: string, value: unknown): void {
  Object.defineProperty(target, key, { value, enumerable: false, configurable: true, writable: false });
}
