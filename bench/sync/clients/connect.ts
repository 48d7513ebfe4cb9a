/** connect-node with protobuf-es, and every record checked by a zod schema. */
import { readFileSync } from "node:fs";
import { create, type DescMessage, fromBinary, type MessageInitShape, toBinary } from "@bufbuild/protobuf";
import { type ReflectMessage, reflect } from "@bufbuild/protobuf/reflect";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { type Client, createClient, type Interceptor } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import { z } from "zod";
import { BATCH_ID_PATH, WIRE } from "../../../src/sync/generated/collections.js";
import {
  CompleteSyncBatchRequest,
  StartSyncBatchRequest,
  StartSyncBatchResponse,
  SyncRecordsResponse,
  SyncServiceService,
} from "../../../src/sync/generated/contract.js";
import {
  CompleteSyncBatchRequestSchema,
  StartSyncBatchRequestSchema,
  StartSyncBatchResponseSchema,
  type SyncRecordsRequest,
  SyncRecordsRequestSchema,
  SyncRecordsResponseSchema,
  SyncService,
} from "../../generated/messages_pb.js";
import { type Kind, makePool, repeat } from "../records.js";
import { type Source, toSource } from "../sources.js";
import type { SyncPeer, SyncTask, Write } from "../task.js";
import { detailSchemas } from "./schemas.js";

const HEADERS = { headers: { authorization: "ApiKey key" } };

const details = detailSchemas(z.date().transform(timestampFromDate), z.record(z.string(), z.string()));
/** Checks records of one kind. */
const CHECKED: Readonly<Record<Kind, z.ZodType<object>>> = {
  accounts: inVariant(details.accounts),
  licenses: inVariant(details.licenses),
  usage: inVariant(details.usage),
  employees: inVariant(details.employees),
};

/** Uses paths, because an adopted contract may nest collections in other messages. */
function requestOf(batchId: string, kind: Kind, some: readonly object[]): SyncRecordsRequest {
  const request = create(SyncRecordsRequestSchema);
  const fields = reflect(SyncRecordsRequestSchema, request, false);
  setAt(fields, BATCH_ID_PATH, batchId);
  setAt(fields, WIRE[kind].path, { records: some.map((record) => CHECKED[kind].parse(record)) });
  return request;
}

function setAt(
  message: ReflectMessage,
  [number, ...below]: readonly number[],
  value: string | MessageInitShape<DescMessage>,
): void {
  const field = message.fields.find((candidate) => candidate.number === number);
  if (field === undefined) throw new Error(`${message.desc.typeName} has no field ${number}.`);
  if (field.fieldKind === "message" && below.length > 0) {
    const inner = message.get(field);
    setAt(inner, below, value);
    message.set(field, inner);
  } else if (field.fieldKind === "message" && typeof value !== "string")
    message.set(field, reflect(field.message, create(field.message, value), false));
  else message.set(field, value);
}

/** Sends calls to the methods that the contract names. */
const toMethod: Interceptor = (next) => (request) => {
  const { path } =
    Object.entries(SyncServiceService).find(([name]) => name === request.method.localName)?.[1] ?? {};
  return next({ ...request, url: new URL(path ?? "", request.url).href });
};

export async function connect(task: SyncTask): Promise<SyncPeer> {
  const { endpoint, caFile, kind } = task;
  const nodeOptions = caFile === undefined ? {} : { ca: readFileSync(caFile) };
  const transport = createGrpcTransport({ baseUrl: endpoint, nodeOptions, interceptors: [toMethod] });
  const client = createClient(SyncService, transport);
  const installation = StartSyncBatchRequest.encode({ installationId: "installation" }).finish();
  const started = await client.startSyncBatch(fromBinary(StartSyncBatchRequestSchema, installation), HEADERS);
  const { batchId } = StartSyncBatchResponse.decode(toBinary(StartSyncBatchResponseSchema, started));
  return {
    prepare: (records) => prepare(client, batchId, kind, task, records),
    close: async () => {
      const batch = CompleteSyncBatchRequest.encode({ batchId }).finish();
      await client.completeSyncBatch(fromBinary(CompleteSyncBatchRequestSchema, batch), HEADERS);
    },
  };
}

function prepare(
  client: Client<typeof SyncService>,
  batchId: string,
  kind: Kind,
  { text, form, recordsPerMessage }: SyncTask,
  records: number,
): Write {
  const pool = makePool(kind, text).map((value) => ({ variant: { case: "generic", value } }));
  const source = toSource(form, repeat(pool, records));
  return async () => {
    const requests = inMessages(source, recordsPerMessage, (some) => requestOf(batchId, kind, some));
    const answer = toBinary(SyncRecordsResponseSchema, await client.syncRecords(requests, HEADERS));
    // An answer without a count means that everything was accepted.
    return Number(SyncRecordsResponse.decode(answer).acceptedRecords ?? records);
  };
}

async function* inMessages<R>(
  source: Source<R>,
  size: number,
  toRequest: (records: readonly R[]) => SyncRecordsRequest,
): AsyncGenerator<SyncRecordsRequest, void, undefined> {
  let records: R[] = [];
  if (source.form === "array") {
    for (let from = 0; from < source.records.length; from += size) {
      yield toRequest(source.records.slice(from, from + size));
    }
  } else if (source.form === "async") {
    for await (const record of source.records) {
      records.push(record);
      if (records.length < size) continue;
      yield toRequest(records);
      records = [];
    }
  } else {
    for await (const page of source.records) {
      for (const record of page) {
        records.push(record);
        if (records.length < size) continue;
        yield toRequest(records);
        records = [];
      }
    }
  }
  if (records.length > 0) yield toRequest(records);
}

function inVariant<Schema extends z.ZodType>(value: Schema) {
  return z.object({ variant: z.object({ case: z.literal("generic"), value }) });
}
