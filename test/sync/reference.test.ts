import { expect, test } from "vitest";
import { ofEvents, ofSnapshots, testOfAssumedContract } from "../support/adopted.js";
import { accounts, testService } from "../support/test-service.js";

const service = testService({ sync: { retry: { retries: 3, minDelayMs: 1, maxDelayMs: 2 } } });
const start = () => service.startBatch();

/** Completes a batch that holds these accounts. */
async function complete(ids: readonly string[]) {
  const batch = await start();
  await batch.write("accounts", accounts(ids));
  return batch.complete();
}

test("adds, updates and removes by the difference to the last completed snapshot", async () => {
  expect(await complete(["u0", "u1", "u2"])).toEqual({
    ...ofSnapshots({ accounts: { added: 3, updated: 0, removed: 0 } }),
  });
  const second = await start();
  await second.write("accounts", accounts(["u0", "u1", "new"]));
  await second.write("usage", [{ id: "e1", sourceActorId: "u0", lastActivity: new Date() }]);
  await expect(second.complete()).resolves.toEqual({
    ...ofSnapshots({ accounts: { added: 1, updated: 2, removed: 1 } }),
    ...ofEvents({ usage: { accepted: 1 } }),
  });
  expect(service.present()).toEqual(["new", "u0", "u1"]);
  expect(service.inspect().lock).toBeNull();
});

test("removes everything with an empty snapshot, and nothing with a collection that is left out", async () => {
  await complete(["u0", "u1"]);
  const events = await start();
  await events.write("usage", []);
  await events.complete();
  expect(service.present()).toEqual(["u0", "u1"]);
  await complete([]);
  expect(service.present()).toEqual([]);
});

test("removes nothing with a batch that is aborted, and frees the lock", async () => {
  await complete(["u0", "u1"]);
  const second = await start();
  await second.write("accounts", accounts(["u0"]));
  await expect(start()).rejects.toMatchObject({ code: "BATCH_IN_PROGRESS" });
  await second.abort();
  expect(service.present()).toEqual(["u0", "u1"]);
  expect(service.inspect().lock).toBeNull();
});

test("leaves a newer batch alone when a batch whose lease ran out is aborted", async () => {
  const old = await start();
  service.clock.advance(15 * 60_000);
  const newer = await start();
  await expect(old.write("accounts", accounts(["u0"]))).rejects.toMatchObject({
    code: "BATCH_STATE",
    reason: "expired",
  });
  await old.abort();
  expect(service.inspect().lock?.batchId).toBe(newer.id);
  await newer.abort();
});

test("is refused with the key of another workspace, and without the permission", async () => {
  const { server, installationId } = service;
  const keys = [
    server.createWorkspace({ name: "other" }).apiKey,
    server.createApiKey({ scope: "read" }),
    server.createApiKey({ permissions: [] }),
  ];
  const startWith = (apiKey: string) => service.syncClient({ apiKey }).startBatch({ installationId });
  for (const apiKey of keys)
    await expect(startWith(apiKey)).rejects.toMatchObject({ code: "PERMISSION_DENIED" });
  await expect(startWith("unknown")).rejects.toMatchObject({ code: "AUTHENTICATION_FAILED" });
});

test("cannot be completed after its key was revoked in the middle", async () => {
  const batch = await start();
  service.server.revokeApiKey(service.server.apiKey);
  await expect(batch.write("accounts", accounts(["u0"]))).rejects.toMatchObject({
    code: "AUTHENTICATION_FAILED",
  });
  await expect(batch.complete()).rejects.toMatchObject({ reason: "incomplete" });
});

test.each(["request", "answer"] as const)(
  "has every record once if each connection breaks at the %s",
  async (at) => {
    for (const operation of ["SyncRecords", "CompleteSyncBatch"] as const)
      service.server.faults.add({ on: operation, fault: "drop", at });
    const batch = await start();
    const ids = ["u0", "u1", "u2"];
    expect(await batch.write("accounts", accounts(ids))).toMatchObject({ accepted: 3, retries: 1 });
    const counts = await batch.complete();
    // If the answer was lost, the service says only that the batch is completed.
    expect(counts).toEqual(
      at === "request" ? { ...ofSnapshots({ accounts: { added: 3, updated: 0, removed: 0 } }) } : {},
    );
    expect(service.present()).toEqual(ids);
    expect(service.inspect().lock).toBeNull();
  },
);

test("sends a large generator in several windows", async () => {
  const COUNT = 20_000;
  function* many() {
    for (let i = 0; i < COUNT; i += 1) yield { id: `u${i}`, name: `Name ${i}`, active: i % 2 === 0 };
  }
  const client = service.syncClient({ messageBytes: 64 * 1024, windowBytes: 128 * 1024 });
  const batch = await client.startBatch({ installationId: service.installationId });
  const { accepted, messages, windows } = await batch.write("accounts", many());
  expect(accepted).toBe(COUNT);
  expect(messages).toBeGreaterThan(6);
  expect(windows).toBeGreaterThan(2);
  await expect(batch.complete()).resolves.toMatchObject({ ...ofSnapshots({ accounts: { added: COUNT } }) });
});

testOfAssumedContract("passes the rules of the server itself with records of every collection", async () => {
  const at = new Date("2026-01-01T00:00:00Z");
  const batch = await start();
  await batch.write("accounts", [{ id: "a", details: { microsoft: { teams: { hasTeams: true } } } }]);
  await batch.write("plans", [
    { id: "p", externalPlanName: "P", details: { model: "SEAT_BASED", seatBased: {} } },
  ]);
  await batch.write("licenses", [
    { sourceId: "l", sourceAccountId: "a", sourcePlanId: "p", billable: false },
  ]);
  await batch.write("employees", [
    { id: "e1", fullName: "E" },
    { microsoft: { id: "e2", displayName: "E", userPrincipalName: "e@example.com" } },
    { google: { id: "e3", fullName: "E", primaryEmail: "e@example.com" } },
    { okta: { id: "e4", displayName: "E", login: "e@example.com" } },
    { bambooHr: { id: "e5", displayName: "E" } },
  ]);
  await batch.write("groups", [{ id: "g", name: "G" }]);
  await batch.write("groupMembers", [{ id: "m", sourceGroupId: "g", sourceMemberId: "a" }]);
  await batch.write("devices", [{ id: "d" }]);
  await batch.write("usage", [{ id: "u", sourceActorId: "a", lastActivity: at }]);
  await batch.write("externallyDiscoveredUsage", [
    { sourceActorId: "a", lastActivity: at },
    { sourceActorId: "a", lastActivityFrom: at, lastActivityTo: at },
  ]);
  await batch.write("auditLogs", [{ id: "x", action: "login", eventTime: at }]);
  await batch.write("aiUsage", [{ id: "i", sourceActorId: "a", lastActivity: at, inputTokens: 1 }]);
  await batch.write("aiCost", [{ id: "c", amount: "0.10", currency: "EUR", costTime: at }]);
  const completed = await batch.complete();
  const sizes = Object.entries(completed).map(([name, counts]) => [name, counts.added ?? counts.accepted]);
  const expected = {
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
