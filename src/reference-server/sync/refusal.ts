import { Metadata, type StatusObject, status } from "@grpc/grpc-js";
import type { BatchState } from "./batch.js";

/** A request that the Sync API refuses, with the gRPC status and trailers of the answer. */
export class Refusal extends Error {
  constructor(
    readonly code: status,
    details: string,
    readonly trailers: Readonly<Record<string, string>> = {},
  ) {
    super(details);
    this.name = "Refusal";
  }

  /** A batch is not in the state that the operation needs; the trailer `batch-state` names the one it is in. */
  static wrongState(state: BatchState, details: string): Refusal {
    return new Refusal(status.FAILED_PRECONDITION, details, { "batch-state": state });
  }
}

/** The answer that a failed call gets. What is not a refusal is a defect of the server and tells nothing. */
export function toStatus(error: unknown): StatusObject {
  if (!(error instanceof Refusal)) {
    const details = "The reference server failed to handle the request.";
    return { code: status.INTERNAL, details, metadata: new Metadata() };
  }
  const metadata = new Metadata();
  for (const [name, value] of Object.entries(error.trailers)) metadata.set(name, value);
  return { code: error.code, details: error.message, metadata };
}
