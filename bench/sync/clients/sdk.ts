/** This SDK, as its users write it. */
import { readFileSync } from "node:fs";
import { type RecordOf, type SyncBatch, SyncClient } from "@saas-management/sdk/sync";
import { type Details, type Kind, makePool, repeat } from "../records.js";
import { toSource } from "../sources.js";
import type { SyncPeer, SyncTask, Write } from "../task.js";

const TO_RECORD: { readonly [K in Kind]: (details: Details[K]) => RecordOf<K> } = {
  accounts: (generic) => ({ generic }),
  licenses: (generic) => ({ generic }),
  usage: (generic) => ({ generic }),
  employees: (generic) => ({ generic }),
};

export async function connect(task: SyncTask): Promise<SyncPeer> {
  const { endpoint, caFile, messageBytes, windowBytes, kind } = task;
  const tls = caFile === undefined ? undefined : { ca: readFileSync(caFile) };
  const client = new SyncClient({ endpoint, apiKey: "key", tls, messageBytes, windowBytes });
  const batch = await client.startBatch({ installationId: "installation" });
  return {
    prepare: prepare(batch, kind, task),
    close: async () => {
      await batch.complete();
      await client.close();
    },
  };
}

function prepare<K extends Kind>(
  batch: SyncBatch,
  kind: K,
  { text, form }: SyncTask,
): (records: number) => Write {
  const pool = makePool(kind, text).map(TO_RECORD[kind]);
  return (records) => {
    const source = toSource(form, repeat(pool, records));
    return async () => (await batch.write(kind, source.records)).accepted;
  };
}
