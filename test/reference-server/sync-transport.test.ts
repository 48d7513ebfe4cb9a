import { type ClientHttp2Session, connect as connectHttp2, type Settings } from "node:http2";
import { get } from "node:https";
import { connect as connectTcp } from "node:net";
import { connect as connectTls } from "node:tls";
import { credentials } from "@grpc/grpc-js";
import { expect, onTestFinished, test } from "vitest";
import { SyncServiceService } from "../../src/sync/generated/contract.js";
import { accepted } from "../support/adopted.js";
import { PlainClient, refused, until } from "../support/grpc-client.js";
import { accounts } from "../support/grpc-records.js";
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

test("survives connections that do not speak HTTP/2", async () => {
  const { server, client, installationId } = await startSync();
  const { port } = new URL(server.syncUrl);
  for (const text of ["GET / HTTP/1.1\r\nHost: x\r\n\r\n", "\u0000".repeat(100)]) {
    const socket = connectTcp(Number(port), "127.0.0.1");
    socket.on("error", () => {});
    await new Promise<void>((resolve) =>
      socket
        .once("close", () => resolve())
        .end(text)
        .resume(),
    );
  }
  await client.start(installationId);
});

test("serves both APIs over TLS", async () => {
  const { server } = await startSync({ host: "localhost", tls: TLS });
  expect([server.baseUrl, server.syncUrl].map((url) => new URL(url).protocol)).toEqual(["https:", "https:"]);
  const secure = new PlainClient(
    server.syncUrl,
    `ApiKey ${server.apiKey}`,
    credentials.createSsl(Buffer.from(TLS.cert)),
  );
  const batchId = await secure.start(server.installationId);
  expect(await secure.write(batchId, accounts("a"))).toBe(accepted(1));
  const status = await new Promise((resolve, reject) => {
    get(`${server.baseUrl}/graphql?query={__typename}`, { ca: TLS.cert, agent: false }, (response) => {
      resolve(response.resume().statusCode);
    }).on("error", reject);
  });
  // GET is not allowed, but the answer came over TLS.
  expect(status).toBe(405);
});

test("refuses clients without TLS if it has a certificate", async () => {
  const { client, installationId } = await startSync({ tls: TLS });
  expect(await refused(client.start(installationId))).toMatchObject({ code: "UNAVAILABLE" });
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

test.each(["baseUrl", "syncUrl"] as const)("refuses TLS 1.1 and accepts TLS 1.2 at %s", async (url) => {
  const { server } = await startSync({ tls: TLS });
  const port = Number(new URL(server[url]).port);
  const handshake = (maxVersion: "TLSv1.1" | "TLSv1.2") =>
    new Promise<string>((resolve) => {
      // The lowest security level: the client must accept TLS 1.1 itself.
      const settings = {
        ca: TLS.cert,
        minVersion: "TLSv1.1",
        maxVersion,
        ciphers: "DEFAULT@SECLEVEL=0",
      } as const;
      const socket = connectTls({
        ...settings,
        host: "127.0.0.1",
        port,
        servername: "localhost",
        ALPNProtocols: ["h2", "http/1.1"],
      });
      socket.once("secureConnect", () => resolve(String(socket.getProtocol())));
      socket.once("error", (error) => resolve("code" in error ? String(error.code) : error.message));
      onTestFinished(() => void socket.destroy());
    });
  expect(await handshake("TLSv1.1")).toBe("ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION");
  expect(await handshake("TLSv1.2")).toBe("TLSv1.2");
});
