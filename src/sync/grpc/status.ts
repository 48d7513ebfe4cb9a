import { type Metadata, status } from "@grpc/grpc-js";
import {
  AuthenticationError,
  BatchInProgressError,
  PermissionDeniedError,
  RateLimitError,
  type SaasManagementError,
  SyncProtocolError,
  TransportError,
} from "../../core/errors/index.js";
import {
  NETWORK_ERRORS,
  type NetworkError,
  networkErrorInText,
  throughProxy,
} from "../../core/network-errors.js";
import { parseRetryAfter } from "../../core/retry.js";
import { BATCH_STATE_KEY } from "../generated/contract.js";
import type { SyncConfiguration } from "../options.js";
import type { SyncRpc } from "../transport.js";

export interface FailedCall {
  readonly code: number;
  readonly details: string;
  readonly metadata: Metadata;
  /** Whether the other side sent anything, such as a status. */
  readonly isAnswered: boolean;
}

export interface CallPlace
  extends Pick<SyncConfiguration, "clock" | "credential" | "maxReceiveMessageBytes"> {
  readonly proxy?: SyncConfiguration["proxy"];
  readonly operation: SyncRpc;
  readonly target: string;
  readonly secure: boolean;
  readonly clientCertificate: boolean;
}

/** Statuses from which the server or the network may recover. */
const TRANSIENT: ReadonlySet<number> = new Set([
  status.UNAVAILABLE,
  status.DEADLINE_EXCEEDED,
  status.CANCELLED,
]);

/**
 * What grpc-js says when a stream is reset with ENHANCE_YOUR_CALM or INADEQUATE_SECURITY. grpc-js reports both as
 * refusals, but the service refused nothing, and may have executed the call.
 */
const RESET_STREAM: ReadonlySet<string> = new Set([
  "Bandwidth exhausted or memory limit exceeded",
  "Protocol not secure enough",
]);

/** What grpc-js says when a stream is reset with REFUSED_STREAM, or comes after the last stream of a GOAWAY. */
const REFUSED_STREAM = "Stream refused by server";

/**
 * Whether the server certainly didn't process the call (RFC 9113, section 8.7). If a response contains the text, a
 * proxy may have tried more than once, so nothing is certain.
 */
export function isUnprocessed(failure: FailedCall | undefined): boolean {
  return failure?.details === REFUSED_STREAM && !failure.isAnswered;
}

/** Stands in for the details that grpc-js leaves out if it doesn't know a response's compression. */
export const UNKNOWN_COMPRESSION = "Unknown compression";

/** What grpc-js says about a response that it can't read, with a made-up status: the service may have said OK. */
const UNREADABLE_ANSWERS = new RegExp(
  `^(No message received|Too many responses received|Failed to decompress (deflate|gzip)-encoded message|${UNKNOWN_COMPRESSION})$|^Response message parsing error`,
);

/** What grpc-js says about a compressed response that is too large. Requests aren't compressed. */
const TOO_LARGE_DECOMPRESSED = /^Received message that decompresses to a size larger than \d+$/;

export function toSyncError(failed: FailedCall, place: CallPlace): SaasManagementError {
  const { operation } = place;
  const { code, details } = failed;
  const serverMessage = place.credential.redact(details);
  if (RESET_STREAM.has(details)) return callFailed(failed, place, serverMessage);
  // Leaves out status and details, because the service may have executed the call, and the details quote the response.
  if (UNREADABLE_ANSWERS.test(details))
    return new SyncProtocolError(
      `${operation}: the answer is unreadable. Check that the endpoint is the address of the Sync API.`,
    );
  if (TOO_LARGE_DECOMPRESSED.test(details)) return answerTooLarge(place, serverMessage);
  // Checks the HTTP status first: grpc-js derives a gRPC status from it, but a proxy's 401 says nothing about the key.
  const httpStatus = /^Received HTTP status code (\d{3})$/.exec(details)?.[1];
  if (httpStatus !== undefined) return answeredOnTheWay(Number(httpStatus), failed, place);
  switch (code) {
    case status.UNAUTHENTICATED:
      return new AuthenticationError(
        `${operation}: the service rejected the API key or other credential. Check that the API key is complete, active and belongs to this workspace.`,
        { serverMessage },
      );
    case status.PERMISSION_DENIED:
      return new PermissionDeniedError(
        `${operation}: the API key isn't allowed to do this. It needs write access and the permission integration:sync; the installation and the batch must belong to the key's workspace.`,
        { serverMessage },
      );
    case status.RESOURCE_EXHAUSTED:
      // This status may also mean that a message is too large for one side, which no retry can fix.
      if (/larger than|too large|size|bytes/i.test(details)) return tooLarge(failed, place, serverMessage);
      return new RateLimitError(`${operation}: too many requests. Try again later.`, {
        serverMessage,
        ...retryHint(failed.metadata, place),
      });
  }
  const failure = code === status.UNAVAILABLE ? connectionFailure(details, place) : undefined;
  if (failure !== undefined) return toConnectionError(failure, place, serverMessage);
  // grpc-js reports a reset stream as INTERNAL, just like a message that can't be encoded or decoded.
  if (TRANSIENT.has(code) || (code === status.INTERNAL && details.includes("RST_STREAM"))) {
    return callFailed(failed, place, serverMessage);
  }
  return new SyncProtocolError(
    `${operation}: the service rejected the operation with ${nameOf(code)}. See serverMessage for its reason.`,
    {
      // gRPC treats unknown statuses as UNKNOWN.
      grpcStatus: status[code] ?? status[status.UNKNOWN],
      batchState: batchState(failed.metadata, place),
      serverMessage,
      advice: { option: "serverMessage", text: " See serverMessage for its reason." },
    },
  );
}

