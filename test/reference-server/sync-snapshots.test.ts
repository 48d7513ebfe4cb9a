import fc from "fast-check";
import { expect, test } from "vitest";
import { ofEvents, ofSnapshots } from "../support/adopted.js";
import type { WireCollection } from "../support/grpc-client.js";
import { accounts, discovered, employees, usage } from "../support/grpc-records.js";
import { type SyncFixture, syncFixture } from "../support/grpc-server.js";
import { LIMITS, RUNS } from "../support/property-runs.js";

const fixture = syncFixture();

function start(started: SyncFixture, installationId = started.installationId) {
  const { client, server } = started;
  const write = async (...messages: WireCollection[]): Promise<string> => {
    const batchId = await client.start(installationId);
    await client.write(batchId, ...messages);
    return batchId;
  };
  return {
    ...started,
    write,
    complete: async (...messages: WireCollection[]) => client.complete(await write(...messages)),
    /** Ids of the records; removed ones have a minus. */
    ids: (collection: "accounts" | "employees" = "accounts"): string =>
      server
        .inspect(installationId)
        .snapshots[collection].map(({ id, removed }) => (removed ? `-${id}` : id))
        .join(" "),
    held: () => server.inspect(installationId).snapshots,
  };
}

const counts = (added: bigint, updated: bigint, removed: bigint) =>
  ofSnapshots([{ collection: "accounts", added, updated, removed }]) ?? [];

test("adds new ids, updates known ones and marks missing ones removed", async () => {
  const { complete, ids, held } = start(fixture());
  expect(await complete(accounts("a", "b", "c"))).toEqual({ snapshots: counts(3n, 0n, 0n), events: [] });
  const second = await complete(accounts("d", { id: "b", name: "New" }));
  expect(second.snapshots).toEqual(counts(1n, 1n, 2n));
  expect(ids()).toBe("-a b -c d");
  expect(held().accounts[1]?.record).toEqual({ id: "b", name: "New" });
});

/** One batch's messages of accounts, one of them empty, and how the batch ends. */
const batches = fc.array(
  fc.record({
    messages: fc.array(fc.array(fc.constantFrom("a", "b", "c", "d"), { maxLength: 4 }), { maxLength: 3 }),
    end: fc.constantFrom("complete", "complete", "abort", "expire"),
  }),
  { minLength: 1, maxLength: 6 },
);

test("reconciles a collection with all writes of a batch once the batch is completed", async () => {
  const started = fixture();
  const { client, server } = started;
  const reconcile = fc.asyncProperty(batches, async (all) => {
    const installation = server.createInstallation();
    const { ids } = start(started, installation);
    const model = new Map<string, { removed: boolean; name: string }>();
    // Records sent only by an aborted batch remain until a later snapshot omits them.
    let snapshot: ReadonlySet<string> = new Set();
    const shown = () => [...model].map(([id, { removed }]) => (removed ? `-${id}` : id)).join(" ");
    for (const [number, { messages, end }] of all.entries()) {
      const batchId = await client.start(installation);
      const sent = new Set<string>(messages.flat());
      const added = [...sent].filter((id) => !model.has(id)).length;
      for (const message of messages) {
        const name = `${number}`;
        await client.write(batchId, accounts(...message.map((id) => ({ id, name }))));
        // New records appear immediately; removals appear with the completion.
        for (const id of message) model.set(id, { removed: false, name });
      }
      expect(ids()).toBe(shown());
      if (end === "abort") await client.abort(batchId);
      if (end === "expire") server.clock.advance(15 * 60_000);
      if (end !== "complete") continue;
      const gone = messages.length === 0 ? [] : [...snapshot].filter((id) => !sent.has(id));
      for (const id of gone) model.set(id, { removed: true, name: model.get(id)?.name ?? "" });
      if (messages.length > 0) snapshot = sent;
      const expected = counts(BigInt(added), BigInt(sent.size - added), BigInt(gone.length));
      expect((await client.complete(batchId)).snapshots).toEqual(messages.length === 0 ? [] : expected);
    }
    expect(ids()).toBe(shown());
    const names = server.inspect(installation).snapshots.accounts.map(({ record }) => record.name);
    expect(names).toEqual([...model.values()].map(({ name }) => name));
  });
  await fc.assert(reconcile, { ...LIMITS, numRuns: Math.ceil(RUNS / 3) });
});

test("reconciles only the collections that the batch included, in its own installation", async () => {
  const { client, server, complete, ids } = start(fixture());
  await complete(accounts("a"), employees("g"));
  const { snapshots } = await complete(employees("h"));
  expect(snapshots.map(({ collection }) => collection)).toEqual(ofSnapshots(["employees"]) ?? []);
  const events = ofEvents([{ collection: "usage", accepted: 1n }]) ?? [];
  expect(await complete(usage("e"))).toEqual({ snapshots: [], events });
  const other = await client.start(server.createInstallation());
  await client.write(other, accounts());
  await client.complete(other);
  expect([ids(), ids("employees")]).toEqual(["a", "-g h"]);
});

test("stores an event with an id once across all batches, and keeps the first", async () => {
  const { held, complete } = start(fixture());
  const first = await complete(usage("u1", { id: "u1", sourceActorId: "other" }));
  expect(first.events).toEqual(ofEvents([{ collection: "usage", accepted: 2n }]) ?? []);
  await complete(usage({ id: "u1", sourceActorId: "later" }, "u2"));
  const kept = { id: "u1", removed: false, record: { sourceActorId: "actor" } };
  expect(held().usage).toMatchObject([kept, { id: "u2" }]);
});

test("stores an event without an id each time it is sent", async () => {
  const { held, complete } = start(fixture());
  const { events } = await complete(discovered("a", "a"), discovered("a"));
  expect(events).toEqual(ofEvents([{ collection: "externally_discovered_usage", accepted: 3n }]) ?? []);
  expect(held().externallyDiscoveredUsage).toHaveLength(3);
});

test("never removes an event because of absence, abort or expiry", async () => {
  const { server, client, held, complete, write } = start(fixture());
  await client.abort(await write(usage("u1")));
  await write(usage("u2"));
  server.clock.advance(15 * 60_000);
  await complete(usage(), accounts("a"));
  expect(held().usage).toMatchObject([{ id: "u1" }, { id: "u2" }]);
});
