/**
 * A Sync API server that counts records and drops them, so that it's never the bottleneck. Prints its port.
 *
 * Arguments: `{ certFile, keyFile }` as JSON for TLS, `{}` for plain text.
 */
import { readFileSync } from "node:fs";
import {
  Server,
  ServerCredentials,
  type ServerReadableStream,
  type ServerUnaryCall,
  type sendUnaryData,
} from "@grpc/grpc-js";
import { raiseWindows } from "../../../src/reference-server/sync/faults.js";
import type { CollectionInfo } from "../../../src/sync/collections.js";
import {
  type CompleteSyncBatchRequest,
  type CompleteSyncBatchResponse,
  type StartSyncBatchResponse,
  type SyncRecordsResponse,
  SyncServiceService,
} from "../../../src/sync/generated/contract.js";
import { type ReadRequest, readRequest } from "../read-request.js";

const { certFile, keyFile }: { readonly certFile?: string; readonly keyFile?: string } = JSON.parse(
  process.argv[2] ?? "{}",
);

let batches = 0;
/** How many records of each collection an open batch has. One client writes without starting a batch. */
const included = new Map<string, Map<CollectionInfo, bigint>>();

function take({ batchId, collection, records }: ReadRequest): void {
  if (collection === undefined) throw new Error("A request has no collection.");
  const counts = included.get(batchId) ?? new Map<CollectionInfo, bigint>();
  included.set(batchId, counts);
  counts.set(collection, (counts.get(collection) ?? 0n) + BigInt(records));
}

function complete(batchId: string): CompleteSyncBatchResponse {
  const counts = [...(included.get(batchId) ?? [])];
  included.delete(batchId);
  return {
    snapshots: counts.flatMap(([{ model, wireName: collection }, added]) =>
      model === "snapshot" ? [{ collection, added, updated: 0n, removed: 0n }] : [],
    ),
    events: counts.flatMap(([{ model, wireName: collection }, accepted]) =>
      model === "event" ? [{ collection, accepted }] : [],
    ),
  };
}

const server = new Server({ "grpc.max_receive_message_length": -1 });
server.addService(
  {
    ...SyncServiceService,
    syncRecords: { ...SyncServiceService.syncRecords, requestDeserialize: readRequest },
  },
  {
    startSyncBatch: (
      _call: ServerUnaryCall<unknown, StartSyncBatchResponse>,
      callback: sendUnaryData<StartSyncBatchResponse>,
    ) => {
      batches += 1;
      callback(null, { batchId: `batch-${batches}` });
    },
    completeSyncBatch: (
      { request }: ServerUnaryCall<CompleteSyncBatchRequest, CompleteSyncBatchResponse>,
      callback: sendUnaryData<CompleteSyncBatchResponse>,
    ) => callback(null, complete(request.batchId)),
    abortSyncBatch: (_call: ServerUnaryCall<unknown, object>, callback: sendUnaryData<object>) =>
      callback(null, {}),
    syncRecords: (
      call: ServerReadableStream<ReadRequest, SyncRecordsResponse>,
      callback: sendUnaryData<SyncRecordsResponse>,
    ) => {
      let records = 0;
      call.on("data", (request: ReadRequest) => {
        take(request);
        records += request.records;
      });
      call.on("end", () => callback(null, { acceptedRecords: BigInt(records) }));
    },
  },
);

const security =
  certFile === undefined || keyFile === undefined
    ? ServerCredentials.createInsecure()
    : ServerCredentials.createSsl(null, [
        { cert_chain: readFileSync(certFile), private_key: readFileSync(keyFile) },
      ]);
server.bindAsync("127.0.0.1:0", security, (error, port) => {
  if (error !== null) throw error;
  raiseWindows(server);
  console.log(port);
});
