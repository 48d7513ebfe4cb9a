import { SaasManagementError } from "./base.js";

/** The client or the handle was closed (service description, "Errors"). */
export class ClosedError extends SaasManagementError {
  static readonly code = "CLOSED";
  override readonly code = ClosedError.code;
}
