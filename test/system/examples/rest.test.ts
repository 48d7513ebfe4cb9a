import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { inspect } from "node:util";
import { recordVendor } from "@saas-management/sdk/testing";
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { connector } from "../../../examples/rest-vendor.mjs";
import { rejection } from "../../support/promises.js";
import { temporaryFolder } from "../../support/temporary-folder.js";
import { testService } from "../../support/test-service.js";
import { expectWithstands } from "./kit.js";
import { restVendor } from "./rest-vendor.js";

const service = testService();
const vendor = restVendor();
const folder = temporaryFolder();
const JSON_TYPE = { "content-type": "application/json" };

beforeEach(() => {
  vi.stubEnv("VENDOR_URL", vendor.baseUrl);
  vi.stubEnv("VENDOR_CLIENT_ID", vendor.client.id);
  vi.stubEnv("VENDOR_CLIENT_SECRET", vendor.client.secret);
});
afterEach(() => vi.unstubAllEnvs());
const run = () => service.run(connector.snapshots, connector.run);

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

test("the next run requests the activity since the vendor's own time", async () => {
  await run();
  const receipt = await run();
  expect(receipt.collections.accounts?.expected).toMatchObject({ kept: 55, removed: 0 });
  expect(receipt.collections.usage?.stats.sent).toBe(0);
});

test.each([
  ["seconds", "0"],
  ["a date", "Sat, 28 Nov 2026 08:00:00 GMT"],
])("retries after a rate limit and a server error, with Retry-After in %s", async (_, value) => {
  const headers = { "retry-after": value };
  vendor.answer({ status: 429, headers }, { status: 503, headers });
  await run();
  expect(service.inspect().snapshots.accounts).toHaveLength(55);
});

test("does not wait for the vendor when the run is ended", async () => {
  vendor.answer({ status: 429, headers: { "retry-after": "3600" } });
  const ended = new AbortController();
  const running = service.run(connector.snapshots, connector.run, { signal: ended.signal });
  await vi.waitFor(() => expect(vendor.waiting()).toBe(0));
  ended.abort(new Error("Enough."));
  await expect(running).rejects.toThrow("Enough.");
});

test("requests a new token in each run and before the old one expires", async () => {
  vi.useFakeTimers({ toFake: ["Date"] });
  onTestFinished(() => {
    vendor.onAnswer(() => {});
    vi.useRealTimers();
  });
  const before = vendor.tokens.length;
  await run();
  expect(vendor.tokens).toHaveLength(before + 1);
  vendor.onAnswer(() => vi.setSystemTime(Date.now() + 20 * 60_000));
  await run();
  // Each of the 13 pages takes 20 minutes, and a token expires after an hour, so it lasts for three pages.
  expect(vendor.tokens.length).toBeGreaterThan(before + 3);
  expect(service.states()).toEqual(["completed", "completed"]);
});

test.each([
  ["is a page for logging in", { status: 200, headers: { "content-type": "text/html" }, body: "<html>" }],
  ["is a redirect", { status: 302, headers: { location: "/login" } }],
  ["is cut off without a sign of it", { status: 200, headers: JSON_TYPE, body: '{"items":[],"next":nul' }],
  ["lacks a field", { status: 200, headers: JSON_TYPE, body: '{"items":[],"next":null}' }],
])("removes nothing if an answer %s", async (_name, answer) => {
  await run();
  const before = service.inspect().snapshots;
  vendor.answer(answer);
  await rejection(run());
  expect(service.inspect().snapshots).toEqual(before);
  expect(service.states()).toEqual(["completed"]);
});

test("one line names the item and field that are wrong and counts the others, without the value", async () => {
  const items = [{ id: "usr_1", name: 7, email: "secret@polarvik", role: "admin" }];
  const page = { items, next: null, total: 1, asOf: "2026-11-20T06:00:00Z" };
  vendor.answer({ status: 200, headers: JSON_TYPE, body: JSON.stringify(page) });
  const { message } = (await rejection(run())) as Error;
  expect(message).toMatch(/^page 1, item 1: name: Invalid input: expected string.*, and 2 more\.$/);
  expect(message).not.toContain("secret");
});

test("names the path, but no secret and no token, if the vendor refuses either", async () => {
  vendor.answer({ status: 401 });
  const refused = await rejection(run());
  expect(refused).toMatchObject({ message: "The vendor answered /v1/users with status 401." });
  vi.stubEnv("VENDOR_CLIENT_SECRET", "vs_live_of_somebody_else");
  const unknown = await rejection(run());
  expect(unknown).toMatchObject({ message: "The vendor answered /oauth/token with status 401." });
  const shown = inspect([refused, unknown], { depth: Number.POSITIVE_INFINITY });
  for (const secret of ["of_somebody_else", ...vendor.tokens]) expect(shown).not.toContain(secret);
});

test("withstands every fault of its vendor, with a recording that has fakes for people and the key", async () => {
  const cassette = join(folder.path, "rest.cassette.json");
  await recordVendor(connector, { to: cassette, keep: ["role"] });
  const text = await readFile(cassette, "utf8");
  for (const secret of [vendor.client.secret, ...vendor.tokens, "polarvik.example", "Person Number"])
    expect(text).not.toContain(secret);
  await expectWithstands(connector, 28, { cassette });
});
