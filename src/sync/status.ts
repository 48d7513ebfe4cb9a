import { type Metadata, status } from "@grpc/grpc-js";
import type { Credential } from "../credential.js";
import {
  AuthenticationError,
  BatchAlreadyInProgressError,
  PermissionDeniedError,
  RateLimitError,
  type SaasManagementError,
  SyncProtocolError,
  TransportError,
} from "../errors.js";

/** What a failed call is known by. */
export interface FailedCall {
  readonly code: number;
  readonly details: string;
  readonly metadata: Metadata;
}

/** The operation that failed, for the message. */
export interface CallPlace {
  readonly operation: "StartSyncBatch" | "SyncRecords" | "CompleteSyncBatch" | "AbortSyncBatch";
  /** Host and port. */
  readonly target: string;
  readonly credential: Credential;
}

/** Trailer in which the service tells the state of a batch that is not active. */
const BATCH_STATE_TRAILER = "batch-state";

/** Statuses of a server or a network that may do better the next time. */
const TRANSIENT: ReadonlySet<number> = new Set([
  status.UNAVAILABLE,
  status.DEADLINE_EXCEEDED,
  status.CANCELLED,
]);

/** Turns a gRPC status into an error of the SDK, by its meaning: on the status and on the details. */
export function toSyncError(failed: FailedCall, place: CallPlace): SaasManagementError {
  const { operation } = place;
  const name = status[failed.code] ?? `status ${failed.code}`;
  const serverMessage = place.credential.redact(failed.details);
  switch (failed.code) {
    case status.UNAUTHENTICATED:
      return new AuthenticationError(
        `${operation}: the service does not accept the credential. Is the API key complete, active, and of this workspace?`,
        { serverMessage },
      );
    case status.PERMISSION_DENIED:
      return new PermissionDeniedError(
        `${operation}: the API key may not do this. It needs write access and the permission integration:sync, and the installation and the batch must be of its workspace.`,
        { serverMessage },
      );
    case status.RESOURCE_EXHAUSTED:
      // The same status tells of a message that is too large, here or there, which no repetition mends.
      if (/larger than|too large|size|bytes/i.test(failed.details)) break;
      return new RateLimitError(`${operation}: the service asks for fewer requests. Try again later.`, {
        serverMessage,
        retryable: true,
      });
    case status.INTERNAL:
      // grpc-js reports a reset stream so; a message that could not be encoded or decoded has the same status.
      if (!/RST_STREAM/.test(failed.details)) break;
      return unreachable(place, name, serverMessage);
  }
  if (TRANSIENT.has(failed.code)) return unreachable(place, name, serverMessage);
  return new SyncProtocolError(`${operation}: the service rejected the operation with ${name}.`, {
    grpcStatus: name,
    batchState: batchState(failed.metadata),
    serverMessage,
  });
}

/** Statuses with which a start is refused because a lock is held; which of them the service uses is not shown. */
const LOCKED: ReadonlySet<number> = new Set([
  status.ALREADY_EXISTS,
  status.FAILED_PRECONDITION,
  status.ABORTED,
]);

/** The same for StartSyncBatch, where some refusals mean that another batch holds the lock. */
export function toStartError(
  failed: FailedCall,
  place: CallPlace,
  installationId: string,
): SaasManagementError {
  if (!LOCKED.has(failed.code)) return toSyncError(failed, place);
  return new BatchAlreadyInProgressError(
    "Another batch of this installation is in progress. Wait until it is completed or aborted; the lock of an owner that died ends 15 minutes after its last accepted message.",
    { installationId, serverMessage: place.credential.redact(failed.details) },
  );
}

function unreachable({ operation, target }: CallPlace, name: string, serverMessage: string): TransportError {
  return new TransportError(
    `${operation}: the call to ${target} failed with ${name}. Check the address, the network and TLS settings, or try again later.`,
    { grpcStatus: name, serverMessage, retryable: true },
  );
}

function batchState(metadata: Metadata): string | undefined {
  const [value] = metadata.get(BATCH_STATE_TRAILER);
  return typeof value === "string" ? value : undefined;
}
