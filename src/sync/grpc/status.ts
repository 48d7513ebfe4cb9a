import { type Metadata, status } from "@grpc/grpc-js";
import type { Credential } from "../../core/credential.js";
import {
  AuthenticationError,
  BatchAlreadyInProgressError,
  PermissionDeniedError,
  RateLimitError,
  type SaasManagementError,
  SyncProtocolError,
  TransportError,
} from "../../core/errors/index.js";
import type { SyncRpc } from "../transport.js";
import { type ConnectionFailure, connectionFailure, type EndpointKind } from "./connection-failure.js";
import { readRetryHint } from "./retry-hint.js";

/** What a failed call is known by. */
export interface FailedCall {
  readonly code: number;
  readonly details: string;
  readonly metadata: Metadata;
}

/** The operation that failed, and where. */
export interface CallPlace extends EndpointKind {
  readonly operation: SyncRpc;
  /** Host and port. */
  readonly target: string;
  readonly credential: Credential;
  readonly maxReceiveMessageBytes: number;
  /** Wall-clock time. */
  readonly now: () => number;
}

/** Trailer in which the service tells the state of a batch that is not active. */
const BATCH_STATE_TRAILER = "batch-state";

/** Statuses of a server or a network that may do better the next time. */
const TRANSIENT: ReadonlySet<number> = new Set([
  status.UNAVAILABLE,
  status.DEADLINE_EXCEEDED,
  status.CANCELLED,
]);

/**
 * What grpc-js says of streams that were reset with ENHANCE_YOUR_CALM and INADEQUATE_SECURITY. It gives them statuses
 * of a refusal; the service refused nothing, and may have done what it was asked.
 */
const RESET_STREAM: ReadonlySet<string> = new Set([
  "Bandwidth exhausted or memory limit exceeded",
  "Protocol not secure enough",
]);

/** The details of an answer in a compression that grpc-js does not know, for which it has none. */
export const UNKNOWN_COMPRESSION = "Unknown compression";

/**
 * What grpc-js says of an answer that cannot be read, with a status of its own: the service said OK, or may yet have
 * done what it was asked.
 */
const UNREADABLE_ANSWERS: readonly RegExp[] = [
  /^No message received$/,
  /^Too many responses received$/,
  /^Response message parsing error/,
  /^Failed to decompress (deflate|gzip)-encoded message$/,
  new RegExp(`^${UNKNOWN_COMPRESSION}$`),
];

/** What grpc-js says of an answer that is compressed and would be too large. Requests are not compressed. */
const TOO_LARGE_DECOMPRESSED = /^Received message that decompresses to a size larger than \d+$/;

/** Turns a gRPC status into an error of the SDK, by its meaning: on the status and on the details. */
export function toSyncError(failed: FailedCall, place: CallPlace): SaasManagementError {
  const { operation } = place;
  const { code, details } = failed;
  const serverMessage = place.credential.redact(details);
  if (RESET_STREAM.has(details)) return disturbed(failed, place, serverMessage);
  if (UNREADABLE_ANSWERS.some((text) => text.test(details))) return unreadable(place);
  if (TOO_LARGE_DECOMPRESSED.test(details)) return answerTooLarge(place, serverMessage);
  switch (code) {
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
      if (/larger than|too large|size|bytes/i.test(details)) return tooLarge(failed, place, serverMessage);
      return new RateLimitError(`${operation}: the service asks for fewer requests. Try again later.`, {
        serverMessage,
        ...readRetryHint(failed.metadata, place.now()),
      });
  }
  const failure = code === status.UNAVAILABLE ? connectionFailure(details, place) : undefined;
  if (failure !== undefined) return toConnectionError(failure, place, serverMessage);
  // grpc-js reports a reset stream as INTERNAL; a message that could not be encoded or decoded has the same status.
  if (TRANSIENT.has(code) || (code === status.INTERNAL && details.includes("RST_STREAM"))) {
    return disturbed(failed, place, serverMessage);
  }
  const httpStatus = /^Received HTTP status code (\d{3})$/.exec(details)?.[1];
  if (httpStatus !== undefined) return notGrpc(place, Number(httpStatus));
  return new SyncProtocolError(`${operation}: the service rejected the operation with ${nameOf(code)}.`, {
    // gRPC takes a status that it does not know for this one.
    grpcStatus: status[code] ?? status[status.UNKNOWN],
    batchState: batchState(failed.metadata, place.credential),
    serverMessage,
  });
}

