import { SaasManagementError } from "./base.js";

/** The service does not accept the credential, or there is no usable one (service description, "Authentication"). */
export class AuthenticationError extends SaasManagementError {
  static readonly code = "AUTHENTICATION_FAILED";
  /** @internal */
  static override readonly name = "AuthenticationError";
  override readonly code = AuthenticationError.code;
}

/** The credential is known but may not do this (service description, "Errors"). */
export class PermissionDeniedError extends SaasManagementError {
  static readonly code = "PERMISSION_DENIED";
  /** @internal */
  static override readonly name = "PermissionDeniedError";
  override readonly code = PermissionDeniedError.code;
}
