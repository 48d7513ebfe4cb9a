import { type ClientHttp2Session, type ClientHttp2Stream, connect as connectHttp2 } from "node:http2";
import { connect, type Socket } from "node:net";
import { type ReferenceServer, startReferenceServer } from "@saas-management/sdk/testing";
import { expect, onTestFinished, test } from "vitest";
import { StartSyncBatchRequest, SyncServiceService } from "../../src/sync/generated/contract.js";

async function startServer(): Promise<ReferenceServer> {
  const server = await startReferenceServer();
  onTestFinished(() => server.close());
  return server;
}

interface RawCall {
  readonly session: ClientHttp2Session;
  readonly stream: ClientHttp2Stream;
}

/** Starts a batch without a gRPC library, to see what happens on the socket. */
async function callStart({ syncUrl, apiKey, installationId }: ReferenceServer): Promise<RawCall> {
  const session = connectHttp2(syncUrl);
  onTestFinished(() => session.destroy());
  const stream = session.request({
    ":method": "POST",
    ":path": SyncServiceService.startSyncBatch.path,
    "content-type": "application/grpc",
    te: "trailers",
    authorization: `ApiKey ${apiKey}`,
  });
  stream.on("error", () => {}).resume();
  const message = StartSyncBatchRequest.encode({ installationId }).finish();
  const prefix = Buffer.alloc(5);
  prefix.writeUInt32BE(message.length, 1);
  stream.end(Buffer.concat([prefix, message]));
  return { session, stream };
}

/** Sends a query without an HTTP library. */
function ask({ baseUrl, apiKey }: ReferenceServer): Socket {
  const socket = connect(Number(new URL(baseUrl).port), "127.0.0.1");
  onTestFinished(() => void socket.destroy());
  const body = JSON.stringify({ query: "{ applications { totalCount } }" });
  const head = `POST /graphql HTTP/1.1\r\nHost: a\r\nAuthorization: ${apiKey}\r\nContent-Type: application/json`;
  socket.resume().write(`${head}\r\nContent-Length: ${body.length}\r\n\r\n${body}`);
  return socket;
}

const endings = (["sync", "graphql"] as const).flatMap((on) =>
  (["drop", "reset"] as const).flatMap((fault) =>
    (["request", "answer"] as const).map((at) => ({ on, fault, at })),
  ),
);

test.each(endings)("ends a connection to the $on API with a $fault at the $at", async (kind) => {
  const server = await startServer();
  const fault = server.faults.add(kind);
  const connection = kind.on === "sync" ? (await callStart(server)).session : ask(server);
  const failed = new Promise<unknown>((resolve) => {
    connection.once("error", (error) => resolve(Reflect.get(error, "code")));
    connection.once("close", () => resolve("closed"));
  });
  expect(await failed).toBe(kind.fault === "reset" ? "ECONNRESET" : "closed");
  expect(fault.fired).toBe(1);
});
