import { escapeControls } from "../redact.js";

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
  | "RUN_HELD"
  | "CLOSED"
  | "TRANSPORT_FAILED"
  | "TIMEOUT";

/**
 * Why an operation was not tried again.
 *
 * - `not-retryable`: another attempt would not help, or is not safe.
 * - `retries-exhausted`: all attempts that `retry` allows were made.
 * - `deadline`: the operation's time is up, or would be before the next attempt.
 * - `retry-after-exceeds-deadline`: the service asks to wait longer than the operation has time (`retryAfterMs`).
 * - `budget-exhausted`: recent retries of this client failed too often, so it makes no more for now.
 */
export type StopReason =
  | "not-retryable"
  | "retries-exhausted"
  | "deadline"
  | "retry-after-exceeds-deadline"
  | "budget-exhausted";

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
  /** Number of records. Events that an earlier attempt of a run got accepted, and were left out, are not counted. */
  readonly records: number;
}

/** How far a walk over the pages of a connection came. */
export interface WalkPosition {
  /**
   * Cursor to continue from without losing or repeating a node: as `after` forward, as `before` backward. Undefined at
   * the very start.
   */
  readonly cursor: string | undefined;
  /** Number of nodes yielded before. */
  readonly nodesYielded: number;
}

/** What every error can be made with. */
export interface ErrorDetails {
  /** What caused it. Never an object that holds a request. */
  readonly cause?: unknown;
  /** Whether calling the same method again is safe and may help. @default false */
  readonly retryable?: boolean | undefined;
  /** The server's message, with the key redacted: for a log, not for an end user. */
  readonly serverMessage?: string | undefined;
  /** The server's own id of the request. */
  readonly requestId?: string | undefined;
}

/** What becomes known of an error after it was made. */
export interface ErrorFacts {
  readonly attempts?: number | undefined;
  readonly stoppedBecause?: StopReason | undefined;
  readonly requestId?: string | undefined;
  readonly outcomes?: readonly RecordOutcome[] | undefined;
  readonly position?: WalkPosition | undefined;
}

const BRAND = Symbol.for("@saas-management/sdk/error-code");

const FACTS = new WeakMap<object, ErrorFacts>();

/**
 * Adds facts to an error, or those of another error; undefined facts change nothing. Values that are not errors of this
 * copy of the package are left alone.
 */
export function annotate<E>(error: E, facts: ErrorFacts): E {
  if (typeof error !== "object" || error === null) return error;
  const known = FACTS.get(error);
  if (known === undefined) return error;
  const { attempts, stoppedBecause, requestId, outcomes, position } = facts;
  FACTS.set(error, {
    attempts: attempts ?? known.attempts,
    stoppedBecause: stoppedBecause ?? known.stoppedBecause,
    requestId: requestId ?? known.requestId,
    outcomes: outcomes === undefined ? known.outcomes : [...outcomes],
    position: position ?? known.position,
  });
  return error;
}

/** Sets a property that neither JSON nor inspection shows. */
export function hide(target: object, key: string, value: unknown): void {
  Object.defineProperty(target, key, { value, enumerable: false, configurable: true, writable: false });
}

/** Base of every error that the SDK makes. */
export abstract class SaasManagementError extends Error {
  /** What went wrong, as a stable string to branch on. */
  abstract readonly code: ErrorCode;
  /** Whether calling the same method again is safe and may help. */
  readonly retryable: boolean;
  /** The server's message, with the key redacted: for a log, not for an end user. Not enumerable. */
  declare readonly serverMessage: string | undefined;

  constructor(message: string, details: ErrorDetails = {}) {
    // Messages may hold ids, file names and codes of the server.
    super(escapeControls(message), "cause" in details ? { cause: details.cause } : undefined);
    FACTS.set(this, { requestId: details.requestId });
    this.retryable = details.retryable ?? false;
    // From a static field, because minifiers shorten the names of classes.
    hide(this, "name", new.target.name);
    hide(this, "serverMessage", details.serverMessage);
  }

  /** How many times the operation was tried; 1 if nothing was retried. */
  get attempts(): number {
    return FACTS.get(this)?.attempts ?? 1;
  }

  /** Why the operation was not tried again; undefined if no attempt ended with this error. */
  get stoppedBecause(): StopReason | undefined {
    return FACTS.get(this)?.stoppedBecause;
  }

  /** The server's own id of the request, for its operator; undefined if it sent none. */
  get requestId(): string | undefined {
    return FACTS.get(this)?.requestId;
  }

  /** For a failed write: what became of the records that it tried to send. Empty for other errors. */
  get outcomes(): readonly RecordOutcome[] {
    return FACTS.get(this)?.outcomes ?? [];
  }

  /** For a failed walk over pages: how far it came, and where to continue. Undefined for other errors. */
  get position(): WalkPosition | undefined {
    return FACTS.get(this)?.position;
  }

  /** @internal The code, under a symbol that all copies of the package share. */
  get [BRAND](): ErrorCode {
    return this.code;
  }

  /** The parts that are safe to log. */
  toJSON(): Record<string, unknown> {
    const { name, message, attempts, stoppedBecause, requestId } = this;
    // Not the cursor: a server may have put parts of a record into it.
    const nodesYielded = this.position?.nodesYielded;
    const facts = { name, message, attempts, stoppedBecause, requestId, nodesYielded };
    return Object.fromEntries(
      Object.entries({ ...facts, ...Object.fromEntries(Object.entries(this)) }).filter(
        ([, value]) => value !== undefined,
      ),
    );
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

  /** True for an error of this class, also of another copy of the package. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    if (Function.prototype[Symbol.hasInstance].call(this, value)) return true;
    if (typeof value !== "object" || value === null || !(BRAND in value)) return false;
    if (this === SaasManagementError) return true;
    return Object.hasOwn(this, "code") && Reflect.get(this, "code") === value[BRAND];
  }
}
