import { randomUUID } from "node:crypto";
import {
  type handleClientStreamingCall,
  type handleUnaryCall,
  Metadata,
  type ServerReadableStream,
  type ServerUnaryCall,
  type sendUnaryData,
} from "@grpc/grpc-js";
import {
  AbortSyncBatchRequest,
  type AbortSyncBatchResponse,
  CompleteSyncBatchRequest,
  type CompleteSyncBatchResponse,
  StartSyncBatchRequest,
  type StartSyncBatchResponse,
  type SyncRecordsResponse,
  SyncServiceService,
} from "../../sync/generated/saas_management/sync/v1/sync_service.js";
import type { SyncOperation } from "../fault-types.js";
import type { Faults } from "../faults.js";
import type { ApiKey, ApiKeys } from "../keys.js";
import { authenticate, authorize } from "./authorize.js";
import { NoAnswer, strike } from "./call-faults.js";
import { decode } from "./message.js";
import { RecordStream } from "./record-stream.js";
import { toStatus } from "./refusal.js";
import type { SyncState } from "./sync-state.js";

/** What the handlers of the Sync API work with. */
export interface SyncServiceParts {
  readonly state: SyncState;
  readonly keys: ApiKeys;
  readonly faults: Faults;
  /** Destroys the connection of a peer, as `call.getPeer()` names it. */
  readonly dropConnection: (peer: string) => void;
}

/** Handlers get the bytes as they came: what cannot be decoded is then answered with a status of our choice. */
const raw = (bytes: Buffer): Buffer => bytes;

/** The service as the contract has it, except that requests are not decoded. */
export const rawSyncService = {
  startSyncBatch: { ...SyncServiceService.startSyncBatch, requestDeserialize: raw },
  syncRecords: { ...SyncServiceService.syncRecords, requestDeserialize: raw },
  completeSyncBatch: { ...SyncServiceService.completeSyncBatch, requestDeserialize: raw },
  abortSyncBatch: { ...SyncServiceService.abortSyncBatch, requestDeserialize: raw },
};

/** The handlers of {@link rawSyncService}. */
export interface SyncServiceHandlers {
  readonly startSyncBatch: handleUnaryCall<Buffer, StartSyncBatchResponse>;
  readonly syncRecords: handleClientStreamingCall<Buffer, SyncRecordsResponse>;
  readonly completeSyncBatch: handleUnaryCall<Buffer, CompleteSyncBatchResponse>;
  readonly abortSyncBatch: handleUnaryCall<Buffer, AbortSyncBatchResponse>;
}

/** Makes the handlers, and a function that lets go of the calls that are held back: their callers are gone. */
export function createSyncHandlers({ state, keys, faults, dropConnection }: SyncServiceParts): {
  readonly handlers: SyncServiceHandlers;
  readonly letGo: () => void;
} {
  let streamsOpened = 0;
  const underWay = new Set<AbortController>();

  async function answer<A>(
    operation: SyncOperation,
    call: ServerUnaryCall<Buffer, A> | ServerReadableStream<Buffer, A>,
    callback: sendUnaryData<A>,
    serve: (key: ApiKey) => A | Promise<A>,
  ): Promise<void> {
    const kinds = faults.take({ api: "sync", operation });
    const cancelled = new AbortController();
    underWay.add(cancelled);
    call.once("cancelled", () => cancelled.abort());
    const struck = { signal: cancelled.signal, drop: () => dropConnection(call.getPeer()) };
    try {
      await strike(kinds, "request", struck, state.clock);
      const send = await serveKey(call, serve).then(
        (value) => () => callback(null, value),
        (error: unknown) => () => callback(toStatus(error)),
      );
      await strike(kinds, "answer", struck, state.clock);
      call.sendMetadata(requestId());
      send();
    } catch (error) {
      if (error instanceof NoAnswer) return;
      call.sendMetadata(requestId());
      callback(toStatus(error));
    } finally {
      underWay.delete(cancelled);
    }
  }

  async function serveKey<A>(
    call: ServerUnaryCall<Buffer, A> | ServerReadableStream<Buffer, A>,
    serve: (key: ApiKey) => A | Promise<A>,
  ): Promise<A> {
    const key = authenticate(call.metadata, keys);
    authorize(key);
    return serve(key);
  }

  async function receive(
    call: ServerReadableStream<Buffer, SyncRecordsResponse>,
    key: ApiKey,
    number: number,
  ) {
    const stream = new RecordStream(state, key, number);
    try {
      for await (const bytes of call) stream.apply(bytes);
      return { acceptedRecords: BigInt(stream.accepted) };
    } finally {
      stream.close();
    }
  }

  const handlers: SyncServiceHandlers = {
    startSyncBatch: (call, callback) =>
      void answer("StartSyncBatch", call, callback, ({ workspace }) => {
        const { installationId } = decode(StartSyncBatchRequest, call.request);
        return { batchId: state.start(installationId, workspace) };
      }),
    syncRecords: (call, callback) => {
      const number = ++streamsOpened;
      void answer("SyncRecords", call, callback, (key) => receive(call, key, number));
    },
    completeSyncBatch: (call, callback) =>
      void answer("CompleteSyncBatch", call, callback, ({ workspace }) => {
        return state.complete(decode(CompleteSyncBatchRequest, call.request).batchId, workspace);
      }),
    abortSyncBatch: (call, callback) =>
      void answer("AbortSyncBatch", call, callback, ({ workspace }) => {
        state.abort(decode(AbortSyncBatchRequest, call.request).batchId, workspace);
        return {};
      }),
  };
  return {
    handlers,
    letGo: () => {
      for (const call of underWay) call.abort();
    },
  };
}

/** The server's own id of a request, in the metadata of its answer. */
function requestId(): Metadata {
  const metadata = new Metadata();
  metadata.set("x-request-id", randomUUID());
  return metadata;
}
