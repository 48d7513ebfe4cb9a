import { TestClock } from "@saas-management/sdk/testing";
import { expect, onTestFinished, test } from "vitest";
import { createSyncClient } from "../../src/runs/engine.js";
import { ofSnapshots } from "../support/adopted.js";
import { refused, until } from "../support/grpc-client.js";
import { accounts } from "../support/grpc-records.js";
import { startSync } from "../support/grpc-server.js";
import { post } from "./graphql-setup.js";

test("does nothing for a delayed call whose caller gives up", async () => {
  const { client, installationId, server } = await startSync();
  const batchId = await client.start(installationId);
  server.faults.add({ on: "sync", fault: "delay", ms: 60_000 });
  const stream = client.open().send(batchId, accounts("a"));
  await until(() => server.clock.sleeping === 1);
  stream.cancel();
  await until(() => server.clock.sleeping === 0);
  await refused(stream.answer);
  expect(server.inspect(installationId).snapshots.accounts).toEqual([]);
});

test("closes the server while a call is delayed", async () => {
  const { client, installationId, server } = await startSync();
  server.faults.add({ on: "sync", fault: "delay", ms: 60_000 });
  const started = refused(client.start(installationId));
  await until(() => server.clock.sleeping === 1);
  await server.close();
  expect(await started).toMatchObject({ code: "UNAVAILABLE" });
  expect(server.clock.sleeping).toBe(0);
});

test("keeps addresses, data, locks and keys over a restart", async () => {
  const { server, installationId, client: plain } = await startSync();
  const first = await plain.start(installationId);
  await plain.write(first, accounts("u0", "u1", "u2", "u3"));
  await plain.complete(first);
  const { syncUrl, baseUrl } = server;
  const client = createSyncClient({ endpoint: syncUrl, apiKey: server.apiKey, clock: new TestClock() });
  onTestFinished(() => client.close());
  const batch = await client.startBatch({ installationId });
  await server.restart();
  expect([server.syncUrl, server.baseUrl]).toEqual([syncUrl, baseUrl]);
  expect(server.inspect(installationId).lock).toMatchObject({ batchId: batch.id });
  await batch.write("accounts", [{ id: "u0" }]);
  await expect(batch.complete()).resolves.toMatchObject({
    ...ofSnapshots({ accounts: { updated: 1, removed: 3 } }),
  });
  const { status } = await fetch(`${baseUrl}/graphql`, post("{ __typename }", server.apiKey));
  expect(status).toBe(200);
});

test("close waits for a restart in progress, and later restarts are rejected", async () => {
  const { server } = await startSync();
  const restarted = server.restart();
  await server.close();
  await restarted;
  await expect(server.restart()).rejects.toThrow("The reference server is closed.");
  await expect(fetch(server.baseUrl)).rejects.toThrow("fetch failed");
});
