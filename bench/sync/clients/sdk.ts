/** This SDK, as its users write it. */
import { readFileSync } from "node:fs";
import { SaasManagementClient, type SyncBatch } from "@saas-management/sdk";
import { type Kind, repeat } from "../records.js";
import { makeRecords } from "../sdk-records.js";
import { toSource } from "../sources.js";
import type { SyncPeer, SyncTask, Write } from "../task.js";

export async function connect(task: SyncTask): Promise<SyncPeer> {
  const { endpoint, caFile, messageBytes, windowBytes, kind } = task;
  const tls = caFile === undefined ? undefined : { ca: readFileSync(caFile) };
  const client = new SaasManagementClient({
    syncUrl: endpoint,
    apiKey: "key",
    tls,
    sync: { maxSendMessageBytes: messageBytes, windowBytes },
  });
  const batch = await client.sync.startBatch({ installationId: "installation" });
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
  const pool = makeRecords(kind, text);
  return (records) => {
    const source = toSource(form, repeat(pool, records));
    return async () => (await batch.write(kind, source.records)).accepted;
  };
}
