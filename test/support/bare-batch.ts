import { type SyncBatch, SyncClient, type SyncClientOptions } from "@saas-management/sdk/sync";
import { onTestFinished } from "vitest";
import { type BareServer, startBareServer } from "./tls-bare-server.js";

/** A batch of a bare server. */
export interface BareBatch {
  readonly server: BareServer;
  readonly client: SyncClient;
  readonly batch: SyncBatch;
}

/** Starts a batch of a bare server that answers each call as it is told, and a start as it should. */
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
  const client = new SyncClient({
    endpoint: `http://127.0.0.1:${server.port}`,
    apiKey: "key-1",
    retry: { retries: 2, minDelayMs: 1, maxDelayMs: 1 },
    ...options,
  });
  onTestFinished(() => client.close());
  return { server, client, batch: await client.startBatch({ installationId: "installation-1" }) };
}
