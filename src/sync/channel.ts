import {
  type CallOptions,
  type ChannelCredentials,
  Client,
  type ClientOptions,
  credentials,
  Metadata,
  type ServiceError,
} from "@grpc/grpc-js";
import { ConfigurationError, SyncProtocolError } from "../errors.js";
import { isLoopback } from "../options.js";
import type { CollectionName } from "./collections.js";
import type { SyncConfiguration, TlsOptions } from "./configuration.js";
import { WIRE } from "./generated/collections.js";
import {
  AbortSyncBatchRequest,
  AbortSyncBatchResponse,
  CompleteSyncBatchRequest,
  CompleteSyncBatchResponse,
  StartSyncBatchRequest,
  StartSyncBatchResponse,
  SyncRecordsResponse,
  SyncServiceService,
} from "./generated/saas_management/sync/v1/sync_service.js";
import { type CallPlace, toStartError, toSyncError } from "./status.js";
import type { CallContext, CompletionCounts, SnapshotCounts, SyncTransport } from "./transport.js";

/** The Sync API over gRPC. */
export class GrpcTransport implements SyncTransport {
  readonly #client: Client;
  readonly #configuration: SyncConfiguration;
  readonly #target: string;

  constructor(configuration: SyncConfiguration) {
    const { endpoint, tls } = configuration;
    const plaintext = endpoint.protocol === "http:";
    this.#configuration = configuration;
    this.#target = `${endpoint.hostname}:${endpoint.port === "" ? (plaintext ? 80 : 443) : endpoint.port}`;
    const channelCredentials = plaintext ? credentials.createInsecure() : createTls(tls);
    this.#client = new Client(this.#target, channelCredentials, channelOptions(configuration));
  }

  async startBatch(installationId: string, call: CallContext): Promise<{ readonly batchId: string }> {
    const { batchId } = await this.#unary(
      "StartSyncBatch",
      StartSyncBatchRequest.encode({ installationId }).finish(),
      StartSyncBatchResponse,
      call,
      (failed, place) => toStartError(failed, place, installationId),
    );
    if (batchId !== "") return { batchId };
    throw new SyncProtocolError("StartSyncBatch: the service answered without a batch id.");
  }

  async syncRecords(
    messages: readonly Uint8Array[],
    context: CallContext,
  ): Promise<{ readonly accepted: number | undefined }> {
    const { path } = SyncServiceService.syncRecords;
    const start = await this.#prepare("SyncRecords", context);
    const response = await new Promise<SyncRecordsResponse>((resolve, reject) => {
      let ended = false;
      const stream = this.#client.makeClientStreamRequest(
        path,
        toBuffer,
        SyncRecordsResponse.decode,
        start.metadata,
        start.options,
        (error, value) => {
          ended = true;
          stopListening();
          if (error !== null) reject(start.failure(error));
          else if (value === undefined)
            reject(new SyncProtocolError("SyncRecords: the service sent no answer."));
          else resolve(value);
        },
      );
      // The stream reports its failure to the callback too; without a listener it would be thrown.
      stream.on("error", () => {});
      const stopListening = cancelWith(context.signal, stream, reject);
      const writeFrom = (index: number): void => {
        if (ended || context.signal.aborted) return;
        const message = messages[index];
        if (message === undefined) stream.end();
        // One message is handed over at a time: grpc-js bounds the number of buffered messages, not their bytes.
        else stream.write(message, () => writeFrom(index + 1));
      };
      writeFrom(0);
    });
    return { accepted: toCount(response.acceptedRecords) };
  }

  async completeBatch(batchId: string, call: CallContext): Promise<CompletionCounts> {
    const request = CompleteSyncBatchRequest.encode({ batchId }).finish();
    const response = await this.#unary(
      "CompleteSyncBatch",
      request,
      CompleteSyncBatchResponse,
      call,
      toSyncError,
    );
    return toCounts(response);
  }

  async abortBatch(batchId: string, call: CallContext): Promise<void> {
    const request = AbortSyncBatchRequest.encode({ batchId }).finish();
    await this.#unary("AbortSyncBatch", request, AbortSyncBatchResponse, call, toSyncError);
  }

  close(): void {
    this.#client.close();
  }

  async #unary<Response>(
    operation: Exclude<CallPlace["operation"], "SyncRecords">,
    request: Uint8Array,
    codec: { decode(bytes: Uint8Array): Response },
    context: CallContext,
    toError: (failed: ServiceError, place: CallPlace) => Error,
  ): Promise<Response> {
    const methods = {
      StartSyncBatch: SyncServiceService.startSyncBatch,
      CompleteSyncBatch: SyncServiceService.completeSyncBatch,
      AbortSyncBatch: SyncServiceService.abortSyncBatch,
    };
    const start = await this.#prepare(operation, context, toError);
    return new Promise((resolve, reject) => {
      const call = this.#client.makeUnaryRequest(
        methods[operation].path,
        toBuffer,
        (bytes) => codec.decode(bytes),
        request,
        start.metadata,
        start.options,
        (error, value) => {
          stopListening();
          if (error !== null) reject(start.failure(error));
          else if (value === undefined)
            reject(new SyncProtocolError(`${operation}: the service sent no answer.`));
          else resolve(value);
        },
      );
      const stopListening = cancelWith(context.signal, call, reject);
    });
  }

  /** What every call needs: metadata with a fresh credential, a deadline, and how its failure is told. */
  async #prepare(
    operation: CallPlace["operation"],
    context: CallContext,
    toError: (failed: ServiceError, place: CallPlace) => Error = toSyncError,
  ) {
    const { credential, headers } = this.#configuration;
    const metadata = new Metadata();
    for (const [name, value] of Object.entries(headers)) metadata.set(name, value);
    metadata.set("authorization", await credential.authorization());
    context.signal.throwIfAborted();
    // A second later than the operation's own deadline, which knows better what to say.
    const options: CallOptions = { deadline: Date.now() + context.timeoutMs + 1000 };
    const place = { operation, target: this.#target, credential };
    return { metadata, options, failure: (error: ServiceError) => toError(error, place) };
  }
}

