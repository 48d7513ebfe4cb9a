/** connect-node with protobuf-es, and every record checked by a zod schema. */
import { readFileSync } from "node:fs";
import type { MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { type Client, createClient } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import { z } from "zod";
import { type SyncRecordsRequestSchema, SyncService } from "../../generated/messages_pb.js";
import { type Details, type Kind, makePool, repeat } from "../records.js";
import { type Source, toSource } from "../sources.js";
import type { SyncPeer, SyncTask, Write } from "../task.js";
import { detailSchemas } from "./schemas.js";

type Request = MessageInitShape<typeof SyncRecordsRequestSchema>;
const HEADERS = { headers: { authorization: "ApiKey key" } };

/** Checks records of one kind and puts them into requests. */
interface Model<K extends Kind> {
  readonly toRequest: (batchId: string, records: readonly Input<K>[]) => Request;
}

interface Input<K extends Kind> {
  readonly variant: { readonly case: "generic"; readonly value: Details[K] };
}

const details = detailSchemas(z.date().transform(timestampFromDate), z.record(z.string(), z.string()));
const accounts = inVariant(details.accounts);
const licenses = inVariant(details.licenses);
const usage = inVariant(details.usage);
const employees = inVariant(details.employees);

const MODELS: { readonly [K in Kind]: Model<K> } = {
  accounts: {
    toRequest: (batchId, records) => ({
      batchId,
      collection: { case: "accounts", value: { records: records.map((r) => accounts.parse(r)) } },
    }),
  },
  licenses: {
    toRequest: (batchId, records) => ({
      batchId,
      collection: { case: "licenses", value: { records: records.map((r) => licenses.parse(r)) } },
    }),
  },
  usage: {
    toRequest: (batchId, records) => ({
      batchId,
      collection: { case: "usage", value: { records: records.map((r) => usage.parse(r)) } },
    }),
  },
  employees: {
    toRequest: (batchId, records) => ({
      batchId,
      collection: { case: "employees", value: { records: records.map((r) => employees.parse(r)) } },
    }),
  },
};

export async function connect(task: SyncTask): Promise<SyncPeer> {
  const { endpoint, caFile, kind } = task;
  const nodeOptions = caFile === undefined ? {} : { ca: readFileSync(caFile) };
  const client = createClient(SyncService, createGrpcTransport({ baseUrl: endpoint, nodeOptions }));
  const { batchId } = await client.startSyncBatch({ installationId: "installation" }, HEADERS);
  return {
    prepare: (records) => prepare(client, batchId, kind, task, records),
    close: async () => {
      await client.completeSyncBatch({ batchId }, HEADERS);
    },
  };
}

function prepare<K extends Kind>(
  client: Client<typeof SyncService>,
  batchId: string,
  kind: K,
  { text, form, recordsPerMessage }: SyncTask,
  records: number,
): Write {
  const { toRequest } = MODELS[kind];
  const pool = makePool(kind, text).map((value): Input<K> => ({ variant: { case: "generic", value } }));
  const source = toSource(form, repeat(pool, records));
  return async () => {
    const requests = inMessages(source, recordsPerMessage, (some) => toRequest(batchId, some));
    const { acceptedRecords } = await client.syncRecords(requests, HEADERS);
    return Number(acceptedRecords);
  };
}

async function* inMessages<R>(
  source: Source<R>,
  size: number,
  toRequest: (records: readonly R[]) => Request,
): AsyncGenerator<Request, void, undefined> {
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
