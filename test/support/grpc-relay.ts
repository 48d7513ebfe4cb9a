import {
  Client,
  credentials,
  Server,
  ServerCredentials,
  type ServerErrorResponse,
  type ServerReadableStream,
  type ServerUnaryCall,
  type sendUnaryData,
} from "@grpc/grpc-js";
import { onTestFinished } from "vitest";
import { SyncRecordsResponse, SyncServiceService } from "../../src/sync/generated/contract.js";

type Operation = "StartSyncBatch" | "SyncRecords" | "CompleteSyncBatch" | "AbortSyncBatch";

/** The next answers of the relay itself, by operation. */
export type Lies = Partial<
  Record<
    Operation,
    /** Says that it was done, and does not ask the server. */
    | "done"
    /** Passes the call on, and drops what the answer counts. */
    | "uncounted"
    /** Passes the call on twice, and gives the second answer. */
    | "twice"
  >
>;

/** A proxy that passes calls on to the Sync API, except those about which it lies. */
export interface GrpcRelay {
  readonly endpoint: string;
  lies: Lies;
}

const same = (bytes: Buffer) => bytes;

/** Starts a proxy that ends with the test. */
export async function startGrpcRelay(syncUrl: string): Promise<GrpcRelay> {
  const server = new Server({ "grpc.max_receive_message_length": -1 });
  const below = new Client(new URL(syncUrl).host, credentials.createInsecure(), {
    "grpc.use_local_subchannel_pool": 1,
    "grpc.enable_http_proxy": 0,
  });
  const relay: { endpoint: string; lies: Lies } = { endpoint: "", lies: {} };
  const unary =
    (operation: Operation, { path }: { readonly path: string }) =>
    (call: ServerUnaryCall<Buffer, Buffer>, done: sendUnaryData<Buffer>) => {
      const lie = relay.lies[operation];
      if (lie === "done") return done(null, Buffer.alloc(0));
      const metadata = call.metadata.clone();
      const pass = (answer: sendUnaryData<Buffer>) =>
        below.makeUnaryRequest(path, same, same, call.request, metadata, (error, value = Buffer.alloc(0)) =>
          error === null ? answer(null, lie === "uncounted" ? Buffer.alloc(0) : value) : answer(error),
        );
      if (lie === "twice") pass(() => pass(done));
      else pass(done);
    };
  const { syncRecords } = SyncServiceService;
  const records = (call: ServerReadableStream<Buffer, Buffer>, done: sendUnaryData<Buffer>) => {
    const messages: Buffer[] = [];
    call.on("error", () => {});
    call.on("data", (message: Buffer) => messages.push(message));
    call.on("end", () => {
      if (relay.lies.SyncRecords === "done") return done(null, Buffer.alloc(0));
      const answer = (error: ServerErrorResponse | null, value?: Buffer) => done(error, value);
      const stream = below.makeClientStreamRequest(
        syncRecords.path,
        same,
        same,
        call.metadata.clone(),
        (error, value) =>
          answer(
            error,
            relay.lies.SyncRecords === "uncounted"
              ? Buffer.from(SyncRecordsResponse.encode({ acceptedRecords: undefined }).finish())
              : value,
          ),
      );
      stream.on("error", () => {});
      for (const message of messages) stream.write(message);
      stream.end();
    });
  };
  const raw = <Method extends object>(method: Method) => ({
    ...method,
    requestSerialize: same,
    requestDeserialize: same,
    responseSerialize: same,
    responseDeserialize: same,
  });
  server.addService(
    Object.fromEntries(Object.entries(SyncServiceService).map(([name, method]) => [name, raw(method)])),
    {
      startSyncBatch: unary("StartSyncBatch", SyncServiceService.startSyncBatch),
      completeSyncBatch: unary("CompleteSyncBatch", SyncServiceService.completeSyncBatch),
      abortSyncBatch: unary("AbortSyncBatch", SyncServiceService.abortSyncBatch),
      syncRecords: records,
    },
  );
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), (error, bound) =>
      error === null ? resolve(bound) : reject(error),
    );
  });
  onTestFinished(() => {
    server.forceShutdown();
    below.close();
  });
  relay.endpoint = `http://127.0.0.1:${port}`;
  return relay;
}
