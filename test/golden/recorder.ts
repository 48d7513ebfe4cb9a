/** A Sync API server that records calls, names of metadata and the exact bytes of every message. */
import { createHash } from "node:crypto";
import { BinaryReader } from "@bufbuild/protobuf/wire";
import {
  type Metadata,
  Server,
  ServerCredentials,
  type ServerReadableStream,
  type ServerUnaryCall,
  type sendUnaryData,
} from "@grpc/grpc-js";

/** One RPC as it arrived. */
export interface RecordedCall {
  readonly rpc: string;
  readonly metadata: readonly string[];
  readonly messages: readonly { readonly bytes: number; readonly sha256: string; readonly start: string }[];
}

export interface Recorder {
  readonly endpoint: string;
  readonly calls: RecordedCall[];
  close(): void;
}

const PACKAGE = "/saas_management.sync.v1.SyncService/";
/** Field 1, length-delimited, "batch-1". */
const STARTED = Buffer.from([10, 7, ...Buffer.from("batch-1")]);
const bytesOnly = (bytes: Buffer): Buffer => bytes;

export async function startRecorder(): Promise<Recorder> {
  const server = new Server({ "grpc.max_receive_message_length": -1 });
  const calls: RecordedCall[] = [];
  const record = (rpc: string, metadata: Metadata, messages: readonly Buffer[]): void => {
    const names = Object.keys(metadata.getMap()).filter((name) => name !== "grpc-timeout");
    calls.push({ rpc, metadata: names.sort(), messages: messages.map(describeBytes) });
  };
  const unary =
    (rpc: string, answer: Buffer) =>
    (call: ServerUnaryCall<Buffer, Buffer>, callback: sendUnaryData<Buffer>): void => {
      record(rpc, call.metadata, [call.request]);
      callback(null, answer);
    };
  const method = (rpc: string, requestStream: boolean) => ({
    path: PACKAGE + rpc,
    requestStream,
    responseStream: false,
    requestSerialize: bytesOnly,
    requestDeserialize: bytesOnly,
    responseSerialize: bytesOnly,
    responseDeserialize: bytesOnly,
  });
  server.addService(
    {
      StartSyncBatch: method("StartSyncBatch", false),
      SyncRecords: method("SyncRecords", true),
      CompleteSyncBatch: method("CompleteSyncBatch", false),
      AbortSyncBatch: method("AbortSyncBatch", false),
    },
    {
      StartSyncBatch: unary("StartSyncBatch", STARTED),
      CompleteSyncBatch: unary("CompleteSyncBatch", Buffer.alloc(0)),
      AbortSyncBatch: unary("AbortSyncBatch", Buffer.alloc(0)),
      SyncRecords(call: ServerReadableStream<Buffer, Buffer>, callback: sendUnaryData<Buffer>) {
        const messages: Buffer[] = [];
        call.on("data", (message: Buffer) => messages.push(message));
        call.on("end", () => {
          record("SyncRecords", call.metadata, messages);
          const accepted = messages.reduce((sum, message) => sum + recordsIn(message), 0);
          callback(null, Buffer.from(accepted === 0 ? [] : [8, ...varint(accepted)]));
        });
      },
    },
  );
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), (error, bound) =>
      error === null ? resolve(bound) : reject(error),
    );
  });
  return { endpoint: `http://127.0.0.1:${port}`, calls, close: () => server.forceShutdown() };
}

function describeBytes(message: Buffer): RecordedCall["messages"][number] {
  return {
    bytes: message.length,
    sha256: createHash("sha256").update(message).digest("hex"),
    start: message.subarray(0, 48).toString("hex"),
  };
}

/** Counts the records of an encoded SyncRecordsRequest: its second field is a collection, a list of records. */
function recordsIn(message: Buffer): number {
  const request = new BinaryReader(message);
  let records = 0;
  while (request.pos < request.len) {
    const [field, type] = request.tag();
    if (field === 1) request.skip(type);
    else records += countFields(request.bytes());
  }
  return records;
}

function countFields(list: Uint8Array): number {
  const reader = new BinaryReader(list);
  let count = 0;
  for (; reader.pos < reader.len; count += 1) {
    const [, type] = reader.tag();
    reader.skip(type);
  }
  return count;
}

function varint(value: number): number[] {
  const bytes: number[] = [];
  let rest = value;
  for (; rest >= 128; rest = Math.floor(rest / 128)) bytes.push((rest % 128) + 128);
  return [...bytes, rest];
}
