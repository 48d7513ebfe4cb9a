import {
  isMutationError,
  RateLimitError,
  SaasManagementError,
  TimeoutError,
  TransportError,
} from "@saas-management/sdk/graphql";

/** What to tell a person about a failure: what happened, and what to do. */
export function problemsOf(error: Error): readonly string[] {
  if (isMutationError(error, "createProcurementCase"))
    return error.errors.map(({ message }) => message || "The service refused the case.");
  if (isMutationError(error, "updateProcurementCase"))
    return error.errors.map((entry) => {
      switch (entry.__typename) {
        case "ProcurementCaseCompletedError":
          return "Someone has already completed this case.";
        case "ProcurementCaseNotFoundError":
          return "This case no longer exists.";
        default:
          return "The service refused the change.";
      }
    });
  if (error instanceof RateLimitError) return ["Too many requests. Wait a moment, then try again."];
  if (error instanceof TimeoutError) return ["The service is taking too long. Try again."];
  if (error instanceof TransportError) return ["The service can't be reached. Try again."];
  if (error instanceof SaasManagementError) return [`Something went wrong (${error.code}).`];
  return [error.message];
}
