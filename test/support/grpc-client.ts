import {
  type ChannelCredentials,
  type ClientOptions,
  type ClientWritableStream,
  credentials,
  Metadata,
  type ServiceError,
  status,
} from "@grpc/grpc-js";
import { onTestFinished } from "vitest";
import {
  type CompleteSyncBatchResponse,
  SyncRecordsRequest,
  SyncRecordsResponse,
  SyncServiceService,
} from "../../src/sync/generated/contract.js";
import { SyncServiceClient } from "./sync-service-client.js";

export { until } from "./promises.js";

/** A collection of the generated messages. */
export type WireCollection = NonNullable<SyncRecordsRequest["collection"]>;

/** The status of a refused call. */
export interface Refused {
  readonly code: string;
  readonly details: string;
  readonly batchState: string | undefined;
}

/** A gRPC client of the Sync API that uses only the generated messages of the SDK. */
export class PlainClient {
  readonly #client: SyncServiceClient;
  readonly #metadata = new Metadata();

  /** @param authorization value of the metadata; not sent if undefined */
  constructor(
    syncUrl: string,
    authorization: string | undefined,
    channel: ChannelCredentials = credentials.createInsecure(),
    options: ClientOptions = {},
  ) {
    this.#client = new SyncServiceClient(new URL(syncUrl).host, channel, {
      "grpc.max_send_message_length": -1,
      "grpc.enable_http_proxy": 0,
      // Each client gets its own connection, because a test may break it.
      "grpc.use_local_subchannel_pool": 1,
      ...options,
    });
    if (authorization !== undefined) this.#metadata.set("authorization", authorization);
    onTestFinished(() => this.#client.close());
  }

  async start(installationId: string): Promise<string> {
    const { batchId } = await answered<{ batchId: string }>((done) =>
      this.#client.startSyncBatch({ installationId }, this.#metadata, done),
    );
    return batchId;
  }

  /** Sends messages in one stream and returns the accepted count. */
  write(batchId: string, ...collections: WireCollection[]): Promise<bigint | undefined> {
    const stream = this.open();
    for (const collection of collections) stream.send(batchId, collection);
    return stream.end();
  }

  /** @param operation may be a unary operation, to send several messages to it */
  open(operation: keyof typeof SyncServiceService = "syncRecords"): PlainStream {
    return new PlainStream(this.#client, this.#metadata, SyncServiceService[operation].path);
  }

  complete(batchId: string): Promise<CompleteSyncBatchResponse> {
    return answered((done) => this.#client.completeSyncBatch({ batchId }, this.#metadata, done));
  }

  abort(batchId: string): Promise<object> {
    return answered((done) => this.#client.abortSyncBatch({ batchId }, this.#metadata, done));
  }

  /** Sends raw bytes as the request of a unary operation. */
  sendRaw(
    operation: "startSyncBatch" | "completeSyncBatch" | "abortSyncBatch",
    bytes: Buffer,
  ): Promise<object> {
    const { path } = SyncServiceService[operation];
    return answered((done) =>
      this.#client.makeUnaryRequest(
        path,
        (b: Buffer) => b,
        (b: Buffer) => b,
        bytes,
        this.#metadata,
        (error, value) => done(error, value ?? {}),
      ),
    );
  }
}

/** A call with messages that are sent one by one. */
export class PlainStream {
  readonly #call: ClientWritableStream<Buffer>;
  /** Settles with the answer of the server. */
  readonly answer: Promise<bigint | undefined>;

  constructor(client: SyncServiceClient, metadata: Metadata, path: string) {
    let settle: (error: ServiceError | null, value?: SyncRecordsResponse) => void = () => {};
    this.answer = answered<SyncRecordsResponse>((done) => {
      settle = (error, value) => done(error, value ?? SyncRecordsResponse.decode(new Uint8Array()));
    }).then(({ acceptedRecords }) => acceptedRecords);
    // A test that awaits the answer late must not cause an unhandled rejection.
    this.answer.catch(() => {});
    const { responseDeserialize } = SyncServiceService.syncRecords;
    this.#call = client.makeClientStreamRequest(
      path,
      (b: Buffer) => b,
      responseDeserialize,
      metadata,
      (error, value) => settle(error, value),
    );
    this.#call.on("error", () => {});
  }

  send(batchId: string, collection: WireCollection | undefined): this {
    return this.sendRaw(Buffer.from(SyncRecordsRequest.encode({ batchId, collection }).finish()));
  }

  sendRaw(bytes: Buffer): this {
    this.#call.write(bytes);
    return this;
  }

  end(): Promise<bigint | undefined> {
    this.#call.end();
    return this.answer;
  }

  cancel(): void {
    this.#call.cancel();
  }
}

/** The status with which a call was refused. @throws Error the call was not refused */
export async function refused(call: Promise<unknown>): Promise<Refused> {
  try {
    await call;
  } catch (error) {
    if (!isServiceError(error)) throw error;
    const [batchState] = error.metadata.get("batch-state");
    return { code: status[error.code], details: error.details, batchState: batchState?.toString() };
  }
  throw new Error("The call was not refused.");
}

function isServiceError(error: unknown): error is ServiceError {
  return error instanceof Error && "code" in error && "details" in error && "metadata" in error;
}

function answered<T>(call: (done: (error: ServiceError | null, value: T) => void) => void): Promise<T> {
  return new Promise((resolve, reject) => {
    call((error, value) => (error === null ? resolve(value) : reject(error)));
  });
}
