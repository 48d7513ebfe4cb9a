import { inspect } from "node:util";
import { expect, test } from "vitest";
import { restConnector } from "../../../examples/connectors/rest/index.js";
import { rejection } from "../../support/promises.js";
import { testService } from "../../support/test-service.js";
import { vendorProcess } from "./rest-vendor.js";

const service = testService();
const vendor = vendorProcess();

const JSON_TYPE = { "content-type": "application/json" };

function run(apiKey = vendor.apiKey) {
  const { snapshots, run } = restConnector({ baseUrl: vendor.baseUrl, apiKey });
  return service.run(snapshots, run);
}

test("writes every page of users, plans, seats and activity", async () => {
  await run();
  const { snapshots } = service.inspect();
  expect(snapshots.accounts).toHaveLength(55);
  expect(snapshots.accounts.find(({ id }) => id === "usr_1009")?.record).toMatchObject({
    name: "Person Number 9",
    email: "person.9@polarvik.example",
    active: true,
    roles: ["guest"],
  });
  expect(snapshots.plans.map(({ id }) => id)).toEqual(["team", "business", "guest"]);
  expect(snapshots.licenses).toHaveLength(50);
  expect(snapshots.licenses.filter(({ record }) => record.billable)).toHaveLength(45);
  expect(snapshots.usage).toHaveLength(45);
});

test("asks the next time for the activity since the vendor's own time", async () => {
  await run();
  const receipt = await run();
  expect(receipt.collections.accounts?.expected).toMatchObject({ kept: 55, removed: 0 });
  expect(receipt.collections.usage?.stats.sent).toBe(0);
});

test("tries again after a rate limit, a broken answer and a server that is down", async () => {
  vendor.answer(
    { status: 429, headers: { "retry-after": "0" } },
    { status: 503, headers: { "retry-after": "0" } },
    { status: 200, headers: { ...JSON_TYPE, "content-length": "900", connection: "close" }, body: "{" },
  );
  await run();
  expect(service.inspect().snapshots.accounts).toHaveLength(55);
});

test.each([
  ["is a page for logging in", { status: 200, headers: { "content-type": "text/html" }, body: "<html>" }],
  ["is a redirect", { status: 302, headers: { location: "/login" } }],
  ["is cut off without a sign of it", { status: 200, headers: JSON_TYPE, body: '{"id":"ws-7301","users":2' }],
  ["lacks a field", { status: 200, headers: JSON_TYPE, body: '{"id":"ws-7301","users":240}' }],
  [
    "counts another number of users",
    { status: 200, headers: JSON_TYPE, body: '{"id":"ws-7301","users":56,"seats":50}' },
  ],
  [
    "is another customer's",
    { status: 200, headers: JSON_TYPE, body: '{"id":"ws-7302","users":55,"seats":50}' },
  ],
])("removes nothing if an answer %s", async (_name, answer) => {
  await run();
  const before = service.inspect().snapshots;
  vendor.answer(answer);
  await rejection(run());
  expect(service.inspect().snapshots).toEqual(before);
  expect(service.states()).toEqual(["completed"]);
});

test("names the path if the vendor refuses the key, and not the key", async () => {
  const error = await rejection(run("vk_live_of_somebody_else"));
  expect(error).toMatchObject({ message: "The vendor answered /v1/workspace with status 401." });
  expect(inspect(error, { depth: Number.POSITIVE_INFINITY })).not.toContain("of_somebody_else");
});
