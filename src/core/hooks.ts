import type { Clock } from "./clock.js";
import { type ErrorCode, SaasManagementError } from "./errors/index.js";
import type { ChannelMessage, Trace } from "./trace.js";

/**
 * One attempt of an operation of either API. Contains names and numbers only, never a key, a variable, a body or a
 * record. Response headers are read only if you call `header`.
 */
export type ClientEvent = {
  /**
   * - `request`: an attempt begins; the credential hasn't been fetched yet.
   * - `response`: an attempt has ended. Every `request` is followed by exactly one `response`.
   * - `retry`: an attempt has failed, and the next one follows after a pause.
   */
  readonly type: "request" | "response" | "retry";
  readonly api: "graphql" | "sync";
  /** GraphQL: name of the operation, `anonymous` if it has none. Sync API: name of the RPC, such as `SyncRecords`. */
  readonly operation: string;
  /** Number of the attempt, from 1. */
  readonly attempt: number;
  /** `response`: `cancelled` if the caller ended the operation. A mutation with typed errors is a `success`. */
  readonly outcome?: "success" | "failure" | "cancelled";
  /** `response`: how long the attempt took, in milliseconds. */
  readonly durationMs?: number;
  /** `retry`: length of the pause, in milliseconds; 0 if a refused key was replaced. */
  readonly delayMs?: number;
  /** Code of the error that the attempt failed with; absent if it wasn't an error of the SDK. */
  readonly code?: ErrorCode;
  /** `response`: the server's own id of the request, if it sent one. */
  readonly requestId?: string;
  /**
   * `response`: returns a header or a metadata field of the response; undefined if there is none. Not enumerable, so
   * that events can be logged and cloned.
   */
  readonly header?: (name: string) => string | undefined;
  /** Sync API: the installation; absent if only the id of the batch is known. */
  readonly installationId?: string;
  /** Sync API: the batch, once it has an id. */
  readonly batchId?: string;
};

/** The message on `saas-management.attempt`: an event, published in the context of its operation or RPC. */
export interface AttemptMessage {
  readonly call: ChannelMessage;
  readonly event: ClientEvent;
}

/**
 * Where the SDK logs. You can pass `console`, pino, bunyan, winston or consola as they are. The logger never receives a
 * key, a variable or a record.
 *
 * The SDK recognizes pino and bunyan by `child` together with `bindings` or `addSerializers`, and passes them the
 * details first, with `error` renamed to `err`.
 */
export interface Logger {
  /** Each step that the SDK takes. */
  debug(message: string, details?: object): void;
  /** Events that operators may want to see. */
  info(message: string, details?: object): void;
  /** Failures that the SDK handled, for example by retrying. */
  warn(message: string, details?: object): void;
  /** Failures that the SDK couldn't handle, although no call fails because of them. */
  error(message: string, details?: object): void;
}

const SILENT: Logger = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

/** Wraps a logger so that it never throws: an operation must not fail because it can't be logged. */
export function safeLogger(logger: Logger | undefined): Logger {
  if (logger === undefined) return SILENT;
  const ignore = () => {};
  const detailsFirst = takesDetailsFirst(logger);
  const safe =
    (level: keyof Logger): Logger["debug"] =>
    (message, details) =>
      callSafely(() => {
        if (!detailsFirst || details === undefined) return logger[level](message, details);
        const { error: err, ...others }: { error?: unknown } = details;
        const fields = err === undefined ? details : { ...others, err };
        return Reflect.apply(logger[level], logger, [fields, message]);
      }, ignore);
  return { debug: safe("debug"), info: safe("info"), warn: safe("warn"), error: safe("error") };
}

/** Looks for documented methods rather than for a symbol of one version, because loggers get wrapped and bundled. */
function takesDetailsFirst(logger: object): boolean {
  const has = (name: string) => typeof Reflect.get(logger, name) === "function";
  return has("child") && (has("bindings") || has("addSerializers"));
}

/**
 * Wraps a caller's callback so that it never throws. The callback isn't awaited, and its errors are logged.
 * @param name Name of the option, for the log.
 */
export function safeCallback<Event>(
  name: string,
  callback: (event: Event) => unknown,
  logger: Logger,
): (event: Event) => void {
  return (event) =>
    callSafely(
      () => callback(event),
      (error) => logger.error(`saas-management: ${name} threw an exception`, { event, error }),
    );
}

/** A callback may be asynchronous even where its type says otherwise. */
function callSafely(call: () => unknown, failed: (error: unknown) => void): void {
  try {
    Promise.resolve(call()).catch(failed);
  } catch (error) {
    failed(error);
  }
}

/** An operation that emits events. */
export interface Observed {
  readonly info: Pick<ClientEvent, "api" | "operation" | "installationId" | "batchId">;
  /** The operation's name in messages, such as `GraphQL query Licenses`. */
  readonly label: string;
  /** Receives each event of the operation, as the hook and the channels do. */
  readonly onEvent?: ((event: ClientEvent) => void) | undefined;
}

interface Listeners {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly onEvent: ((event: ClientEvent) => void) | undefined;
}

/** The known facts about the response to an attempt. */
interface Answer {
  readonly requestId: () => string | undefined;
  readonly header: NonNullable<ClientEvent["header"]>;
}

type Outcome = NonNullable<ClientEvent["outcome"]>;

/** Emits all events of an operation: to the hook, the log, the progress callback and the tracing channels. */
export class OperationEvents {
  readonly #configuration: Listeners;
  readonly #operation: Observed;
  readonly #trace: Trace | undefined;
  readonly #isObserved: boolean;

  constructor(configuration: Listeners, operation: Observed, trace: Trace | undefined) {
    const { onEvent, logger } = configuration;
    this.#configuration = configuration;
    this.#operation = operation;
    this.#trace = trace;
    this.#isObserved = onEvent !== undefined || logger !== SILENT || trace !== undefined;
  }

  /** Begins an attempt. @returns the function to call when it has ended */
  attempt(number: number, answer: Answer): (outcome: Outcome, error?: unknown) => void {
    if (!this.#isObserved) return () => {};
    const { clock, logger } = this.#configuration;
    const { label } = this.#operation;
    const begunAt = clock.monotonic();
    this.#tell({ type: "request", attempt: number });
    return (outcome, error) => {
      const id = answer.requestId();
      const facts: Omit<ClientEvent, "api" | "operation"> = {
        type: "response",
        attempt: number,
        outcome,
        durationMs: clock.monotonic() - begunAt,
        ...(error instanceof SaasManagementError ? { code: error.code } : {}),
        ...(id === undefined ? {} : { requestId: id }),
      };
      const event = this.#tell(facts, answer.header);
      logger.debug(`saas-management: ${label}: ${outcome}`, event);
    };
  }

  readonly onRetry = (error: SaasManagementError, attempt: number, delayMs: number): void => {
    const event = this.#tell({ type: "retry", attempt, delayMs, code: error.code });
    const message = `saas-management: ${this.#operation.label}: retrying`;
    this.#configuration.logger.warn(message, { ...event, error });
  };

  #tell(
    { type, ...rest }: Omit<ClientEvent, "api" | "operation">,
    header?: ClientEvent["header"],
  ): ClientEvent {
    const { info, onEvent } = this.#operation;
    const event: ClientEvent = { type, ...info, ...rest };
    if (header !== undefined) Object.defineProperty(event, "header", { value: header });
    Object.freeze(event);
    this.#configuration.onEvent?.(event);
    onEvent?.(event);
    this.#trace?.attempt(event);
    return event;
  }
}
