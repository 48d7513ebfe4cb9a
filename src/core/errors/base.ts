import { escapeControls } from "../redact.js";

export interface WalkPosition {
  readonly cursor: string | undefined;
  readonly nodesYielded: number;
}

export interface ErrorDetails {
  /** Never an object that holds a request. */
  readonly cause?: unknown;
  readonly retryable?: boolean | undefined;
  readonly serverMessage?: string | undefined;
  readonly requestId?: string | undefined;
  readonly advice?: SdkError["advice"];
}

/** What an error with these fields can be made with; `Optional` ones may be absent. */
export type DetailsOf<E, Required extends keyof E, Optional extends keyof E = never> = ErrorDetails &
  Pick<E, Required> & { readonly [Field in Optional]?: E[Field] | undefined };

/** What becomes known of an error after it was made. */
interface ErrorFacts {
  readonly attempts?: number | undefined;
  readonly stoppedBecause?: SdkError["stoppedBecause"];
  readonly requestId?: string | undefined;
  readonly position?: WalkPosition | undefined;
}

const BRAND = Symbol.for("@saas-management/sdk/error");

const FACTS = new WeakMap<object, ErrorFacts>();

/**
 * Adds facts to an error, or those of another error; undefined facts change nothing. Values that are not errors of this
 * copy of the package are left alone.
 */
export function annotate<E>(error: E, facts: ErrorFacts): E {
  if (typeof error !== "object" || error === null) return error;
  const known = FACTS.get(error);
  if (known === undefined) return error;
  const { attempts, stoppedBecause, requestId, position } = facts;
  FACTS.set(error, {
    attempts: attempts ?? known.attempts,
    stoppedBecause: stoppedBecause ?? known.stoppedBecause,
    requestId: requestId ?? known.requestId,
    position: position ?? known.position,
  });
  return error;
}

/** True for an error of any copy of the package. */
export function isSdkError(value: unknown): value is { readonly [BRAND]: string } {
  return typeof value === "object" && value !== null && BRAND in value;
}

/** Sets a property that neither JSON nor inspection shows. */
function hide(target: object, key: string, value: unknown): void {
  Object.defineProperty(target, key, { value, enumerable: false, configurable: true, writable: false });
}

/** Base of every error that the SDK makes. */
export abstract class SdkError extends Error {
  /** What went wrong, as a stable string to branch on. */
  abstract readonly code: string;
  /** Whether calling the same method again is safe and may help. */
  readonly retryable: boolean;
  /** The server's message, with the key redacted: for a log, not for an end user. Not enumerable. */
  declare readonly serverMessage: string | undefined;
  /**
   * An option that helps, or a field of this error that says more; undefined if there is neither. `text` is how the message
   * says so: a program with options of its own puts other words there. Not enumerable.
   */
  declare readonly advice:
    | {
        /** As in `waitForLockMs`. */
        readonly option: string;
        /** The environment variable for it, or the value that it has. */
        readonly value?: string | undefined;
        readonly text: string;
      }
    | undefined;

  protected constructor();
  /**
   * @internal
   * @param shown Names of the class's own fields in `details`.
   * @param hidden Those that neither JSON nor inspection shows.
   */
  protected constructor(
    message: string,
    details?: ErrorDetails,
    shown?: readonly string[],
    hidden?: readonly string[],
  );
  protected constructor(
    message = "",
    details: ErrorDetails = {},
    shown: readonly string[] = [],
    hidden: readonly string[] = [],
  ) {
    // Messages may hold ids, file names and codes of the server.
    super(escapeControls(message), "cause" in details ? { cause: details.cause } : undefined);
    FACTS.set(this, { requestId: details.requestId });
    this.retryable = details.retryable ?? false;
    for (const field of shown) Object.assign(this, { [field]: Reflect.get(details, field) });
    for (const field of hidden) hide(this, field, Reflect.get(details, field));
    hide(this, "name", new.target.name);
    hide(this, "serverMessage", details.serverMessage);
    hide(this, "advice", details.advice);
  }

  /** How many times the operation was tried; 1 if nothing was retried. */
  get attempts(): number {
    return FACTS.get(this)?.attempts ?? 1;
  }

  /**
   * Why the operation was not tried again; undefined if no attempt ended with this error.
   *
   * - `not-retryable`: another attempt would not help, or is not safe.
   * - `retries-exhausted`: all attempts that `retry` allows were made.
   * - `deadline`: the operation's time is up, or would be before the next attempt.
   * - `retry-after-exceeds-deadline`: the service asks to wait longer than the operation has time (`retryAfterMs`).
   * - `budget-exhausted`: recent retries of this client failed too often, so it makes no more for now.
   */
  get stoppedBecause():
    | "not-retryable"
    | "retries-exhausted"
    | "deadline"
    | "retry-after-exceeds-deadline"
    | "budget-exhausted"
    | undefined {
    return FACTS.get(this)?.stoppedBecause;
  }

  /** The server's own id of the request, for its operator; undefined if it sent none. */
  get requestId(): string | undefined {
    return FACTS.get(this)?.requestId;
  }

  /** @internal For a failed walk over pages: how far it came. Undefined for other errors. */
  get position(): WalkPosition | undefined {
    return FACTS.get(this)?.position;
  }

  /** @internal Name of the class, under a symbol that all copies of the package share. */
  get [BRAND](): string {
    return nameOf(this.constructor);
  }

  /** The parts that are safe to log. */
  toJSON(): object {
    const { name, message, attempts, stoppedBecause, requestId, retryable, code } = this;
    // Not the cursor: a server may have put parts of a record into it.
    const nodesYielded = this.position?.nodesYielded;
    const facts = { name, message, attempts, stoppedBecause, requestId, nodesYielded, retryable, code };
    const all = [...Object.entries(facts), ...Object.entries(this)];
    return Object.fromEntries(all.filter(([, value]) => value !== undefined));
  }

  /** @internal What Node's inspection shows: it would print `errors`, enumerable or not, and so what the server said. */
  [Symbol.for("nodejs.util.inspect.custom")](
    _depth: number,
    options: object,
    inspect: (value: unknown, options: object) => string,
  ): string {
    const { name: _name, message: _message, ...facts }: { name?: unknown; message?: unknown } = this.toJSON();
    const shown = this.cause === undefined ? facts : { ...facts, cause: this.cause };
    return `${this.stack} ${inspect(shown, options)}`;
  }

  /** @internal True for an error of this class, also of another copy of the package. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    if (Function.prototype[Symbol.hasInstance].call(this, value)) return true;
    // A subclass of the user has the name of none of these, or another parent.
    return isSdkError(value) && Object.getPrototypeOf(this) === SdkError && value[BRAND] === this.name;
  }
}

/** Name of a class of the SDK, or of the one that a class of the user extends. */
function nameOf(type: { readonly name: string }): string {
  const parent = Object.getPrototypeOf(type);
  return parent === SdkError ? type.name : nameOf(parent);
}