/** Cancels the call when the signal fires, and rejects at once with the signal's reason. */
function cancelWith(
  signal: AbortSignal,
  call: { cancel(): void },
  reject: (reason: unknown) => void,
): () => void {
  const abort = () => {
    reject(signal.reason);
    call.cancel();
  };
  if (signal.aborted) abort();
  else signal.addEventListener("abort", abort, { once: true });
  return () => signal.removeEventListener("abort", abort);
}

function createTls({ ca, cert, key }: TlsOptions = {}): ChannelCredentials {
  const pem = (value: string | Uint8Array | undefined) => (value === undefined ? null : Buffer.from(value));
  try {
    return credentials.createSsl(pem(ca), pem(key), pem(cert));
  } catch {
    // No cause: OpenSSL's text may quote what it was given.
    throw new ConfigurationError(
      "tls holds a certificate or key that cannot be read: ca, cert and key must be PEM.",
    );
  }
}

function channelOptions(configuration: SyncConfiguration): ClientOptions {
  return {
    ...configuration.channelOptions,
    "grpc.max_receive_message_length": configuration.maxReceiveMessageBytes,
    // The engine cuts messages itself, and retries by one policy for both APIs.
    "grpc.max_send_message_length": -1,
    "grpc.enable_retries": 0,
    "grpc.primary_user_agent": configuration.userAgent,
    // A proxy of the environment would capture loopback too.
    ...(isLoopback(configuration.endpoint.hostname) ? { "grpc.enable_http_proxy": 0 } : {}),
    ...(configuration.tls?.serverName === undefined
      ? {}
      : { "grpc.ssl_target_name_override": configuration.tls.serverName }),
  };
}

function toBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

function toCount(value: bigint | undefined): number | undefined {
  return value === undefined ? undefined : Number(value);
}

function toCounts({ snapshots, events }: CompleteSyncBatchResponse): CompletionCounts {
  const names = new Map<string, CollectionName>();
  for (const [name, { wireName }] of Object.entries(WIRE)) if (isCollection(name)) names.set(wireName, name);
  const snapshotCounts: Partial<Record<CollectionName, SnapshotCounts>> = {};
  const eventCounts: Partial<Record<CollectionName, { readonly accepted: number }>> = {};
  for (const { collection, added, updated, removed } of snapshots) {
    const name = names.get(collection);
    if (name !== undefined) {
      snapshotCounts[name] = { added: Number(added), updated: Number(updated), removed: Number(removed) };
    }
  }
  for (const { collection, accepted } of events) {
    const name = names.get(collection);
    if (name !== undefined) eventCounts[name] = { accepted: Number(accepted) };
  }
  return { snapshots: snapshotCounts, events: eventCounts };
}

function isCollection(name: string): name is CollectionName {
  return Object.hasOwn(WIRE, name);
}
