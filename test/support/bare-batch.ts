import type { SyncBatch, SyncClient, SyncClientOptions } from "@saas-management/sdk/sync";
import { quickRetries, START, syncClient } from "./sync-client.js";
import { type BareServer, startBareServer } from "./tls-bare-server.js";

export interface BareBatch {
  readonly server: BareServer;
  readonly client: SyncClient;
  readonly batch: SyncBatch;
}

/** Starts a batch on a bare server that answers all later calls with `answer`. */
export async function startBareBatch(
  answer: BareServer["answer"],
  options: Partial<SyncClientOptions> = {},
): Promise<BareBatch> {
  const server = await startBareServer();
  const { answer: started } = server;
  server.answer = (stream, operation) => {
    if (operation === "StartSyncBatch") started(stream, operation);
    else answer(stream, operation);
  };
  const client = syncClient(server, { retry: quickRetries(2), ...options });
  return { server, client, batch: await client.startBatch(START) };
}