/** Temporary HTTP statuses: too many requests, or a proxy that can't reach its server. */
const PASSING: ReadonlySet<number> = new Set([429, 502, 503, 504]);

export const HTTP_TOO_LARGE = 413;
const CHECK_PROXY = "Check the credentials and the rules of the proxies and gateways in between";
const HTTP_ADVICE: Readonly<Partial<Record<number, string>>> = {
  401: CHECK_PROXY,
  403: CHECK_PROXY,
  407: CHECK_PROXY,
  [HTTP_TOO_LARGE]:
    "Raise its limit for request bodies (nginx: client_max_body_size 0), or set windowBytes below that limit",
};

/** The service always sends a gRPC status. A bare HTTP status comes from a proxy, a gateway or another server. */
function answeredOnTheWay(httpStatus: number, { metadata }: FailedCall, place: CallPlace): TransportError {
  const isPassing = PASSING.has(httpStatus);
  const advice =
    HTTP_ADVICE[httpStatus] ??
    (isPassing ? "Try again later" : "Check that the endpoint is the address of the Sync API");
  return new TransportError(
    `${place.operation}: something between this machine and ${place.target}, such as a proxy, answered with HTTP status ${httpStatus} instead of the service. ${advice}.`,
    { status: httpStatus, ...(isPassing ? retryHint(metadata, place) : {}) },
  );
}

/** Statuses that may mean that the lock is held. The service description doesn't say which status is used. */
const LOCKED: ReadonlySet<number> = new Set([
  status.ALREADY_EXISTS,
  status.FAILED_PRECONDITION,
  status.ABORTED,
]);

/** Like {@link toSyncError}, for StartSyncBatch: some of its refusals mean that another batch holds the lock. */
export function toStartError(
  failed: FailedCall,
  place: CallPlace,
  installationId: string,
): SaasManagementError {
  if (!LOCKED.has(failed.code)) return toSyncError(failed, place);
  return new BatchInProgressError(
    `Another batch of the installation ${installationId} is in progress. Set waitForLockMs to wait for its end; if its owner died, a run with the same ledger frees the lock after 10 seconds, otherwise the lock ends 15 minutes after the last accepted message.`,
    {
      installationId,
      serverMessage: place.credential.redact(failed.details),
      advice: { option: "waitForLockMs", text: "Set waitForLockMs" },
    },
  );
}

/** The error of a call that found no connection, so nothing was sent. */
export function toConnectionError(
  failure: NetworkError,
  { operation, target, proxy }: CallPlace,
  details?: string,
): TransportError {
  const { description, advice, retryable } = proxy === undefined ? failure : throughProxy(failure, proxy);
  return new TransportError(`${operation}: no connection to ${target}: ${description}. ${advice}.`, {
    grpcStatus: status[status.UNAVAILABLE],
    // grpc-js's own reason, if we know nothing better.
    cause: failure === NETWORK_ERRORS.UNKNOWN ? new Error(details) : undefined,
    retryable,
  });
}

