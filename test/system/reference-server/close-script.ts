/** Starts a server with clients that hang, closes it, and must then exit by itself. */
import { connect } from "node:net";
import { credentials, Metadata } from "@grpc/grpc-js";
import { startReferenceServer } from "../../../src/reference-server/server.js";
import { SyncServiceClient } from "../../support/sync-service-client.js";

const server = await startReferenceServer();
const metadata = new Metadata();
metadata.set("authorization", `ApiKey ${server.apiKey}`);
const client = new SyncServiceClient(new URL(server.syncUrl).host, credentials.createInsecure());

const delayed = server.faults.add({
  on: "AbortSyncBatch",
  fault: "delay",
  ms: 3_600_000,
});
client.abortSyncBatch({ batchId: "delayed for an hour" }, metadata, () => {});
client.syncRecords(metadata, () => {}).on("error", () => {});
for (const url of [server.baseUrl, server.syncUrl]) {
  connect(Number(new URL(url).port), "127.0.0.1").on("error", () => {});
}
while (delayed.fired === 0) await new Promise((resolve) => setImmediate(resolve));

await server.close();
client.close();
process.stdout.write("closed\n");
