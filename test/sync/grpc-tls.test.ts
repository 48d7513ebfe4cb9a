import { expect, onTestFinished, test } from "vitest";
import type { TlsOptions } from "../../src/core/endpoint.js";
import { START, syncClient } from "../support/sync-client.js";
import { startSyncServer } from "../support/sync-server.js";
import { certificate, identity } from "../support/tls-certificates.js";

const authority = certificate("authority");

async function startsBatch(endpoint: string, tls?: TlsOptions): Promise<string> {
  return (await syncClient(endpoint, { tls }).startBatch(START)).id;
}

test("reaches a server by an address that its certificate names, without a warning of Node", async () => {
  const { port } = await startSyncServer(identity("server"));
  const warnings: Error[] = [];
  const listener = (warning: Error) => void warnings.push(warning);
  process.on("warning", listener);
  onTestFinished(() => void process.off("warning", listener));
  expect(await startsBatch(`https://127.0.0.1:${port}`, { ca: authority })).toBe("batch-1");
  expect(warnings).toEqual([]);
});

test.each(["TLSv1.2", "TLSv1.3"] as const)("shows the client's certificate, by %s", async (version) => {
  const mutual = { ...identity("server"), requestCert: true, ca: authority };
  const { port } = await startSyncServer({ ...mutual, minVersion: version, maxVersion: version });
  const tls = { ca: authority, ...identity("client") };
  expect(await startsBatch(`https://localhost:${port}`, tls)).toBe("batch-1");
});
