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
  CompleteSyncBatchRequest,
  StartSyncBatchRequest,
  SyncRecordsRequest,
  SyncServiceService,
} from "../../sync/generated/saas_management/sync/v1/sync_service.js";
import type { SyncOperation } from "../faults/fault.js";
import type { DueFault, Faults } from "../faults/faults.js";
import type { SyncFaultKind } from "../faults/sync-kinds.js";
import type { ApiKey, ApiKeys } from "../keys.js";
import { authenticate, authorize } from "./authorize.js";
import { EarlyAnswer, NoAnswer, needsBatch, type StruckCall, strike } from "./call-faults.js";
import { inflate } from "./inflate.js";
import { decode } from "./message.js";
import { RecordStream } from "./record-stream.js";
import { toStatus } from "./refusal.js";
import { type FindSubject, type StruckCallParts, struckCall } from "./struck-call.js";
import type { SyncState } from "./sync-state.js";

/** What the handlers of the Sync API work with. */
export interface SyncServiceParts extends StruckCallParts {
  readonly state: SyncState;
  readonly keys: ApiKeys;
  readonly faults: Faults;
}

/**
 * Handlers get the bytes as they came, so that what cannot be decoded is answered with a status of our choice, and give
 * the bytes of the answer, so that a fault can change them.
 */
const raw = (bytes: Buffer): Buffer => bytes;
const RAW = { requestDeserialize: raw, responseSerialize: raw };

/** The service as the contract has it, except that nothing is decoded or encoded. */
export const rawSyncService = {
  startSyncBatch: { ...SyncServiceService.startSyncBatch, ...RAW },
  syncRecords: { ...SyncServiceService.syncRecords, ...RAW },
  completeSyncBatch: { ...SyncServiceService.completeSyncBatch, ...RAW },
  abortSyncBatch: { ...SyncServiceService.abortSyncBatch, ...RAW },
};

/** The handlers of {@link rawSyncService}. */
export interface SyncServiceHandlers {
  readonly startSyncBatch: handleUnaryCall<Buffer, Buffer>;
  readonly syncRecords: handleClientStreamingCall<Buffer, Buffer>;
  readonly completeSyncBatch: handleUnaryCall<Buffer, Buffer>;
  readonly abortSyncBatch: handleUnaryCall<Buffer, Buffer>;
}

type Call = ServerUnaryCall<Buffer, Buffer> | ServerReadableStream<Buffer, Buffer>;

/** Makes the handlers, and a function that lets go of the calls that are held back: their callers are gone. */
export function createSyncHandlers(parts: SyncServiceParts): {
  readonly handlers: SyncServiceHandlers;
  readonly letGo: () => void;
} {
  const { state, keys, faults } = parts;
  const underWay = new Set<AbortController>();

  async function answer(
    due: readonly DueFault<SyncFaultKind>[],
    call: Call,
    callback: sendUnaryData<Buffer>,
    subject: FindSubject,
    serve: (key: ApiKey, struck: StruckCall) => Uint8Array | Promise<Uint8Array>,
  ): Promise<void> {
    const cancelled = new AbortController();
    underWay.add(cancelled);
    call.once("cancelled", () => cancelled.abort());
    let bytes = 0;
    const struck = struckCall(parts, call, subject, cancelled.signal, (wanted) => {
      bytes = wanted;
    });
    try {
      await strike(due, "request", struck, state.clock);
      const send = await serveKey(call, (key) => serve(key, struck)).then(
        (value) => () => callback(null, inflate(value, bytes)),
        (error: unknown) => {
          if (error instanceof NoAnswer) throw error;
          return () => callback(toStatus(error));
        },
      );
      await strike(due, "answer", struck, state.clock);
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

  async function serveKey<A>(call: Call, serve: (key: ApiKey) => A | Promise<A>): Promise<A> {
    const key = authenticate(call.metadata, keys);
    authorize(key);
    return serve(key);
  }

  /** Applies message by message, and lets the faults strike that are due at one. */
  async function receive(
    call: ServerReadableStream<Buffer, Buffer>,
    stream: RecordStream,
    atFirstMessage: readonly DueFault<SyncFaultKind>[],
    struck: StruckCall,
    note: (bytes: Buffer) => void,
  ): Promise<void> {
    let message = 0;
    try {
      for await (const bytes of call) {
        message += 1;
        note(bytes);
        const due = faults.take({ api: "sync", operation: "SyncRecords", message });
        await strike(message === 1 ? [...atFirstMessage, ...due] : due, "request", struck, state.clock);
        stream.apply(bytes);
        await strike(due, "answer", struck, state.clock);
      }
    } catch (error) {
      if (!(error instanceof EarlyAnswer)) throw error;
    } finally {
      stream.close();
    }
  }

  const takeCall = (operation: SyncOperation) => faults.take({ api: "sync", operation });

  const handlers: SyncServiceHandlers = {
    startSyncBatch: (call, callback) => {
      const subject = () => state.subject(decode(StartSyncBatchRequest, call.request));
      void answer(takeCall("StartSyncBatch"), call, callback, subject, ({ workspace }) => {
        const { installationId } = decode(StartSyncBatchRequest, call.request);
        return encode.startSyncBatch({ batchId: state.start(installationId, workspace) });
      });
    },
    syncRecords: (call, callback) => {
      const number = state.openStream();
      const due = takeCall("SyncRecords");
      const late = due.filter(needsBatch);
      const atOnce = due.filter((fault) => !late.includes(fault));
      let latest: Uint8Array = new Uint8Array();
      const subject = () => state.subject(decode(SyncRecordsRequest, latest));
      void answer(atOnce, call, callback, subject, async (key, struck) => {
        const stream = new RecordStream(state, key, number);
        await receive(call, stream, late, struck, (bytes) => {
          latest = bytes;
        });
        await strike(late, "answer", struck, state.clock);
        return encode.syncRecords({ acceptedRecords: BigInt(stream.accepted) });
      });
    },
    completeSyncBatch: (call, callback) => {
      const subject = () => state.subject(decode(CompleteSyncBatchRequest, call.request));
      void answer(takeCall("CompleteSyncBatch"), call, callback, subject, ({ workspace }) => {
        const { batchId } = decode(CompleteSyncBatchRequest, call.request);
        return encode.completeSyncBatch(state.complete(batchId, workspace));
      });
    },
    abortSyncBatch: (call, callback) => {
      const subject = () => state.subject(decode(AbortSyncBatchRequest, call.request));
      void answer(takeCall("AbortSyncBatch"), call, callback, subject, ({ workspace }) => {
        state.abort(decode(AbortSyncBatchRequest, call.request).batchId, workspace);
        return encode.abortSyncBatch({});
      });
    },
  };
  return {
    handlers,
    letGo: () => {
      for (const call of underWay) call.abort();
    },
  };
}

const encode = {
  startSyncBatch: SyncServiceService.startSyncBatch.responseSerialize,
  syncRecords: SyncServiceService.syncRecords.responseSerialize,
  completeSyncBatch: SyncServiceService.completeSyncBatch.responseSerialize,
  abortSyncBatch: SyncServiceService.abortSyncBatch.responseSerialize,
};

/** The server's own id of a request, in the metadata of its answer. */
function requestId(): Metadata {
  const metadata = new Metadata();
  metadata.set("x-request-id", randomUUID());
  return metadata;
}
