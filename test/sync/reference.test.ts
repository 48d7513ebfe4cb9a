import { type ReferenceServer, startReferenceServer } from "@saas-management/sdk/reference-server";
import { type CollectionName, SyncClient, type SyncClientOptions } from "@saas-management/sdk/sync";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { accounts } from "../support/sync-harness.js";

let server: ReferenceServer;
let clients: SyncClient[];
beforeEach(async () => {
  server = await startReferenceServer();
  clients = [];
});
afterEach(async () => {
  for (const client of clients) await client.close();
  await server.close();
});

function newClient(options: Partial<SyncClientOptions> = {}) {
  const retry = { retries: 3, minDelayMs: 1, maxDelayMs: 2 };
  const client = new SyncClient({ endpoint: server.syncUrl, apiKey: server.apiKey, retry, ...options });
  clients.push(client);
  return client;
}

const start = (options?: Partial<SyncClientOptions>) =>
  newClient(options).startBatch({ installationId: server.installationId });
const inspect = () => server.inspect(server.installationId);
const presentAccounts = () =>
  inspect()
    .snapshots.accounts.filter(({ removed }) => !removed)
    .map(({ id }) => id);

describe("a batch against the reference server", () => {
  it("adds, updates and removes by the difference to the last completed snapshot", async () => {
    const first = await start();
    await first.write("accounts", accounts(3));
    await expect(first.complete()).resolves.toEqual({
      snapshots: { accounts: { added: 3, updated: 0, removed: 0 } },
      events: {},
    });
    const second = await start();
    await second.write("accounts", [...accounts(2), { generic: { id: "new" } }]);
    await second.write("usage", [{ generic: { id: "e1", sourceActorId: "u0", lastActivity: new Date() } }]);
    await expect(second.complete()).resolves.toEqual({
      snapshots: { accounts: { added: 1, updated: 2, removed: 1 } },
      events: { usage: { accepted: 1 } },
    });
    expect(presentAccounts()).toEqual(["u0", "u1", "new"]);
    expect(inspect().lock).toBeNull();
  });

  it("that writes an empty snapshot removes everything, and one that leaves the collection out removes nothing", async () => {
    const first = await start();
    await first.write("accounts", accounts(2));
    await first.complete();
    const events = await start();
    await events.write("usage", []);
    await events.complete();
    expect(presentAccounts()).toEqual(["u0", "u1"]);
    const empty = await start();
    await empty.write("accounts", []);
    await empty.complete();
    expect(presentAccounts()).toEqual([]);
  });

  it("that is aborted removes nothing and frees the lock", async () => {
    const first = await start();
    await first.write("accounts", accounts(2));
    await first.complete();
    const second = await start();
    await second.write("accounts", accounts(1));
    await second.abort();
    expect(presentAccounts()).toEqual(["u0", "u1"]);
    expect(inspect().lock).toBeNull();
  });

  it("holds the lock until it ends", async () => {
    const first = await start();
    await expect(start()).rejects.toMatchObject({
      code: "BATCH_IN_PROGRESS",
      installationId: server.installationId,
    });
    await first.abort();
    await (await start()).abort();
  });

  it("whose lease ran out at the server says so, and a delayed abort leaves the newer batch alone", async () => {
    const old = await start();
    server.clock.advance(15 * 60_000);
    const newer = await start();
    await expect(old.write("accounts", accounts(1))).rejects.toMatchObject({
      code: "BATCH_STATE",
      reason: "expired",
    });
    await old.abort();
    expect(inspect().lock?.batchId).toBe(newer.id);
    await newer.abort();
  });

  it("is refused by another workspace's key, and by one without the permission", async () => {
    const workspace = server.createWorkspace("other");
    const keys = [
      server.createApiKey({ workspace }),
      server.createApiKey({ scope: "read" }),
      server.createApiKey({ permissions: [] }),
    ];
    for (const apiKey of keys)
      await expect(start({ apiKey })).rejects.toMatchObject({ code: "PERMISSION_DENIED" });
    await expect(start({ apiKey: "unknown" })).rejects.toMatchObject({ code: "AUTHENTICATION_FAILED" });
  });

  it("stops at once when its key is revoked", async () => {
    const apiKey = server.createApiKey();
    const batch = await start({ apiKey });
    server.revokeApiKey(apiKey);
    await expect(batch.write("accounts", accounts(1))).rejects.toMatchObject({
      code: "AUTHENTICATION_FAILED",
    });
    await expect(batch.complete()).rejects.toMatchObject({ reason: "incomplete" });
  });

  it.each([
    ["before the server did anything", "request" as const],
    ["after the server applied it", "answer" as const],
  ])(
    "survives a connection that breaks %s, at each operation, and every record is there once",
    async (_, at) => {
      for (const operation of ["SyncRecords", "CompleteSyncBatch"] as const) {
        server.faults.add({ api: "sync", operation, kind: { type: "drop", at } });
      }
      const batch = await start();
      const result = await batch.write("accounts", accounts(10));
      expect(result).toMatchObject({ accepted: 10, retries: 1 });
      const { snapshots } = await batch.complete();
      // Where the answer was lost, the service says only that the batch is completed.
      expect(snapshots).toEqual(at === "request" ? { accounts: { added: 10, updated: 0, removed: 0 } } : {});
      expect(presentAccounts()).toHaveLength(10);
      expect(inspect().lock).toBeNull();
    },
  );

  it("whose start was answered by a broken connection reports the lock as perhaps its own", async () => {
    server.faults.add({ api: "sync", operation: "StartSyncBatch", kind: { type: "drop", at: "answer" } });
    await expect(start()).rejects.toThrow(/may be this client's own/);
  });

  it("of 100,000 records of a generator arrives whole, in several windows", { timeout: 60_000 }, async () => {
    function* many() {
      for (let i = 0; i < 100_000; i += 1)
        yield { generic: { id: `u${i}`, name: `Name ${i}`, active: i % 2 === 0 } };
    }
    const batch = await start({ messageBytes: 256 * 1024, windowBytes: 1024 * 1024 });
    const { accepted, messages } = await batch.write("accounts", many());
    expect(accepted).toBe(100_000);
    expect(messages).toBeGreaterThan(8);
    await expect(batch.complete()).resolves.toMatchObject({ snapshots: { accounts: { added: 100_000 } } });
  });
});

it("the server's own rules accept what the client's checks accept, for every collection", async () => {
  const at = new Date("2026-01-01T00:00:00Z");
  const batch = await start();
  await batch.write("accounts", [
    { generic: { id: "a", details: { microsoft: { teams: { hasTeams: true } } } } },
  ]);
  await batch.write("plans", [
    { generic: { id: "p", externalPlanName: "P", details: { model: "SEAT_BASED", seatBased: {} } } },
  ]);
  await batch.write("licenses", [
    { generic: { sourceId: "l", sourceAccountId: "a", sourcePlanId: "p", billable: false } },
  ]);
  await batch.write("employees", [
    { generic: { id: "e1", fullName: "E" } },
    { microsoft: { id: "e2", displayName: "E", userPrincipalName: "e@example.com" } },
    { google: { id: "e3", fullName: "E", primaryEmail: "e@example.com" } },
    { okta: { id: "e4", displayName: "E", login: "e@example.com" } },
    { bambooHr: { id: "e5", displayName: "E" } },
  ]);
  await batch.write("groups", [{ generic: { id: "g", name: "G" } }]);
  await batch.write("groupMembers", [{ generic: { id: "m", sourceGroupId: "g", sourceMemberId: "a" } }]);
  await batch.write("devices", [{ generic: { id: "d" } }]);
  await batch.write("usage", [{ generic: { id: "u", sourceActorId: "a", lastActivity: at } }]);
  await batch.write("externallyDiscoveredUsage", [
    { generic: { sourceActorId: "a", lastActivity: at } },
    { generic: { sourceActorId: "a", lastActivityFrom: at, lastActivityTo: at } },
  ]);
  await batch.write("auditLogs", [{ generic: { id: "x", action: "login", eventTime: at } }]);
  await batch.write("aiUsage", [
    { generic: { id: "i", sourceActorId: "a", lastActivity: at, inputTokens: 1 } },
  ]);
  await batch.write("aiCost", [{ generic: { id: "c", amount: "0.10", currency: "EUR", costTime: at } }]);
  const { snapshots, events } = await batch.complete();
  const sizes = Object.entries({ ...snapshots, ...events }).map(([name, counts]) => [
    name,
    "added" in counts ? counts.added : counts.accepted,
  ]);
  const expected: Record<CollectionName, number> = {
    accounts: 1,
    plans: 1,
    licenses: 1,
    employees: 5,
    groups: 1,
    groupMembers: 1,
    devices: 1,
    usage: 1,
    externallyDiscoveredUsage: 2,
    auditLogs: 1,
    aiUsage: 1,
    aiCost: 1,
  };
  expect(Object.fromEntries(sizes)).toEqual(expected);
});
