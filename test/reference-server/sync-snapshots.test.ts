import { describe, expect, test } from "vitest";
import type { PlainClient, WireCollection } from "../support/grpc-client.js";
import { accounts, groups, usage } from "../support/grpc-records.js";
import { type SyncFixture, startSync } from "../support/grpc-server.js";

/** Runs a whole batch and returns the counts of its completion. */
async function complete(client: PlainClient, installationId: string, ...messages: WireCollection[]) {
  const batchId = await client.start(installationId);
  await client.write(batchId, ...messages);
  return client.complete(batchId);
}

/** Runs a batch that is aborted after its writes. */
async function abort(client: PlainClient, installationId: string, ...messages: WireCollection[]) {
  const batchId = await client.start(installationId);
  await client.write(batchId, ...messages);
  await client.abort(batchId);
}

/** Ids of the accounts; those that are removed have a minus. */
function ids(
  { server, installationId }: SyncFixture,
  collection: "accounts" | "groups" = "accounts",
): string[] {
  const records = server.inspect(installationId).snapshots[collection];
  return records.map(({ id, removed }) => (removed ? `-${id}` : id));
}

describe("completing a snapshot", () => {
  test("adds new ids, updates known ones and marks missing ones removed", async () => {
    const fixture = await startSync();
    const { client, installationId, server } = fixture;
    expect(await complete(client, installationId, accounts("a", "b", "c"))).toEqual({
      snapshots: [{ collection: "accounts", added: 3n, updated: 0n, removed: 0n }],
      events: [],
    });
    const second = await complete(client, installationId, accounts("d", { id: "b", name: "New" }));
    expect(second.snapshots).toEqual([{ collection: "accounts", added: 1n, updated: 1n, removed: 2n }]);
    expect(ids(fixture)).toEqual(["-a", "b", "-c", "d"]);
    expect(server.inspect(installationId).snapshots.accounts[1]?.record).toEqual({
      generic: { id: "b", name: "New" },
    });
  });

  test("counts a removal once", async () => {
    const { client, installationId } = await startSync();
    await complete(client, installationId, accounts("a", "b"));
    expect((await complete(client, installationId, accounts("a"))).snapshots[0]?.removed).toBe(1n);
    expect((await complete(client, installationId, accounts("a"))).snapshots[0]?.removed).toBe(0n);
  });

  test("reconciles the collections that the batch included, and no others", async () => {
    const fixture = await startSync();
    const { client, installationId } = fixture;
    await complete(client, installationId, accounts("a"), groups("g"));
    const { snapshots } = await complete(client, installationId, groups("h"));
    expect(snapshots.map(({ collection }) => collection)).toEqual(["groups"]);
    expect(ids(fixture)).toEqual(["a"]);
    expect(ids(fixture, "groups")).toEqual(["-g", "h"]);
  });

  test("removes everything when the included snapshot is empty", async () => {
    const fixture = await startSync();
    const { client, installationId } = fixture;
    await complete(client, installationId, accounts("a", "b"));
    const { snapshots } = await complete(client, installationId, accounts());
    expect(snapshots).toEqual([{ collection: "accounts", added: 0n, updated: 0n, removed: 2n }]);
    expect(ids(fixture)).toEqual(["-a", "-b"]);
  });

  test("takes an empty message beside full ones as nothing more than a mark of the collection", async () => {
    const fixture = await startSync();
    const { client, installationId } = fixture;
    await complete(client, installationId, accounts("a"));
    await complete(client, installationId, accounts("a"), accounts(), accounts("b"));
    expect(ids(fixture)).toEqual(["a", "b"]);
  });

  test("does not reconcile anything in a batch of events alone", async () => {
    const fixture = await startSync();
    const { client, installationId } = fixture;
    await complete(client, installationId, accounts("a"));
    expect(await complete(client, installationId, usage("e"))).toEqual({
      snapshots: [],
      events: [{ collection: "usage", accepted: 1n }],
    });
    expect(ids(fixture)).toEqual(["a"]);
  });

  test("takes a collection as one snapshot, over however many writes it came", async () => {
    const fixture = await startSync();
    const { client, installationId } = fixture;
    await complete(client, installationId, accounts("a", "b", "c"));
    const batchId = await client.start(installationId);
    await client.write(batchId, accounts("a"));
    await client.write(batchId, groups("g"));
    await client.write(batchId, accounts("b"));
    await client.complete(batchId);
    expect(ids(fixture)).toEqual(["a", "b", "-c"]);
  });

  test("is a matter of one installation", async () => {
    const fixture = await startSync();
    const { client, installationId, server } = fixture;
    await complete(client, installationId, accounts("a"));
    await complete(client, server.createInstallation(), accounts("b"));
    expect(ids(fixture)).toEqual(["a"]);
  });
});

