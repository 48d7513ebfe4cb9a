import {
  Client,
  type ClientUnaryCall,
  type ClientWritableStream,
  type Metadata,
  type ServiceError,
} from "@grpc/grpc-js";
import {
  type AbortSyncBatchRequest,
  type AbortSyncBatchResponse,
  type CompleteSyncBatchRequest,
  type CompleteSyncBatchResponse,
  type StartSyncBatchRequest,
  type StartSyncBatchResponse,
  type SyncRecordsRequest,
  type SyncRecordsResponse,
  SyncServiceService,
} from "../../src/sync/generated/contract.js";

interface UnaryMethod<Request, Response> {
  readonly path: string;
  readonly requestSerialize: (value: Request) => Buffer;
  readonly responseDeserialize: (bytes: Buffer) => Response;
}

type Done<Response> = (error: ServiceError | null, value: Response) => void;

/** A client of the Sync API that uses only the generated messages and grpc-js. */
export class SyncServiceClient extends Client {
  startSyncBatch(request: StartSyncBatchRequest, metadata: Metadata, done: Done<StartSyncBatchResponse>) {
    return this.#unary(SyncServiceService.startSyncBatch, request, metadata, done);
  }

  syncRecords(metadata: Metadata, done: Done<SyncRecordsResponse>): ClientWritableStream<SyncRecordsRequest> {
    const { path, requestSerialize, responseDeserialize } = SyncServiceService.syncRecords;
    return this.makeClientStreamRequest(
      path,
      requestSerialize,
      responseDeserialize,
      metadata,
      orEmpty(done, responseDeserialize),
    );
  }

  completeSyncBatch(
    request: CompleteSyncBatchRequest,
    metadata: Metadata,
    done: Done<CompleteSyncBatchResponse>,
  ) {
    return this.#unary(SyncServiceService.completeSyncBatch, request, metadata, done);
  }

  abortSyncBatch(request: AbortSyncBatchRequest, metadata: Metadata, done: Done<AbortSyncBatchResponse>) {
    return this.#unary(SyncServiceService.abortSyncBatch, request, metadata, done);
  }

  #unary<Request, Response>(
    { path, requestSerialize, responseDeserialize }: UnaryMethod<Request, Response>,
    request: Request,
    metadata: Metadata,
    done: Done<Response>,
  ): ClientUnaryCall {
    return this.makeUnaryRequest(
      path,
      requestSerialize,
      responseDeserialize,
      request,
      metadata,
      orEmpty(done, responseDeserialize),
    );
  }
}

/** A failed call has no value: its callback gets an empty message. */
function orEmpty<Response>(done: Done<Response>, decode: (bytes: Buffer) => Response) {
  return (error: ServiceError | null, value = decode(Buffer.alloc(0))) => done(error, value);
}

/** The SDK's name for a call's operation, such as `StartSyncBatch`. */
export function operationOf(path: unknown): string {
  const [member = ""] = Object.entries(SyncServiceService).find(([, method]) => method.path === path) ?? [];
  return member.charAt(0).toUpperCase() + member.slice(1);
}
