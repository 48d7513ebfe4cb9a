import { status } from "@grpc/grpc-js";

/** What gRPC servers, proxies and load balancers say with a status, so that a client meets the real texts. */
const TYPICAL_DETAILS: Readonly<Record<number, string>> = {
  [status.CANCELLED]: "The operation was cancelled.",
  [status.UNKNOWN]: "Exception was thrown by handler.",
  [status.INVALID_ARGUMENT]: "The request is not valid.",
  [status.DEADLINE_EXCEEDED]: "Deadline exceeded",
  [status.NOT_FOUND]: "There is no such batch.",
  [status.ALREADY_EXISTS]: "Another batch is in progress for this installation.",
  [status.PERMISSION_DENIED]: "Permission denied.",
  [status.RESOURCE_EXHAUSTED]: "Too many requests.",
  [status.FAILED_PRECONDITION]: "The batch is not active.",
  [status.ABORTED]: "The operation was aborted, because of a conflict with another one.",
  [status.OUT_OF_RANGE]: "Out of range.",
  [status.UNIMPLEMENTED]: "Method is unimplemented.",
  [status.INTERNAL]: "Internal server error",
  [status.UNAVAILABLE]:
    "upstream connect error or disconnect/reset before headers. reset reason: connection termination",
  [status.DATA_LOSS]: "Unrecoverable data loss.",
  [status.UNAUTHENTICATED]: "The API key was revoked.",
};

/** What is typically said with a status code. */
export function typicalDetails(code: number): string {
  return TYPICAL_DETAILS[code] ?? "Injected fault.";
}
