import type { ErrorCode } from "./errors/index.js";

/**
 * One attempt of one operation of either API. Names and numbers only: never a key, a variable, a header, a body or a
 * record.
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
  /** Sync API: the installation whose batch is started. */
  readonly installationId?: string;
  /** Sync API: the batch, once it has an id. */
  readonly batchId?: string;
};

/**
 * Where the SDK logs. `console` fits, and loggers that take the message first, as winston and consola do. pino and bunyan
 * take the details first: docs/guides/operations.md shows how to wrap them. Never gets a key, a variable or a record.
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

export const SILENT: Logger = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

/** Wraps a logger: it never throws, because a failure to log must not fail what is logged. */
export function safeLogger(logger: Logger | undefined): Logger {
  if (logger === undefined) return SILENT;
  const ignore = () => {};
  const safe =
    (level: keyof Logger): Logger["debug"] =>
    (message, details) =>
      callSafely(() => logger[level](message, details), ignore);
  return { debug: safe("debug"), info: safe("info"), warn: safe("warn"), error: safe("error") };
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
