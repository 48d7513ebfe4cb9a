import type { Clock } from "./clock.js";
import { type ErrorCode, SaasManagementError } from "./errors/index.js";
import type { ChannelMessage, Trace } from "./trace.js";

/**
 * One attempt of one operation of either API. Names and numbers only: never a key, a variable, a body or a record. A
 * header is there only if it is asked for.
 */
export type ClientEvent = {
  /**
   * - `request`: an attempt begins, before the credential is asked for.
   * - `response`: an attempt has ended; once for each `request`.
   * - `retry`: an attempt has failed, and another one follows after a pause.
   */
  readonly type: "request" | "response" | "retry";
  readonly api: "graphql" | "sync";
  /** GraphQL: name of the operation, `anonymous` if it has none. Sync API: name of the RPC, such as `SyncRecords`. */
  readonly operation: string;
  /** Number of the attempt, from 1. */
  readonly attempt: number;
  /** `response`: `cancelled` if the caller ended it. A mutation whose payload holds typed errors is a `success`. */
  readonly outcome?: "success" | "failure" | "cancelled";
  /** `response`: how long the attempt took, in milliseconds. */
  readonly durationMs?: number;
  /** `retry`: length of the pause, in milliseconds; 0 if a refused key was replaced. */
  readonly delayMs?: number;
  /** Code of the error with which the attempt failed; absent if it was not an error of the SDK. */
  readonly code?: ErrorCode;
  /** `response`: the server's own id of the request, if it sent one. */
  readonly requestId?: string;
  /**
   * `response`: returns a header of the answer, or a field of its metadata; undefined if there is none. Not enumerable,
   * so that events can be logged and cloned.
   */
  readonly header?: (name: string) => string | undefined;
  /** Sync API: the installation; absent if only the id of the batch is known. */
  readonly installationId?: string;
  /** Sync API: the batch, once it has an id. */
  readonly batchId?: string;
};

/** Published on `saas-management.attempt` with each event of an attempt, in the context of its operation or RPC. */
export interface AttemptMessage {
  readonly call: ChannelMessage;
  readonly event: ClientEvent;
}

/**
 * Where the SDK logs: `console`, pino, bunyan, winston and consola fit as they are. Never gets a key, a variable or a
 * record.
 *
 * pino and bunyan are recognized by their `child` with `bindings` or `addSerializers`. They get the details first, with an
 * `error` as `err`.
 */
export interface Logger {
  /** What the SDK does, step by step. */
  debug(message: string, details?: object): void;
  /** What may be of interest in operation. */
  info(message: string, details?: object): void;
  /** What went wrong and was handled, such as a retry. */
  warn(message: string, details?: object): void;
  /** What went wrong and was not handled, although no call fails because of it. */
  error(message: string, details?: object): void;
}

const SILENT: Logger = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

/** Wraps a logger: it never throws, because a failure to log must not fail what is logged. */
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

/** By documented methods, not by a symbol of one version: loggers are wrapped and bundled. */
function takesDetailsFirst(logger: object): boolean {
  const has = (name: string) => typeof Reflect.get(logger, name) === "function";
  return has("child") && (has("bindings") || has("addSerializers"));
}

/**
 * Wraps a callback of the caller: it never throws and is not awaited. What it throws or rejects with is logged.
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

/** Callbacks may be asynchronous, whatever their types say. */
function callSafely(call: () => unknown, failed: (error: unknown) => void): void {
  try {
    Promise.resolve(call()).catch(failed);
  } catch (error) {
    failed(error);
  }
}

/** What has events. */
export interface Observed {
  readonly info: Pick<ClientEvent, "api" | "operation" | "installationId" | "batchId">;
  /** What it is, for messages: `GraphQL query Licenses`. */
  readonly label: string;
  /** Is told each event of the operation, as the hook and the channels are. */
  readonly onEvent?: ((event: ClientEvent) => void) | undefined;
}

interface Listeners {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly onEvent: ((event: ClientEvent) => void) | undefined;
}

/** What is known of the answer to an attempt. */
interface Answer {
  readonly requestId: () => string | undefined;
  readonly header: NonNullable<ClientEvent["header"]>;
}

type Outcome = NonNullable<ClientEvent["outcome"]>;

/** The one source of the events of an operation: for the hook, the log, the progress and the tracing channels. */
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

  /** An attempt begins. @returns to be called when it has ended */
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
