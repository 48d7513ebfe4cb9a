import { expect, test } from "vitest";
import { accepted, ofEvents, ofSnapshots } from "../support/adopted.js";
import type { WireCollection } from "../support/grpc-client.js";
import { accounts, discovered, groups, usage } from "../support/grpc-records.js";
import { syncFixture } from "../support/grpc-server.js";

const fixture = syncFixture();

async function start() {
  const started = fixture();
  const { client, server, installationId } = started;
  const write = async (...messages: WireCollection[]): Promise<string> => {
    const batchId = await client.start(installationId);
    await client.write(batchId, ...messages);
    return batchId;
  };
  return {
    ...started,
    write,
    complete: async (...messages: WireCollection[]) => client.complete(await write(...messages)),
    abort: async (...messages: WireCollection[]) => client.abort(await write(...messages)),
    /** Ids of the records; removed ones have a minus. */
    ids: (collection: "accounts" | "groups" = "accounts"): string =>
      server
        .inspect(installationId)
        .snapshots[collection].map(({ id, removed }) => (removed ? `-${id}` : id))
        .join(" "),
    records: () => server.inspect(installationId).snapshots.accounts.map(({ record }) => record),
  };
}

const counts = (added: bigint, updated: bigint, removed: bigint) =>
  ofSnapshots([{ collection: "accounts", added, updated, removed }]) ?? [];

test("adds new ids, updates known ones and marks missing ones removed", async () => {
  const { complete, ids, records } = await start();
  expect(await complete(accounts("a", "b", "c"))).toEqual({ snapshots: counts(3n, 0n, 0n), events: [] });
  const second = await complete(accounts("d", { id: "b", name: "New" }));
  expect(second.snapshots).toEqual(counts(1n, 1n, 2n));
  expect(ids()).toBe("-a b -c d");
  expect(records()[1]).toEqual({ id: "b", name: "New" });
});

test("counts a removal once", async () => {
  const { complete } = await start();
  await complete(accounts("a", "b"));
  expect((await complete(accounts("a"))).snapshots).toEqual(counts(0n, 1n, 1n));
  expect((await complete(accounts("a"))).snapshots).toEqual(counts(0n, 1n, 0n));
});

test("reconciles only the collections that the batch included", async () => {
  const { complete, ids } = await start();
  await complete(accounts("a"), groups("g"));
  const { snapshots } = await complete(groups("h"));
  expect(snapshots.map(({ collection }) => collection)).toEqual(ofSnapshots(["groups"]) ?? []);
  expect([ids(), ids("groups")]).toEqual(["a", "-g h"]);
});

test("removes everything on an empty snapshot", async () => {
  const { complete, ids } = await start();
  await complete(accounts("a", "b"));
  expect((await complete(accounts())).snapshots).toEqual(counts(0n, 0n, 2n));
  expect(ids()).toBe("-a -b");
});

test("ignores an empty message beside others of its collection", async () => {
  const { complete, ids } = await start();
  await complete(accounts("a"));
  await complete(accounts("a"), accounts(), accounts("b"));
  expect(ids()).toBe("a b");
});

test("reconciles nothing after a batch of events only", async () => {
  const { complete, ids } = await start();
  await complete(accounts("a"));
  expect(await complete(usage("e"))).toEqual({
    snapshots: [],
    events: ofEvents([{ collection: "usage", accepted: 1n }]) ?? [],
  });
  expect(ids()).toBe("a");
});

test("reconciles a collection over all writes of a batch", async () => {
  const { client, complete, write, ids } = await start();
  await complete(accounts("a", "b", "c"));
  const batchId = await write(accounts("a"));
  await client.write(batchId, groups("g"));
  await client.write(batchId, accounts("b"));
  await client.complete(batchId);
  expect(ids()).toBe("a b -c");
});

