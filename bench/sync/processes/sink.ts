/**
 * A Sync API server that counts records and drops them: it is never what takes the time. Prints its port.
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
import {
  type StartSyncBatchResponse,
  type SyncRecordsResponse,
  SyncServiceService,
} from "../../../src/sync/generated/contract.js";
import { countRecords } from "../count-records.js";

const { certFile, keyFile }: { readonly certFile?: string; readonly keyFile?: string } = JSON.parse(
  process.argv[2] ?? "{}",
);

const answer =
  <Response>(response: Response) =>
  (_call: ServerUnaryCall<unknown, Response>, callback: sendUnaryData<Response>) =>
    callback(null, response);

let batches = 0;
const server = new Server({ "grpc.max_receive_message_length": -1 });
server.addService(
  {
    ...SyncServiceService,
    syncRecords: { ...SyncServiceService.syncRecords, requestDeserialize: countRecords },
  },
  {
    startSyncBatch: (
      _call: ServerUnaryCall<unknown, StartSyncBatchResponse>,
      callback: sendUnaryData<StartSyncBatchResponse>,
    ) => {
      batches += 1;
      callback(null, { batchId: `batch-${batches}` });
    },
    completeSyncBatch: answer({ snapshots: [], events: [] }),
    abortSyncBatch: answer({}),
    syncRecords: (
      call: ServerReadableStream<number, SyncRecordsResponse>,
      callback: sendUnaryData<SyncRecordsResponse>,
    ) => {
      let records = 0;
      call.on("data", (count: number) => {
        records += count;
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
