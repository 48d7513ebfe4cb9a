import type { ErrorCode } from "./errors/index.js";
import { guardCallback } from "./guard-callback.js";
import type { Logger } from "./logger.js";

/** What an attempt is about. Names and numbers only: never a key, a variable, a header, a body or a record. */
export interface OperationInfo {
  /** The API that is called. */
  readonly api: "graphql" | "sync";
  /**
   * GraphQL: name of the operation in its document, undefined where it has none. Sync API: name of the RPC, such as
   * `SyncRecords`.
   */
  readonly operation: string | undefined;
  /** GraphQL: what the operation is; undefined where the document cannot be read, and for the Sync API. */
  readonly kind: "query" | "mutation" | "subscription" | undefined;
  /** Sync API: collection of the records that are sent; undefined where there are none, and for GraphQL. */
  readonly collection: string | undefined;
}

/** An attempt at an operation begins. */
export interface RequestEvent extends OperationInfo {
  /** Number of the attempt, from 1. */
  readonly attempt: number;
}

/** An attempt at an operation has ended, however it did. */
export interface ResponseEvent extends RequestEvent {
  /** How long the attempt took, in milliseconds. */
  readonly durationMs: number;
  /**
   * `cancelled`: the caller ended it, or closed what it belongs to. A mutation whose payload holds typed errors is a
   * `success` here: the service answered.
   */
  readonly outcome: "success" | "failure" | "cancelled";
  /** HTTP status of the answer; undefined where there was none, and for the Sync API. */
  readonly status: number | undefined;
  /** Name of the gRPC status, such as `OK` or `UNAVAILABLE`; undefined where there was none, and for GraphQL. */
  readonly grpcStatus: string | undefined;
  /** Code of the error; undefined where there was none of the SDK's. */
  readonly code: ErrorCode | undefined;
  /** The server's own id of the request; undefined where it sent none. */
  readonly requestId: string | undefined;
}

/** An attempt has failed, and another one follows after a pause. */
export interface RetryEvent extends RequestEvent {
  /** Length of the pause, in milliseconds; 0 where a refused key was replaced. */
  readonly delayMs: number;
  /** Code of the error with which the attempt failed. */
  readonly code: ErrorCode;
}

/**
 * Callbacks that look on: for metrics and traces. They get frozen objects, nobody waits for them, and what they throw
 * or reject with is logged and changes nothing.
 */
export interface HookOptions {
  /** Called when an attempt begins, before the credential is asked for. @default none */
  readonly onRequest?: ((event: RequestEvent) => void | Promise<void>) | undefined;
  /** Called when an attempt has ended: once for each call of `onRequest`. @default none */
  readonly onResponse?: ((event: ResponseEvent) => void | Promise<void>) | undefined;
  /** Called before each pause. @default none */
  readonly onRetry?: ((event: RetryEvent) => void | Promise<void>) | undefined;
}

/** Hooks that can be called without care; undefined where nobody looks on. */
export interface Hooks {
  readonly onRequest: ((event: RequestEvent) => void) | undefined;
  readonly onResponse: ((event: ResponseEvent) => void) | undefined;
  readonly onRetry: ((event: RetryEvent) => void) | undefined;
}

/** The hooks as the SDK calls them: none of them throws. */
export function guardHooks({ onRequest, onResponse, onRetry }: HookOptions, logger: Logger): Hooks {
  return {
    onRequest: onRequest && guardCallback("onRequest", onRequest, logger),
    onResponse: onResponse && guardCallback("onResponse", onResponse, logger),
    onRetry: onRetry && guardCallback("onRetry", onRetry, logger),
  };
}