/** Returns why there was no connection; undefined if the call failed for another reason. */
export function connectionFailure(
  details: string,
  { secure, clientCertificate }: Pick<CallPlace, "secure" | "clientCertificate">,
): NetworkError | undefined {
  if (/^(Name resolution failed|Failed to parse DNS address)/.test(details)) return NETWORK_ERRORS.ENOTFOUND;
  const lastError = /^No connection established\. Last error: (?:Error: )?(.*)/s.exec(details)?.[1];
  if (lastError === undefined) return undefined;
  if (!lastError.startsWith("Failed to connect"))
    return networkErrorInText(lastError) ?? NETWORK_ERRORS.UNKNOWN;
  if (!secure) return NETWORK_ERRORS.CLOSED;
  // A TLS 1.3 server only checks the client's certificate after the client has finished the handshake.
  return clientCertificate ? NETWORK_ERRORS.CLOSED_AFTER_HANDSHAKE : NETWORK_ERRORS.CLOSED_IN_HANDSHAKE;
}

function callFailed(failed: FailedCall, place: CallPlace, serverMessage: string): TransportError {
  const grpcStatus = nameOf(failed.code);
  return new TransportError(
    `${place.operation}: the call to ${place.target} failed with ${grpcStatus}. The service or the network had a temporary problem. Try again later.`,
    { grpcStatus, serverMessage, ...retryHint(failed.metadata, place) },
  );
}

function nameOf(code: number): string {
  return status[code] ?? `status ${code}`;
}

/** The error has no status, because the service may have executed the call. */
function answerTooLarge(
  { operation, maxReceiveMessageBytes }: CallPlace,
  serverMessage: string,
): SyncProtocolError {
  return new SyncProtocolError(
    `${operation}: the answer is larger than maxReceiveMessageBytes (${maxReceiveMessageBytes}). Raise that limit.`,
    { serverMessage },
  );
}

/** Whether the bytes that gRPC took for a length look like text, such as the start of a web page. */
function isTextLength(length: number): boolean {
  const bytes = [24, 16, 8, 0].map((shift) => (length >>> shift) & 0xff);
  return bytes.every(
    (byte) => (byte >= 0x20 && byte < 0x7f) || byte === 0x0a || byte === 0x0d || byte === 0x09,
  );
}

/** The error if either the response or the request is too large. */
function tooLarge({ details }: FailedCall, place: CallPlace, serverMessage: string): SyncProtocolError {
  const { operation, maxReceiveMessageBytes } = place;
  // grpc-js says the same about requests and responses, but only SyncRecords sends large requests.
  const [, length, limit] = /^Received message larger than max \((\d+) vs (\d+)\)/.exec(details) ?? [];
  if (isTextLength(Number(length)))
    return new SyncProtocolError(
      `${operation}: the answer is text, such as a web page, not gRPC. Check that the endpoint is the address of the Sync API.`,
      { serverMessage },
    );
  if (limit !== undefined && (operation !== "SyncRecords" || Number(limit) === maxReceiveMessageBytes))
    return answerTooLarge(place, serverMessage);
  if (operation === "SyncRecords")
    return new SyncProtocolError(
      `${operation}: the service does not accept a message of this size. Lower maxSendMessageBytes.`,
      { grpcStatus: status[status.RESOURCE_EXHAUSTED], serverMessage },
    );
  // The status is left out, because the service may have executed the call.
  return new SyncProtocolError(`${operation}: the service could not send its answer, which is too large.`, {
    serverMessage,
  });
}

/**
 * Reads the trailers `grpc-retry-pushback-ms` (gRFC A6: anything but a number of milliseconds means don't retry) and
 * `retry-after`.
 */
function retryHint(
  trailers: Metadata,
  { clock }: CallPlace,
): { readonly retryable: boolean; readonly retryAfterMs: number | undefined } {
  const [pushback] = trailers.get("grpc-retry-pushback-ms");
  if (pushback !== undefined) {
    const retryAfterMs = /^\d{1,9}$/.test(String(pushback)) ? Number(pushback) : undefined;
    return { retryable: retryAfterMs !== undefined, retryAfterMs };
  }
  const [retryAfter] = trailers.get("retry-after");
  return {
    retryable: true,
    retryAfterMs: typeof retryAfter === "string" ? parseRetryAfter(retryAfter, clock.now()) : undefined,
  };
}

/**
 * The state of a batch that is no longer active. Errors show the state, so it must look like a name and contain no
 * secret.
 */
function batchState(metadata: Metadata, { credential }: CallPlace): string | undefined {
  const [value] = metadata.get(BATCH_STATE_KEY);
  if (typeof value !== "string" || !/^[\w-]{1,40}$/.test(value)) return undefined;
  return credential.redact(value) === value ? value : undefined;
}
