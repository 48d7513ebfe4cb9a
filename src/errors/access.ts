import { SaasManagementError } from "./base.js";

/** The service does not accept the credential, or there is no usable one. */
export class AuthenticationError extends SaasManagementError {
  static readonly code = "AUTHENTICATION_FAILED";
  override readonly code = AuthenticationError.code;
}

/** The credential is known but may not do this. */
export class PermissionDeniedError extends SaasManagementError {
  static readonly code = "PERMISSION_DENIED";
  override readonly code = PermissionDeniedError.code;
}
