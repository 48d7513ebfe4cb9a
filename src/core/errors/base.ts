import { escapeControls } from "../redact.js";

export interface WalkPosition {
  readonly cursor: string | undefined;
  readonly nodesYielded: number;
}

export interface ErrorDetails {
  /** Must never be an object that holds a request, because the request contains the key. */
  readonly cause?: unknown;
  readonly retryable?: boolean | undefined;
  readonly serverMessage?: string | undefined;
  readonly requestId?: string | undefined;
  readonly advice?: SdkError["advice"];
}

/** The details that the constructor of `E` takes: the class's own fields, of which only `Optional` may be absent. */
export type DetailsOf<E, Optional extends keyof E = never> = ErrorDetails &
  Omit<E, keyof SdkError | Optional> & {
    readonly [Field in Exclude<Optional, keyof SdkError>]?: E[Field] | undefined;
  };

/** Facts that become known only after an error was created. */
interface ErrorFacts {
  readonly attempts?: number | undefined;
  readonly stoppedBecause?: SdkError["stoppedBecause"];
  readonly requestId?: string | undefined;
  readonly position?: WalkPosition | undefined;
}

const BRAND = Symbol.for("@saas-management/sdk/error");

const FACTS = new WeakMap<object, ErrorFacts>();

/**
 * Adds facts to an error. `facts` may be another error. Undefined facts change nothing. Ignores values that aren't
 * errors of this copy of the package.
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

/** True for an error from any copy of the package. */
export function isSdkError(value: unknown): value is { readonly [BRAND]: string } {
  return typeof value === "object" && value !== null && BRAND in value;
}

/** Fields that are left out of JSON and inspection: they hold the server's words, or repeat what is shown already. */
const HIDDEN: ReadonlySet<string> = new Set(["name", "serverMessage", "advice", "errors", "data"]);

/** Base of every error that the SDK throws. */
export abstract class SdkError extends Error {
  /** Identifies what went wrong; stable, so you can branch on it. */
  abstract readonly code: string;
  /** Whether it's safe, and may help, to call the same method again. */
  readonly retryable: boolean;
  /** The server's message, with the key redacted; meant for logs, not for end users. Not enumerable. */
  declare readonly serverMessage: string | undefined;
  /**
   * An option that may help, or a field of this error that says more; undefined if there is neither. `text` is the
   * wording in the message, so that a program with its own options (such as a command line) can replace it. Not
   * enumerable.
   */
  declare readonly advice:
    | {
        /** Name of the option, such as `waitForLockMs`. */
        readonly option: string;
        /** The environment variable that sets the option, or the option's current value. */
        readonly value?: string | undefined;
        readonly text: string;
      }
    | undefined;

  protected constructor();
  /** @internal @param fields Names of the class's own fields; anything else in `details` is dropped. */
  protected constructor(message: string, details?: ErrorDetails, fields?: readonly string[]);
  protected constructor(message = "", details: ErrorDetails = {}, fields: readonly string[] = []) {
    // Messages may contain ids, file names and codes from the server.
    super(escapeControls(message), details.cause === undefined ? undefined : { cause: details.cause });
    FACTS.set(this, { requestId: details.requestId });
    this.retryable = details.retryable ?? false;
    const values = { ...details, name: new.target.name };
    for (const field of [...fields, "name", "serverMessage", "advice"]) {
      const isShown = !HIDDEN.has(field);
      const flags = { enumerable: isShown, configurable: true, writable: isShown };
      Object.defineProperty(this, field, { value: Reflect.get(values, field), ...flags });
    }
  }

  /** How many times the operation was tried; 1 if nothing was retried. */
  get attempts(): number {
    return FACTS.get(this)?.attempts ?? 1;
  }

  /**
   * Why the SDK didn't try again; undefined if no attempt ended with this error.
   *
   * - `not-retryable`: another attempt wouldn't help, or isn't safe.
   * - `retries-exhausted`: `retry` allows no more attempts.
   * - `deadline`: the operation's time is up, or would run out before the next attempt.
   * - `retry-after-exceeds-deadline`: the service asked for a pause (`retryAfterMs`) longer than the time left.
   * - `budget-exhausted`: too many recent retries of this client failed, so the client makes no more for now.
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

  /** The server's own id of the request, for the server's operator; undefined if the server sent none. */
  get requestId(): string | undefined {
    return FACTS.get(this)?.requestId;
  }

  /** @internal How far a failed walk over pages got; undefined for other errors. */
  get position(): WalkPosition | undefined {
    return FACTS.get(this)?.position;
  }

  /** @internal Name of the class, under a symbol that all copies of the package share. */
  get [BRAND](): string {
    return className(this.constructor);
  }

  /** The parts of the error that are safe to log. */
  toJSON(): object {
    const { name, message, attempts, stoppedBecause, requestId, retryable, code } = this;
    // The cursor is left out, because a server may put parts of a record into it.
    const nodesYielded = this.position?.nodesYielded;
    const facts = { name, message, attempts, stoppedBecause, requestId, nodesYielded, retryable, code };
    const all = [...Object.entries(facts), ...Object.entries(this)];
    return Object.fromEntries(all.filter(([, value]) => value !== undefined));
  }

  /**
   * @internal What Node's inspection shows. By default, Node prints `errors`, with the server's messages, although
   *   the field isn't enumerable.
   */
  [Symbol.for("nodejs.util.inspect.custom")](
    _depth: number,
    options: object,
    inspect: (value: unknown, options: object) => string,
  ): string {
    const { name: _name, message: _message, ...facts }: { name?: unknown; message?: unknown } = this.toJSON();
    const shown = this.cause === undefined ? facts : { ...facts, cause: this.cause };
    return `${this.stack} ${inspect(shown, options)}`;
  }

  /** @internal True for an error of this class, even if another copy of the package created it. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    if (Function.prototype[Symbol.hasInstance].call(this, value)) return true;
    // A user's subclass doesn't match: its name isn't ours, or its parent isn't `SdkError`.
    return isSdkError(value) && Object.getPrototypeOf(this) === SdkError && value[BRAND] === this.name;
  }
}

/** Name of a class of the SDK, or of the SDK class that a user's class extends. */
function className(type: { readonly name: string }): string {
  const parent = Object.getPrototypeOf(type);
  return parent === SdkError ? type.name : className(parent);
}
