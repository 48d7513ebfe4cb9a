import { plainText } from "../plain-text.js";
import type { ErrorCode } from "./code.js";
import type { RecordOutcome, StopReason, WalkPosition } from "./facts.js";
import { hide } from "./hide.js";

/** What every error can be made with. */
export interface ErrorDetails {
  /** What caused it. Never an object that holds a request. */
  readonly cause?: unknown;
  /** Whether calling the same method again is safe and may help. @default false */
  readonly retryable?: boolean | undefined;
  /** What the server said, with the key taken out: for a log, not for an end user. */
  readonly serverMessage?: string | undefined;
  /** The server's own id of the request. */
  readonly requestId?: string | undefined;
}

const BRAND = Symbol.for("@saas-management/sdk/error-code");

/** Writes down how many attempts an operation made before this error ended it, and why no more. For the retry loop. */
export let noteAttempts: (
  error: SaasManagementError,
  attempts: number,
  stoppedBecause: StopReason | undefined,
) => void;

/** Writes down the server's id of the request that failed. */
export let noteRequestId: (error: SaasManagementError, requestId: string) => void;

/**
 * Has an error that says more clearly how an operation failed tell what is known of the failure: its attempts, its id.
 */
export let retelling: <E extends SaasManagementError>(error: E, failure: SaasManagementError) => E;

/** Writes down what became of the records of the write that this error ended. Other values are left alone. */
export let noteOutcomes: (error: unknown, outcomes: readonly RecordOutcome[]) => void;

/** Writes down how far the walk over pages came that this error ended. Other values are left alone. */
export let notePosition: (error: unknown, position: WalkPosition) => void;

/** Base of every error that the SDK makes. */
export abstract class SaasManagementError extends Error {
  /** What went wrong, as a stable string to branch on. */
  abstract readonly code: ErrorCode;
  /** Whether calling the same method again is safe and may help. */
  readonly retryable: boolean;
  /** What the server said, with the key taken out: for a log, not for an end user. Not enumerable. */
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
    retelling = (error, failure) => {
      noteAttempts(error, failure.attempts, failure.stoppedBecause);
      if (failure.requestId !== undefined) noteRequestId(error, failure.requestId);
      return error;
    };
  }

  constructor(message: string, details: ErrorDetails = {}) {
    // Ids, names of files and codes of the server stand in messages: none of them begins a line of its own.
    super(plainText(message), "cause" in details ? { cause: details.cause } : undefined);
    // A field of each class: minifiers shorten the names of classes.
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

  /** Where a write failed: what became of the records that it tried to send. Empty for other errors. */
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
