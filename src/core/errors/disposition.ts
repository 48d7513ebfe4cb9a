import { isObject } from "../validate.js";
import { SaasManagementError } from "./index.js";

/**
 * Tells what a scheduler does next after an error.
 *
 * - `retry-now`: start the same job again.
 * - `retry-after`: start it again later: after the error's `retryAfterMs` if it has one, otherwise after some minutes.
 * - `needs-approval`: a person decides about a held run.
 * - `fix-data`: records or files are not valid.
 * - `fix-configuration`: an option, an address, a folder or the program is not right.
 * - `fix-credential`: the key is missing, refused, or does not permit this.
 * - `unknown`: the outcome of a completion is not known, or the error is not one of these.
 *
 * An error of your own asks for another run with `retryable: true`: at once with `retryAfterMs: 0`, otherwise later.
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
      // Without issues it is about the arguments of a call.
      return askedBy(error) ?? (error.issues.length > 0 ? "fix-data" : "fix-configuration");
    case "MUTATION_REJECTED":
      return "fix-data";
    case "SYNC_PROTOCOL":
      return error.grpcStatus === "INVALID_ARGUMENT" ? "fix-data" : "unknown";
    case "INVALID_CONFIGURATION":
      // A store that cannot be reached now says so.
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
      // A service that broke down may recover; an address or a certificate does not.
      return error.retryable || (error.status ?? 0) >= 500 ? "retry-after" : "fix-configuration";
    case "BATCH_STATE":
      // A write has failed, and the connector went on.
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

/** What an error of a connector, a source, a store or a key function asks for. */
function askedBy(error: unknown): "retry-now" | "retry-after" | undefined {
  if (!isObject(error) || Reflect.get(error, "retryable") !== true) return undefined;
  return Reflect.get(error, "retryAfterMs") === 0 ? "retry-now" : "retry-after";
}
