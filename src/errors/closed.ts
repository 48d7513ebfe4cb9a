import { SaasManagementError } from "./base.js";

/** The client or the handle was closed. */
export class ClosedError extends SaasManagementError {
  static readonly code = "CLOSED";
  override readonly code = ClosedError.code;
}
