import { type ClientHttp2Session, connect as connectHttp2, type Settings } from "node:http2";
import { credentials } from "@grpc/grpc-js";
import { expect, onTestFinished, test } from "vitest";
import { SyncServiceService } from "../../src/sync/generated/contract.js";
import { PlainClient, refused, until } from "../support/grpc-client.js";
import { startSync } from "../support/grpc-server.js";
import { identity } from "../support/tls-certificates.js";

const MEBIBYTE = 1024 * 1024;
const TLS = identity("self-signed");

/** A bare HTTP/2 connection and the settings that the server sent. */
async function connectBare(url: string): Promise<{ session: ClientHttp2Session; settings: Settings }> {
  const session = connectHttp2(url);
  onTestFinished(() => session.destroy());
  session.on("error", () => {});
  const settings = await new Promise<Settings>((resolve) => session.once("remoteSettings", resolve));
  return { session, settings };
}

test("lets a client send 8 MiB of a stream and 16 MiB of a connection before the server reads", async () => {
  const { server } = await startSync();
  const held = server.faults.add({ on: "sync", times: 3, fault: "delay", ms: 60_000 });
  const { session, settings } = await connectBare(server.syncUrl);
  expect(settings.initialWindowSize).toBe(8 * MEBIBYTE);
  await until(() => session.state.remoteWindowSize === 16 * MEBIBYTE);
  for (const sent of [8, 16]) {
    const stream = session.request({
      ":method": "POST",
      ":path": SyncServiceService.syncRecords.path,
      "content-type": "application/grpc",
      te: "trailers",
    });
    stream.on("error", () => {});
    stream.write(Buffer.alloc(9 * MEBIBYTE));
    await until(() => session.state.remoteWindowSize === (16 - sent) * MEBIBYTE);
  }
  await until(() => held.fired === 2);
  expect(session.state.remoteWindowSize).toBe(0);
});

test("drops a connection over TLS", async () => {
  const { server } = await startSync({ host: "localhost", tls: TLS });
  const secure = new PlainClient(
    server.syncUrl,
    `ApiKey ${server.apiKey}`,
    credentials.createSsl(Buffer.from(TLS.cert)),
  );
  server.faults.add({ on: "sync", fault: "drop" });
  expect(await refused(secure.start(server.installationId))).toMatchObject({ code: "UNAVAILABLE" });
  await secure.start(server.installationId);
});
