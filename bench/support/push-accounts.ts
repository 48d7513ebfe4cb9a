/** Pushes accounts in one batch over a plain gRPC client, as a process that `fork` has started and told what to do. */
import { once } from "node:events";
import { credentials, Metadata, type ServiceError } from "@grpc/grpc-js";
import {
  SyncRecordsRequest,
  type SyncRecordsResponse,
  SyncServiceService,
} from "../../src/sync/generated/contract.js";
import { SyncServiceClient } from "../../test/support/sync-service-client.js";

/** What to push, and where. */
export interface PushTask {
  readonly syncUrl: string;
  readonly apiKey: string;
  readonly installationId: string;
  readonly records: number;
  /** Records of one message. */
  readonly recordsPerMessage: number;
  /** Length of a record's name. */
  readonly nameLength: number;
}

/** What was pushed, and in which time, from the first message to the answer of the completion. */
export interface Pushed {
  readonly records: number;
  readonly bytes: number;
  readonly seconds: number;
}

process.once("message", (task: PushTask) => {
  void push(task).then((pushed) => process.send?.(pushed, () => process.disconnect()));
});

async function push({ syncUrl, apiKey, installationId, ...task }: PushTask): Promise<Pushed> {
  const client = new SyncServiceClient(new URL(syncUrl).host, credentials.createInsecure());
  const metadata = new Metadata();
  metadata.set("authorization", `ApiKey ${apiKey}`);
  const { batchId } = await answer<{ batchId: string }>((done) =>
    client.startSyncBatch({ installationId }, metadata, done),
  );
  let bytes = 0;
  const started = performance.now();
  await answer<SyncRecordsResponse>((done) => {
    const { path, responseDeserialize } = SyncServiceService.syncRecords;
    // Encoded here, so that the encoding is not done twice for counting the bytes.
    const stream = client.makeClientStreamRequest(
      path,
      (encoded: Buffer) => encoded,
      responseDeserialize,
      metadata,
      (error, value) => done(error, value ?? {}),
    );
    void (async () => {
      for (let from = 0; from < task.records; from += task.recordsPerMessage) {
        const message = Buffer.from(
          encodeAccounts(
            batchId,
            from,
            Math.min(from + task.recordsPerMessage, task.records),
            task.nameLength,
          ),
        );
        bytes += message.length;
        if (!stream.write(message)) await once(stream, "drain");
      }
      stream.end();
    })();
  });
  await answer<object>((done) => client.completeSyncBatch({ batchId }, metadata, done));
  const seconds = (performance.now() - started) / 1000;
  client.close();
  return { records: task.records, bytes, seconds };
}

function encodeAccounts(batchId: string, from: number, to: number, nameLength: number): Uint8Array {
  const records = Array.from({ length: to - from }, (_, offset) => {
    const number = from + offset;
    const value = {
      id: `account-${number}`,
      name: `Person ${number} `.padEnd(nameLength, "-"),
      email: `person.${number}@example.com`,
      username: `person.${number}`,
      active: number % 10 !== 0,
      roles: [],
    };
    return { variant: { $case: "generic" as const, value } };
  });
  return SyncRecordsRequest.encode({
    batchId,
    collection: { $case: "accounts", value: { records } },
  }).finish();
}

function answer<T>(call: (done: (error: ServiceError | null, value: T) => void) => void): Promise<T> {
  return new Promise((resolve, reject) =>
    call((error, value) => (error === null ? resolve(value) : reject(error))),
  );
}
