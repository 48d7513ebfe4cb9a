/**
 * What a careful user writes without an SDK: ts-proto's codecs on grpc-js, one stream, messages with a fixed number of
 * records, each write awaited.
 */
import { readFileSync } from "node:fs";
import { type ClientWritableStream, credentials, Metadata, type ServiceError } from "@grpc/grpc-js";
import type { SyncRecordsRequest, SyncRecordsResponse } from "../../../src/sync/generated/contract.js";
import { SyncServiceClient } from "../../../test/support/sync-service-client.js";
import type { Source } from "../sources.js";
import type { SyncPeer, SyncTask, Write } from "../task.js";

export type Prepare = (sender: Sender, task: SyncTask, records: number) => Write;

/** Makes the messages of one kind of record. */
export interface Model<Input, Message> {
  readonly toMessage: (input: Input) => Message;
  readonly toCollection: (records: Message[]) => SyncRecordsRequest["collection"];
}

/** A batch on a gRPC client. */
export class Sender {
  readonly #client: SyncServiceClient;
  readonly #metadata = new Metadata();
  readonly #recordsPerMessage: number;
  #batchId = "";

  constructor({ endpoint, caFile, recordsPerMessage }: SyncTask) {
    const security =
      caFile === undefined ? credentials.createInsecure() : credentials.createSsl(readFileSync(caFile));
    this.#client = new SyncServiceClient(new URL(endpoint).host, security, {
      "grpc.max_send_message_length": -1,
    });
    this.#metadata.set("authorization", "ApiKey key");
    this.#recordsPerMessage = recordsPerMessage;
  }

  async start(): Promise<void> {
    const { batchId } = await answer<{ batchId: string }>((done) =>
      this.#client.startSyncBatch({ installationId: "installation" }, this.#metadata, done),
    );
    this.#batchId = batchId;
  }

  async write<Input, Message>(source: Source<Input>, model: Model<Input, Message>): Promise<number> {
    let stream: ClientWritableStream<SyncRecordsRequest> | undefined;
    const answered = answer<SyncRecordsResponse>((done) => {
      stream = this.#client.syncRecords(this.#metadata, done);
    });
    if (stream === undefined) throw new Error("There is no stream.");
    const messages = new Messages(stream, answered, this.#batchId, this.#recordsPerMessage, model);
    await messages.takeAll(source);
    stream.end();
    return Number((await answered).acceptedRecords);
  }

  async close(): Promise<void> {
    await answer<object>((done) =>
      this.#client.completeSyncBatch({ batchId: this.#batchId }, this.#metadata, done),
    );
    this.#client.close();
  }
}

/** Collects records, and sends a message as soon as there are enough. */
class Messages<Input, Message> {
  readonly #stream: ClientWritableStream<SyncRecordsRequest>;
  readonly #answered: Promise<unknown>;
  readonly #batchId: string;
  readonly #size: number;
  readonly #model: Model<Input, Message>;
  #records: Message[] = [];

  constructor(
    stream: ClientWritableStream<SyncRecordsRequest>,
    answered: Promise<unknown>,
    batchId: string,
    size: number,
    model: Model<Input, Message>,
  ) {
    this.#stream = stream;
    this.#answered = answered;
    this.#batchId = batchId;
    this.#size = size;
    this.#model = model;
  }

  async takeAll(source: Source<Input>): Promise<void> {
    if (source.form === "array") {
      for (const record of source.records) {
        if (this.#isFullWith(record)) await this.#send();
      }
    } else if (source.form === "async") {
      for await (const record of source.records) {
        if (this.#isFullWith(record)) await this.#send();
      }
    } else {
      for await (const records of source.records) {
        for (const record of records) {
          if (this.#isFullWith(record)) await this.#send();
        }
      }
    }
    await this.#send();
  }

  #isFullWith(record: Input): boolean {
    this.#records.push(this.#model.toMessage(record));
    return this.#records.length === this.#size;
  }

  async #send(): Promise<void> {
    const collection = this.#model.toCollection(this.#records);
    this.#records = [];
    const written = new Promise<void>((resolve, reject) => {
      this.#stream.write({ batchId: this.#batchId, collection }, (error?: Error | null) =>
        error == null ? resolve() : reject(error),
      );
    });
    // If the server refuses early, the write's callback is never called.
    await Promise.race([written, this.#answered]);
  }
}

/** Connects a client that prepares its records with `prepare`. */
export async function connectByHand(task: SyncTask, prepare: Prepare): Promise<SyncPeer> {
  const sender = new Sender(task);
  await sender.start();
  return {
    prepare: (records) => prepare(sender, task, records),
    close: () => sender.close(),
  };
}

function answer<T>(call: (done: (error: ServiceError | null, value: T) => void) => void): Promise<T> {
  return new Promise((resolve, reject) =>
    call((error, value) => (error === null ? resolve(value) : reject(error))),
  );
}
