import { randomUUID } from "node:crypto";
import type { BinaryReader } from "@bufbuild/protobuf/wire";
import {
  type handleClientStreamingCall,
  type handleUnaryCall,
  Metadata,
  type ServerReadableStream,
  type ServerUnaryCall,
  type sendUnaryData,
  status,
} from "@grpc/grpc-js";
import {
  AbortSyncBatchRequest,
  CompleteSyncBatchRequest,
  StartSyncBatchRequest,
  SyncRecordsRequest,
  SyncServiceService,
} from "../../sync/generated/contract.js";
import type { SyncOperation } from "../faults/fault.js";
import type { DueFault } from "../faults/injector.js";
import type { ApiKey, Workspace } from "../workspace.js";
import type { Batch } from "./batch.js";
import {
  type CallWithFaults,
  callWithFaults,
  EarlyAnswer,
  NoAnswer,
  needsBatch,
  type SyncServiceParts,
} from "./faults.js";
import { decode, decodeRecordsMessage } from "./message.js";
import { authenticate, authorize, Refusal, toStatus } from "./refusal.js";
import type { Subject } from "./state.js";

/** Handlers get and return bytes, so they can choose the status of malformed requests, and faults can pad answers. */
const raw = (bytes: Buffer): Buffer => bytes;
const RAW = { requestDeserialize: raw, responseSerialize: raw };

/** The contract's service, with messages left as bytes. */
export const rawSyncService = {
  startSyncBatch: { ...SyncServiceService.startSyncBatch, ...RAW },
  syncRecords: { ...SyncServiceService.syncRecords, ...RAW },
  completeSyncBatch: { ...SyncServiceService.completeSyncBatch, ...RAW },
  abortSyncBatch: { ...SyncServiceService.abortSyncBatch, ...RAW },
};

type Call = ServerUnaryCall<Buffer, Buffer> | ServerReadableStream<Buffer, Buffer>;

/** Creates the handlers, and a function that cancels the calls that faults hold back. */
export function createSyncHandlers(parts: SyncServiceParts) {
  const { state, keys, faults } = parts;
  const running = new Set<AbortController>();

  async function answer(
    due: readonly DueFault[],
    call: Call,
    callback: sendUnaryData<Buffer>,
    subject: () => Subject | undefined,
    serve: (key: ApiKey, faulty: CallWithFaults) => Uint8Array | Promise<Uint8Array>,
  ): Promise<void> {
    const cancelled = new AbortController();
    running.add(cancelled);
    call.once("cancelled", () => cancelled.abort());
    const faulty = callWithFaults(parts, call, subject, cancelled.signal);
    try {
      await faulty.fire(due, "request");
      const served = async () => {
        const key = authenticate(call.metadata, keys);
        authorize(key);
        return serve(key, faulty);
      };
      const send = await served().then(
        (value) => () => callback(null, faulty.padded(value)),
        (error: unknown) => {
          if (error instanceof NoAnswer) throw error;
          return () => callback(toStatus(error));
        },
      );
      await faulty.fire(due, "answer");
      call.sendMetadata(requestId());
      send();
    } catch (error) {
      if (error instanceof NoAnswer) return;
      call.sendMetadata(requestId());
      callback(toStatus(error));
    } finally {
      running.delete(cancelled);
    }
  }

  function unary<Request extends { readonly batchId: string } | { readonly installationId: string }>(
    operation: SyncOperation,
    type: { readonly decode: (reader: BinaryReader) => Request },
    serve: (request: Request, workspace: Workspace) => Uint8Array,
  ): handleUnaryCall<Buffer, Buffer> {
    return (call, callback) => {
      const due = faults.take("sync", operation);
      const subject = () => state.subject(decode(type, call.request));
      void answer(due, call, callback, subject, ({ workspace }) =>
        serve(decode(type, call.request), workspace),
      );
    };
  }

  const syncRecords: handleClientStreamingCall<Buffer, Buffer> = (call, callback) => {
    const number = state.openStream();
    const due = faults.take("sync", "SyncRecords");
    const atFirstMessage = due.filter(needsBatch);
    const atOnce = due.filter((fault) => !atFirstMessage.includes(fault));
    let latest: Uint8Array = new Uint8Array();
    const subject = () => state.subject(decode(SyncRecordsRequest, latest));
    void answer(atOnce, call, callback, subject, async (key, faulty) => {
      let batch: Batch | undefined;
      let accepted = 0;
      let message = 0;
      try {
        for await (const bytes of call) {
          message += 1;
          latest = bytes;
          const here = faults.take("sync", "SyncRecords", message);
          await faulty.fire(message === 1 ? [...atFirstMessage, ...here] : here, "request");
          authorize(key);
          const { batchId, collection } = decodeRecordsMessage(bytes);
          const found = state.find(batchId, key.workspace);
          if (batch !== undefined && batch !== found.batch) {
            const details = "All messages of a stream must name the same `batch_id`.";
            throw new Refusal(status.INVALID_ARGUMENT, details);
          }
          batch = found.batch;
          // Applied messages stay applied even if a later message is refused.
          state.write(found, number, collection);
          accepted += collection.value.records.length;
          await faulty.fire(here, "answer");
        }
      } catch (error) {
        if (!(error instanceof EarlyAnswer)) throw error;
      } finally {
        if (batch !== undefined) state.endStream(batch, number);
      }
      await faulty.fire(atFirstMessage, "answer");
      return SyncServiceService.syncRecords.responseSerialize({ acceptedRecords: BigInt(accepted) });
    });
  };

  const handlers = {
    startSyncBatch: unary("StartSyncBatch", StartSyncBatchRequest, ({ installationId }, workspace) =>
      SyncServiceService.startSyncBatch.responseSerialize({
        batchId: state.start(installationId, workspace),
      }),
    ),
    syncRecords,
    completeSyncBatch: unary("CompleteSyncBatch", CompleteSyncBatchRequest, ({ batchId }, workspace) =>
      SyncServiceService.completeSyncBatch.responseSerialize(state.complete(batchId, workspace)),
    ),
    abortSyncBatch: unary("AbortSyncBatch", AbortSyncBatchRequest, ({ batchId }, workspace) => {
      state.abort(batchId, workspace);
      return SyncServiceService.abortSyncBatch.responseSerialize({});
    }),
  };
  return {
    handlers,
    cancelAll: () => {
      for (const call of running) call.abort();
    },
  };
}

function requestId(): Metadata {
  const metadata = new Metadata();
  metadata.set("x-request-id", randomUUID());
  return metadata;
}
