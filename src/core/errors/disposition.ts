import { isObject } from "../validate.js";
import { SaasManagementError } from "./index.js";

/**
 * Tells a scheduler what to do after an error.
 *
 * - `retry-now`: start the same job again.
 * - `retry-after`: start the job again after the error's `retryAfterMs`, or after a few minutes if it has none.
 * - `needs-approval`: the run was held, and a person has to decide.
 * - `fix-data`: records or files are invalid.
 * - `fix-configuration`: an option, an address, a folder or the program itself is wrong.
 * - `fix-credential`: the key is missing, was refused, or doesn't permit the operation.
 * - `unknown`: the outcome of a completion is unknown, or none of the above fits the error.
 *
 * If an error of your own should lead to another run, set `retryable: true` on it, and `retryAfterMs: 0` to run again
 * at once.
 */
export function disposition(
  error: unknown,
):
  | "retry-now"
  | "retry-after"
  | "needs-approval"
  | "fix-data"
  | "fix-configuration"
  | "fix-credential"
  | "unknown" {
  if (!(error instanceof SaasManagementError)) return askedBy(error) ?? "unknown";
  switch (error.code) {
    case "RUN_HELD":
      return "needs-approval";
    case "INVALID_INPUT":
      // An InvalidInputError without issues is about the arguments of a call.
      return askedBy(error) ?? (error.issues.length > 0 ? "fix-data" : "fix-configuration");
    case "MUTATION_REJECTED":
      return "fix-data";
    case "SYNC_PROTOCOL":
      return error.grpcStatus === "INVALID_ARGUMENT" ? "fix-data" : "unknown";
    case "INVALID_CONFIGURATION":
      // A store's error is retryable if the store is only temporarily unreachable.
      return askedBy(error.cause) ?? askedBy(error) ?? "fix-configuration";
    case "SPOOL_FAILED":
      return "fix-configuration";
    case "AUTHENTICATION_FAILED":
      return askedBy(error.cause) ?? "fix-credential";
    case "PERMISSION_DENIED":
      return "fix-credential";
    case "BATCH_IN_PROGRESS":
    case "RATE_LIMITED":
    case "TIMEOUT":
      return "retry-after";
    case "TRANSPORT_FAILED":
      // A service that is down may recover, but a wrong address or certificate stays wrong.
      return error.retryable || (error.status ?? 0) >= 500 ? "retry-after" : "fix-configuration";
    case "BATCH_STATE":
      // The cause, if any, is the error of a failed write that the connector ignored.
      return error.reason === "incomplete" && error.cause !== undefined
        ? disposition(error.cause)
        : "retry-now";
    case "INTERRUPTED":
    case "RUN_OUTDATED":
      return "retry-now";
    case "BATCH_OUTCOME_UNKNOWN":
    case "GRAPHQL_ERRORS":
    case "PAGINATION":
    case "CLOSED":
      return "unknown";
  }
}

/** The disposition that an error from a connector, source, store or key function sets with `retryable`. */
function askedBy(error: unknown): "retry-now" | "retry-after" | undefined {
  if (!isObject(error) || Reflect.get(error, "retryable") !== true) return undefined;
  return Reflect.get(error, "retryAfterMs") === 0 ? "retry-now" : "retry-after";
}
