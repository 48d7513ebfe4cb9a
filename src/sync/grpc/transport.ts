import { credentials, Metadata } from "@grpc/grpc-js";
import { onAbort } from "../../core/abort.js";
import { SyncProtocolError, TimeoutError, TransportError } from "../../core/errors/index.js";
import { COLLECTIONS } from "../collections.js";
import {
  AbortSyncBatchRequest,
  CompleteSyncBatchRequest,
  type CompleteSyncBatchResponse,
  StartSyncBatchRequest,
  SyncServiceService,
} from "../generated/contract.js";
import type { SyncConfiguration } from "../options.js";
import type { CallContext, CompletionCounts, StoredMessage, SyncTransport } from "../transport.js";
import { type Call, clientStream, type Upload, unary } from "./calls.js";
import { Connections } from "./connection.js";
import { targetOf } from "./options.js";
import {
  type CallPlace,
  type FailedCall,
  HTTP_TOO_LARGE,
  isUnprocessed,
  toConnectionError,
  toStartError,
  toSyncError,
} from "./status.js";

/** How much later gRPC's deadline is than the operation's own, so that the more helpful error comes first. */
const DEADLINE_SLACK_MS = 1000;
/**
 * The longest deadline that we send, because servers may count milliseconds in 32 bits (24.8 days), and grpc-js crashes
 * the process if a deadline has too many digits for gRPC's header.
 */
const MAX_DEADLINE_MS = 24 * 24 * 3_600_000;

export class GrpcTransport implements SyncTransport {
  readonly #endpoint: Omit<CallPlace, "operation">;
  readonly #connections: Connections;

  constructor(configuration: SyncConfiguration) {
    const { endpoint, tls } = configuration;
    const target = targetOf(endpoint);
    const clientCertificate = tls?.cert !== undefined;
    this.#endpoint = { ...configuration, target, secure: endpoint.protocol === "https:", clientCertificate };
    this.#connections = new Connections(target, configuration);
  }

  async startBatch(installationId: string, context: CallContext): Promise<{ readonly batchId: string }> {
    const request = StartSyncBatchRequest.encode({ installationId }).finish();
    const call = unary(SyncServiceService.startSyncBatch, request);
    const { batchId } = await this.#make("StartSyncBatch", call, context, (failed, place) =>
      toStartError(failed, place, installationId),
    );
    if (batchId !== "") return { batchId };
    throw new SyncProtocolError("StartSyncBatch: the service answered without a batch id.");
  }

  async syncRecords(
    messages: readonly (Uint8Array | StoredMessage)[],
    context: CallContext,
  ): Promise<{ readonly accepted: number | undefined }> {
    const call = clientStream(SyncServiceService.syncRecords, messages);
    const { response, everythingSent } = await this.#make("SyncRecords", call, context);
    const { acceptedRecords } = response;
    if (acceptedRecords !== undefined) return { accepted: Number(acceptedRecords) };
    if (everythingSent) return { accepted: undefined };
    throw new SyncProtocolError(
      "SyncRecords: the service answered before everything was sent, and without saying how many records it accepted.",
    );
  }

  async completeBatch(batchId: string, context: CallContext): Promise<CompletionCounts> {
    const request = CompleteSyncBatchRequest.encode({ batchId }).finish();
    const call = unary(SyncServiceService.completeSyncBatch, request);
    return toCompletionCounts(await this.#make("CompleteSyncBatch", call, context));
  }

  async abortBatch(batchId: string, context: CallContext): Promise<void> {
    const request = AbortSyncBatchRequest.encode({ batchId }).finish();
    await this.#make("AbortSyncBatch", unary(SyncServiceService.abortSyncBatch, request), context);
  }

  close(): void {
    this.#connections.close();
  }

  async #make<Response>(
    operation: CallPlace["operation"],
    call: Call<Response>,
    context: CallContext,
    toError: (failed: FailedCall, place: CallPlace) => Error = toSyncError,
  ): Promise<Response> {
    const place = { ...this.#endpoint, operation };
    const { timeoutMs, answerMs = timeoutMs } = context;
    const deadline = answerMs > MAX_DEADLINE_MS ? Infinity : Date.now() + answerMs + DEADLINE_SLACK_MS;
    const { signal, unlessSent } = context;
    const throwIfEnded = () => {
      signal.throwIfAborted();
      unlessSent?.throwIfAborted();
    };
    let upload: Upload = { isSent: false, messages: 0, isWhole: false };
    // grpc-js asks for a call's credentials once it has a connection, right before it opens the stream. If grpc-js
    // never asks, nothing was sent, and we can still hold back a call that was cancelled.
    const gate = credentials.createFromMetadataGenerator((_, callback) => {
      if (signal.aborted || unlessSent?.aborted === true)
        return callback(new Error("The call was cancelled."));
      upload.isSent = true;
      callback(null, new Metadata());
    });
    const metadata = new Metadata();
    for (const [name, value] of Object.entries(context.carried)) metadata.set(name, value);
    if (context.authorization !== undefined) metadata.set("authorization", context.authorization);
    const options = { deadline, credentials: gate };
    const { answered } = context;
    const makeOnce = (): Promise<Response> => {
      const own: Upload = { isSent: false, messages: 0, isWhole: false };
      upload = own;
      const failed = (failure: FailedCall) => {
        own.failure = failure;
        return toError(failure, place);
      };
      const start = { operation, metadata, options, signal, answered, upload: own, toError: failed };
      return this.#connections.use(
        { signal, unlessSent, timeoutMs },
        (client, discard) => {
          // The caller gave up, perhaps because the connection is dead.
          const givenUp = () => own.isSent && discard();
          const stopListening = unlessSent === undefined ? () => {} : onAbort(unlessSent, givenUp);
          return call(client, start, discard).finally(stopListening);
        },
        (stall) => toConnectionError(stall, place),
      );
    };
    try {
      throwIfEnded();
      return await makeOnce().catch((error: unknown) => {
        // gRPC repeats an unprocessed call at once, but grpc-js doesn't, because its own retries are turned off.
        if (isUnprocessed(upload.failure)) return makeOnce();
        throw error;
      });
    } catch (error) {
      if (!upload.isSent || isUnprocessed(upload.failure)) context.onUnsent?.();
      else if (isOfSize(error, upload)) context.onTooLarge?.();
      throw error;
    }
  }
}

/** Whether a call may have failed because of its size. */
function isOfSize(error: unknown, { failure, messages, isWhole }: Upload): boolean {
  if (error instanceof TimeoutError) return messages > 0 && !isWhole;
  if (!(error instanceof TransportError)) return false;
  return error.status === HTTP_TOO_LARGE || (failure?.isAnswered === false && error.retryable);
}

/** Reads the counts of a completion. Leaves out collections that the SDK doesn't know. */
function toCompletionCounts({ snapshots, events }: CompleteSyncBatchResponse): CompletionCounts {
  const counts: CompletionCounts = {};
  for (const { collection, ...figures } of [...snapshots, ...events]) {
    const known = Object.values(COLLECTIONS).find(({ wireName }) => wireName === collection);
    const numbers = Object.entries(figures).map(([name, value]) => [name, Number(value)] as const);
    if (known !== undefined) counts[known.name] = Object.fromEntries(numbers);
  }
  return counts;
}
