import { expect, test } from "vitest";
import { accounts, discovered, usage } from "../support/grpc-records.js";
import { startSync } from "../support/grpc-server.js";

test("an event with an id is stored once, across batches, and the first one stays", async () => {
  const { client, installationId, server } = await startSync();
  const first = await client.start(installationId);
  expect(await client.write(first, usage("u1", { id: "u1", sourceActorId: "other" }))).toBe(2n);
  expect((await client.complete(first)).events).toEqual([{ collection: "usage", accepted: 2n }]);
  const second = await client.start(installationId);
  await client.write(second, usage({ id: "u1", sourceActorId: "later" }, "u2"));
  await client.complete(second);
  expect(server.inspect(installationId).events.usage).toMatchObject([
    { generic: { id: "u1", sourceActorId: "actor" } },
    { generic: { id: "u2" } },
  ]);
});

test("an event without an id is stored as often as it is sent", async () => {
  const { client, installationId, server } = await startSync();
  const batchId = await client.start(installationId);
  await client.write(batchId, discovered("a", "a"));
  await client.write(batchId, discovered("a"));
  expect((await client.complete(batchId)).events).toEqual([
    { collection: "externally_discovered_usage", accepted: 3n },
  ]);
  expect(server.inspect(installationId).events.externallyDiscoveredUsage).toHaveLength(3);
});

test("an event is never removed: not by its absence, not by an abort, not by a lease that ran out", async () => {
  const { client, installationId, server } = await startSync();
  const aborted = await client.start(installationId);
  await client.write(aborted, usage("u1"));
  await client.abort(aborted);
  await client.write(await client.start(installationId), usage("u2"));
  server.clock.advance(15 * 60_000);
  const completed = await client.start(installationId);
  await client.write(completed, usage(), accounts("a"));
  await client.complete(completed);
  expect(server.inspect(installationId).events.usage).toMatchObject([
    { generic: { id: "u1" } },
    { generic: { id: "u2" } },
  ]);
});

test("the same event id in two installations is two events", async () => {
  const { client, installationId, server } = await startSync();
  const other = server.createInstallation();
  for (const id of [installationId, other]) {
    const batchId = await client.start(id);
    await client.write(batchId, usage("u1"));
    await client.complete(batchId);
    expect(server.inspect(id).events.usage).toHaveLength(1);
  }
});