function disturbed(
  { code, metadata }: FailedCall,
  { operation, target, now }: CallPlace,
  serverMessage: string,
): TransportError {
  return new TransportError(
    `${operation}: the call to ${target} failed with ${nameOf(code)}. The service or the network had a temporary problem: try again later.`,
    { grpcStatus: nameOf(code), serverMessage, ...readRetryHint(metadata, now()) },
  );
}

function nameOf(code: number): string {
  return status[code] ?? `status ${code}`;
}

/** The error of a call for which there was no connection: nothing was sent. */
export function toConnectionError(
  { reason, advice, retryable }: ConnectionFailure,
  { operation, target }: CallPlace,
  serverMessage?: string,
): TransportError {
  return new TransportError(`${operation}: no connection to ${target}: ${reason}. ${advice}`, {
    grpcStatus: status[status.UNAVAILABLE],
    serverMessage,
    retryable,
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
    `Another batch of the installation ${installationId} is in progress. Wait until it is completed or aborted, with waitForLockMs; the lock of an owner that died ends 15 minutes after its last accepted message.`,
    { installationId, serverMessage: place.credential.redact(failed.details) },
  );
}

/** No status: the service may have done what it was asked. */
function answerTooLarge(
  { operation, maxReceiveMessageBytes }: CallPlace,
  serverMessage: string,
): SyncProtocolError {
  return new SyncProtocolError(
    `${operation}: the answer is larger than maxReceiveMessageBytes, which is ${maxReceiveMessageBytes}. Raise it.`,
    { serverMessage },
  );
}

/** The answer, or what was sent. */
function tooLarge({ details }: FailedCall, place: CallPlace, serverMessage: string): SyncProtocolError {
  const { operation, maxReceiveMessageBytes } = place;
  // grpc-js says the same of an answer here as of a request there. Only records make a request large; the limit tells.
  const limit = /^Received message larger than max \(\d+ vs (\d+)\)/.exec(details)?.[1];
  if (limit !== undefined && (operation !== "SyncRecords" || Number(limit) === maxReceiveMessageBytes)) {
    return answerTooLarge(place, serverMessage);
  }
  if (operation !== "SyncRecords") return unsendable(place, serverMessage);
  return new SyncProtocolError(
    `${operation}: the service does not take a message of this size. Lower messageBytes and maxSendMessageBytes.`,
    { grpcStatus: status[status.RESOURCE_EXHAUSTED], serverMessage },
  );
}

/** No status: what it could not answer, the service may have done. */
function unsendable({ operation }: CallPlace, serverMessage: string): SyncProtocolError {
  return new SyncProtocolError(
    `${operation}: the service could not send its answer, which it finds too large.`,
    { serverMessage },
  );
}

/** No status and no details: the service may have done what it was asked, and the details quote the answer. */
function unreadable({ operation }: CallPlace): SyncProtocolError {
  return new SyncProtocolError(
    `${operation}: the answer cannot be read. Is the endpoint the address of the Sync API?`,
  );
}

function notGrpc({ operation, target }: CallPlace, httpStatus: number): TransportError {
  return new TransportError(
    `${operation}: ${target} answered with HTTP status ${httpStatus} instead of a gRPC response. Check that the endpoint is the address of the Sync API.`,
    { status: httpStatus },
  );
}

/** It is shown in errors, so only what looks like the name of a state is one, and nothing of a secret. */
function batchState(metadata: Metadata, credential: Credential): string | undefined {
  const [value] = metadata.get(BATCH_STATE_TRAILER);
  if (typeof value !== "string" || !/^[\w-]{1,40}$/.test(value)) return undefined;
  return credential.redact(value) === value ? value : undefined;
}