describe("before completion", () => {
  test("additions and updates are seen at once, and removals are not", async () => {
    const fixture = await startSync();
    const { client, installationId } = fixture;
    await complete(client, installationId, accounts("a"));
    const batchId = await client.start(installationId);
    await client.write(batchId, accounts("b"));
    expect(ids(fixture)).toEqual(["a", "b"]);
    await client.complete(batchId);
    expect(ids(fixture)).toEqual(["-a", "b"]);
  });
});

describe("records of one id", () => {
  test("are one record: the last one wins, and the count of the write includes both", async () => {
    const { client, installationId, server } = await startSync();
    const batchId = await client.start(installationId);
    const twice = accounts({ id: "a", name: "First" }, { id: "a", name: "Last" });
    expect(await client.write(batchId, twice)).toBe(2n);
    expect((await client.complete(batchId)).snapshots[0]).toMatchObject({ added: 1n, updated: 0n });
    expect(server.inspect(installationId)).toMatchObject({
      snapshots: { accounts: [{ record: { generic: { name: "Last" } } }] },
      batches: [{ accepted: { accounts: 2 } }],
    });
  });

  test("are the same record again when a removed one comes back", async () => {
    const fixture = await startSync();
    const { client, installationId } = fixture;
    await complete(client, installationId, accounts("a", "b"));
    await complete(client, installationId, accounts("b"));
    const { snapshots } = await complete(client, installationId, accounts("a", "b"));
    expect(snapshots[0]).toMatchObject({ added: 0n, updated: 2n, removed: 0n });
    expect(ids(fixture)).toEqual(["a", "b"]);
  });
});

describe("a batch that is aborted", () => {
  test("rolls nothing back and removes nothing", async () => {
    const fixture = await startSync();
    const { client, installationId, server } = fixture;
    await complete(client, installationId, accounts("a", "b"));
    await abort(client, installationId, accounts({ id: "a", name: "Changed" }, "c"));
    expect(ids(fixture)).toEqual(["a", "b", "c"]);
    expect(server.inspect(installationId).snapshots.accounts[0]?.record).toEqual({
      generic: { id: "a", name: "Changed" },
    });
  });

  test("counts for nothing in the next snapshot: what it alone had seen is not taken for sent", async () => {
    const fixture = await startSync();
    const { client, installationId } = fixture;
    await complete(client, installationId, accounts("a", "b"));
    await abort(client, installationId, accounts("a"));
    await complete(client, installationId, accounts("b"));
    expect(ids(fixture)).toEqual(["-a", "b"]);
  });

  test("leaves what it added until a later snapshot takes it in and one after that leaves it out", async () => {
    const fixture = await startSync();
    const { client, installationId } = fixture;
    await abort(client, installationId, accounts("x"));
    await complete(client, installationId, accounts("a"));
    expect(ids(fixture)).toEqual(["x", "a"]);
    const { snapshots } = await complete(client, installationId, accounts("a", "x"));
    expect(snapshots[0]).toMatchObject({ added: 0n, updated: 2n });
    await complete(client, installationId, accounts("a"));
    expect(ids(fixture)).toEqual(["-x", "a"]);
  });

  test("and one whose lease ran out are alike", async () => {
    const fixture = await startSync();
    const { client, installationId, server } = fixture;
    await complete(client, installationId, accounts("a", "b"));
    await client.write(await client.start(installationId), accounts("a", "x"));
    server.clock.advance(15 * 60_000);
    expect(ids(fixture)).toEqual(["a", "b", "x"]);
    await complete(client, installationId, accounts("b"));
    expect(ids(fixture)).toEqual(["-a", "b", "x"]);
  });
});
