import { type ErrorDetails, SaasManagementError } from "./base.js";

/** The network or the server failed, or the answer is not one of the API (service description, "Errors"). */
export class TransportError extends SaasManagementError {
  static readonly code = "TRANSPORT_FAILED";
  /** @internal */
  static override readonly name = "TransportError";
  override readonly code = TransportError.code;
  /** HTTP status, if there was an HTTP answer. */
  readonly status: number | undefined;
  /** Declared content type of the HTTP answer. */
  readonly contentType: string | undefined;
  /** Name of the gRPC status, such as `UNAVAILABLE`. */
  readonly grpcStatus: string | undefined;
  /** How long the service asks to wait, in milliseconds; undefined if it does not say. */
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

/** The service asks for fewer requests. */
export class RateLimitError extends SaasManagementError {
  static readonly code = "RATE_LIMITED";
  /** @internal */
  static override readonly name = "RateLimitError";
  override readonly code = RateLimitError.code;
  /** How long the service asks to wait, in milliseconds; undefined if it does not say. */
  readonly retryAfterMs: number | undefined;

  constructor(message: string, details: ErrorDetails & { readonly retryAfterMs?: number | undefined } = {}) {
    super(message, details);
    this.retryAfterMs = details.retryAfterMs;
  }
}

/** The operation's time is up. `cause` is the failure of the last attempt that was answered, if any. */
export class TimeoutError extends SaasManagementError {
  static readonly code = "TIMEOUT";
  /** @internal */
  static override readonly name = "TimeoutError";
  override readonly code = TimeoutError.code;
  /** Time of the operation, in milliseconds. */
  readonly timeoutMs: number;

  constructor(message: string, details: ErrorDetails & { readonly timeoutMs: number }) {
    super(message, details);
    this.timeoutMs = details.timeoutMs;
  }
}

/** The service refused the credential, or there is no usable one (service description, "Authentication"). */
export class AuthenticationError extends SaasManagementError {
  static readonly code = "AUTHENTICATION_FAILED";
  /** @internal */
  static override readonly name = "AuthenticationError";
  override readonly code = AuthenticationError.code;
}

/** The credential is valid but does not permit this (service description, "Errors"). */
export class PermissionDeniedError extends SaasManagementError {
  static readonly code = "PERMISSION_DENIED";
  /** @internal */
  static override readonly name = "PermissionDeniedError";
  override readonly code = PermissionDeniedError.code;
}

/** The client or the handle was closed (service description, "Errors"). */
export class ClosedError extends SaasManagementError {
  static readonly code = "CLOSED";
  /** @internal */
  static override readonly name = "ClosedError";
  override readonly code = ClosedError.code;
}