test("reconciles one installation only", async () => {
  const { client, server, complete, ids } = await start();
  await complete(accounts("a"));
  await client.complete(await client.start(server.createInstallation()));
  expect(ids()).toBe("a");
});

test("shows additions before completion, and removals after", async () => {
  const { client, complete, write, ids } = await start();
  await complete(accounts("a"));
  const batchId = await write(accounts("b"));
  expect(ids()).toBe("a b");
  await client.complete(batchId);
  expect(ids()).toBe("-a b");
});

test("keeps the last of two records with one id", async () => {
  const { client, installationId, records } = await start();
  const batchId = await client.start(installationId);
  expect(await client.write(batchId, accounts({ id: "a", name: "First" }, { id: "a", name: "Last" }))).toBe(
    accepted(2),
  );
  expect((await client.complete(batchId)).snapshots).toEqual(counts(1n, 0n, 0n));
  expect(records()).toEqual([{ id: "a", name: "Last" }]);
});

test("updates a removed record that returns", async () => {
  const { complete, ids } = await start();
  await complete(accounts("a", "b"));
  await complete(accounts("b"));
  expect((await complete(accounts("a", "b"))).snapshots).toEqual(counts(0n, 2n, 0n));
  expect(ids()).toBe("a b");
});

test("neither rolls back nor removes records of an aborted batch", async () => {
  const { complete, abort, ids, records } = await start();
  await complete(accounts("a", "b"));
  await abort(accounts({ id: "a", name: "Changed" }, "c"));
  expect(ids()).toBe("a b c");
  expect(records()[0]).toEqual({ id: "a", name: "Changed" });
});

test("does not count records of an aborted batch as sent by the next one", async () => {
  const { complete, abort, ids } = await start();
  await complete(accounts("a", "b"));
  await abort(accounts("a"));
  await complete(accounts("b"));
  expect(ids()).toBe("-a b");
});

test("keeps records that only an aborted batch sent until they leave a later snapshot", async () => {
  const { complete, abort, ids } = await start();
  await abort(accounts("x"));
  await complete(accounts("a"));
  expect(ids()).toBe("x a");
  expect((await complete(accounts("a", "x"))).snapshots).toEqual(counts(0n, 2n, 0n));
  await complete(accounts("a"));
  expect(ids()).toBe("-x a");
});

test("treats an expired batch like an aborted one", async () => {
  const { server, complete, write, ids } = await start();
  await complete(accounts("a", "b"));
  await write(accounts("a", "x"));
  server.clock.advance(15 * 60_000);
  await complete(accounts("b"));
  expect(ids()).toBe("-a b x");
});

test("stores an event with an id once over all batches and keeps the first", async () => {
  const { server, installationId, complete } = await start();
  const first = await complete(usage("u1", { id: "u1", sourceActorId: "other" }));
  expect(first.events).toEqual(ofEvents([{ collection: "usage", accepted: 2n }]) ?? []);
  await complete(usage({ id: "u1", sourceActorId: "later" }, "u2"));
  expect(server.inspect(installationId).snapshots.usage).toMatchObject([
    { id: "u1", removed: false, record: { sourceActorId: "actor" } },
    { id: "u2" },
  ]);
});

test("stores an event without an id as often as it is sent", async () => {
  const { server, installationId, complete } = await start();
  const { events } = await complete(discovered("a", "a"), discovered("a"));
  expect(events).toEqual(ofEvents([{ collection: "externally_discovered_usage", accepted: 3n }]) ?? []);
  expect(server.inspect(installationId).snapshots.externallyDiscoveredUsage).toHaveLength(3);
});

test("never removes an event by absence, abort or expiry", async () => {
  const { server, installationId, complete, abort, write } = await start();
  await abort(usage("u1"));
  await write(usage("u2"));
  server.clock.advance(15 * 60_000);
  await complete(usage(), accounts("a"));
  expect(server.inspect(installationId).snapshots.usage).toMatchObject([{ id: "u1" }, { id: "u2" }]);
});
