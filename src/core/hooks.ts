import type { ErrorCode } from "./errors/index.js";
import type { Logger } from "./logger.js";

/** What an attempt is for. Names and numbers only: never a key, a variable, a header, a body or a record. */
export interface OperationInfo {
  /** The API that is called. */
  readonly api: "graphql" | "sync";
  /**
   * GraphQL: name of the operation in its document, undefined if it has none. Sync API: name of the RPC, such as
   * `SyncRecords`.
   */
  readonly operation: string | undefined;
  /** GraphQL: what the operation is; undefined if the document cannot be read, and for the Sync API. */
  readonly kind: "query" | "mutation" | "subscription" | undefined;
  /** Sync API: collection of the records that are sent; undefined if there are none, and for GraphQL. */
  readonly collection: string | undefined;
}

/** An attempt at an operation begins. */
export interface RequestEvent extends OperationInfo {
  /** Number of the attempt, from 1. */
  readonly attempt: number;
}

/** An attempt at an operation has ended. */
export interface ResponseEvent extends RequestEvent {
  /** How long the attempt took, in milliseconds. */
  readonly durationMs: number;
  /**
   * `cancelled`: the caller ended it, or closed what it belongs to. A mutation whose payload holds typed errors is a
   * `success` here: the service answered.
   */
  readonly outcome: "success" | "failure" | "cancelled";
  /** HTTP status of the answer; undefined if there was none, and for the Sync API. */
  readonly status: number | undefined;
  /** Name of the gRPC status, such as `OK` or `UNAVAILABLE`; undefined if there was none, and for GraphQL. */
  readonly grpcStatus: string | undefined;
  /** Code of the error; undefined if it was not an error of the SDK. */
  readonly code: ErrorCode | undefined;
  /** The server's own id of the request; undefined if it sent none. */
  readonly requestId: string | undefined;
}

/** An attempt has failed, and another one follows after a pause. */
export interface RetryEvent extends RequestEvent {
  /** Length of the pause, in milliseconds; 0 if a refused key was replaced. */
  readonly delayMs: number;
  /** Code of the error with which the attempt failed. */
  readonly code: ErrorCode;
}

/**
 * Callbacks for metrics and traces. They get frozen objects and are not awaited; what they throw or reject with is
 * logged and changes nothing.
 */
export interface HookOptions {
  /** Called when an attempt begins, before the credential is asked for. @default none */
  readonly onRequest?: ((event: RequestEvent) => void | Promise<void>) | undefined;
  /** Called when an attempt has ended: once for each call of `onRequest`. @default none */
  readonly onResponse?: ((event: ResponseEvent) => void | Promise<void>) | undefined;
  /** Called before each pause. @default none */
  readonly onRetry?: ((event: RetryEvent) => void | Promise<void>) | undefined;
}

/** The hooks as the SDK calls them: none throws, and one that is not set is undefined. */
export interface Hooks {
  readonly onRequest: ((event: RequestEvent) => void) | undefined;
  readonly onResponse: ((event: ResponseEvent) => void) | undefined;
  readonly onRetry: ((event: RetryEvent) => void) | undefined;
}

/** Wraps hooks with {@link safeCallback}. */
export function safeHooks({ onRequest, onResponse, onRetry }: HookOptions, logger: Logger): Hooks {
  return {
    onRequest: onRequest && safeCallback("onRequest", onRequest, logger),
    onResponse: onResponse && safeCallback("onResponse", onResponse, logger),
    onRetry: onRetry && safeCallback("onRetry", onRetry, logger),
  };
}

/**
 * Wraps a callback of the caller: it never throws and is not awaited. What it throws or rejects with is logged.
 * @param name Name of the option, for the log.
 */
export function safeCallback<Event>(
  name: string,
  callback: ((event: Event) => unknown) | undefined,
  logger: Logger,
): (event: Event) => void {
  return (event) => {
    const failed = (error: unknown): void =>
      logger.error(`saas-management: ${name} threw an exception`, { event, error });
    try {
      Promise.resolve(callback?.(event)).catch(failed);
    } catch (error) {
      failed(error);
    }
  };
}
