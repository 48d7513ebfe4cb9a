import { expect, onTestFinished, test } from "vitest";
import type { TlsOptions } from "../../src/core/endpoint.js";
import { START, syncClient } from "../support/sync-client.js";
import { startSyncServer } from "../support/sync-server.js";
import { certificate, identity } from "../support/tls-certificates.js";

const authority = certificate("authority");

async function startsBatch(endpoint: string, tls?: TlsOptions): Promise<string> {
  return (await syncClient(endpoint, { tls }).startBatch(START)).id;
}

test.each<[string, string | Uint8Array]>([
  ["a string", authority],
  ["bytes", Buffer.from(authority)],
  ["a bundle", certificate("stranger") + authority],
])("trusts a server by its own authority, given as %s", async (_, ca) => {
  const { port } = await startSyncServer(identity("server"));
  expect(await startsBatch(`https://localhost:${port}`, { ca })).toBe("batch-1");
});

test("reaches a server by an address that its certificate names, without a warning of Node", async () => {
  const { port } = await startSyncServer(identity("server"));
  const warnings: Error[] = [];
  const listener = (warning: Error) => void warnings.push(warning);
  process.on("warning", listener);
  onTestFinished(() => void process.off("warning", listener));
  expect(await startsBatch(`https://127.0.0.1:${port}`, { ca: authority })).toBe("batch-1");
  expect(warnings).toEqual([]);
});

test("accepts a server with another name by tls.serverName, which may be an address", async () => {
  const named = await startSyncServer(identity("named"));
  const tls = { ca: authority, serverName: "sync.example.test" };
  expect(await startsBatch(`https://localhost:${named.port}`, tls)).toBe("batch-1");
  expect(await startsBatch(`https://127.0.0.1:${named.port}`, tls)).toBe("batch-1");
  const server = await startSyncServer(identity("server"));
  const byAddress = { ca: authority, serverName: "127.0.0.1" };
  expect(await startsBatch(`https://localhost:${server.port}`, byAddress)).toBe("batch-1");
  await expect(startsBatch(`https://localhost:${named.port}`, byAddress)).rejects.toMatchObject({
    code: "TRANSPORT_FAILED",
    retryable: false,
  });
});

test.each(["TLSv1.2", "TLSv1.3"] as const)("shows the client's certificate, by %s", async (version) => {
  const mutual = { ...identity("server"), requestCert: true, ca: authority };
  const { port } = await startSyncServer({ ...mutual, minVersion: version, maxVersion: version });
  const tls = { ca: authority, ...identity("client") };
  expect(await startsBatch(`https://localhost:${port}`, tls)).toBe("batch-1");
});
