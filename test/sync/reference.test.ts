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
