import { annotate, TransportError } from "../../core/errors/index.js";
import { WIRE } from "../generated/collections.js";
import type { SyncConfiguration } from "../options.js";
import type { WriteReport } from "./outcomes.js";

/**
 * Whether the service may have taken events that a second sending would count twice, where the caller minds: events
 * without an id, and what became of them is not known.
 */
export function hasUnknownEvents(
  writes: readonly WriteReport[],
  { unknownEvents }: SyncConfiguration,
): boolean {
  if (unknownEvents === "retry") return false;
  return writes.some(
    ({ collection, ranges }) =>
      WIRE[collection].idField === undefined && ranges.some(({ outcome }) => outcome === "unknown"),
  );
}

/** The failure of a window of such events: to write them once more is not safe. */
export function unknownEventsError(failure: TransportError): TransportError {
  const { message, status, contentType, grpcStatus, retryAfterMs, serverMessage } = failure;
  const error = new TransportError(
    `${message} Whether the service took these events is not known, and unknownEvents: "fail" keeps them from being sent again.`,
    { status, contentType, grpcStatus, retryAfterMs, serverMessage },
  );
  return annotate(error, failure);
}
