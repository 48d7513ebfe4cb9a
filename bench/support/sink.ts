/**
 * A Sync API server that only counts: the records' bytes are dropped as they come. Prints its port and serves until its
 * standard input ends.
 */
import {
  Server,
  ServerCredentials,
  type ServerReadableStream,
  type ServerUnaryCall,
  type sendUnaryData,
} from "@grpc/grpc-js";
import {
  type SyncRecordsResponse,
  SyncServiceService,
} from "../../src/sync/generated/saas_management/sync/v1/sync_service.js";

const server = new Server({ "grpc.max_receive_message_length": -1 });
const raw = (bytes: Buffer) => bytes;
const answer =
  <Response>(response: Response) =>
  (_call: ServerUnaryCall<unknown, Response>, callback: sendUnaryData<Response>) =>
    callback(null, response);

server.addService(
  { ...SyncServiceService, syncRecords: { ...SyncServiceService.syncRecords, requestDeserialize: raw } },
  {
    startSyncBatch: answer({ batchId: "batch-1" }),
    completeSyncBatch: answer({ snapshots: [], events: [] }),
    abortSyncBatch: answer({}),
    syncRecords: (
      call: ServerReadableStream<Buffer, SyncRecordsResponse>,
      callback: sendUnaryData<SyncRecordsResponse>,
    ) => {
      call.on("data", () => {});
      // No count: counting would be decoding, and the client's figures are what is measured.
      call.on("end", () => callback(null, { acceptedRecords: undefined }));
    },
  },
);
server.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), (error, port) => {
  if (error !== null) throw error;
  console.log(port);
});
process.stdin.on("end", () => server.forceShutdown()).resume();
