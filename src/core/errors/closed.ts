import { SaasManagementError } from "./base.js";

/** The client or the handle was closed (service description, "Errors"). */
export class ClosedError extends SaasManagementError {
  static readonly code = "CLOSED";
  /** @internal */
  static override readonly name = "ClosedError";
  override readonly code = ClosedError.code;
}
