import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { ConfigurationError, defineConnector, InvalidInputError, TransportError } from "@saas-management/sdk";
import { captureRecords, recordVendor, testConnector } from "@saas-management/sdk/testing";
import axios from "axios";
import { beforeEach, expect, test, vi } from "vitest";
import { readRuns } from "../../../src/testing/kit/cassette/cassette-file.js";
import { connectorOf } from "../../support/connector.js";
import { unusedPort } from "../../support/tcp-peers.js";
import { temporaryFolder } from "../../support/temporary-folder.js";
import { serveVendor } from "./serve-vendor.js";

const folder = temporaryFolder();
const printed: string[] = [];
beforeEach(() => {
  printed.length = 0;
  vi.spyOn(process.stdout, "write").mockImplementation((text) => printed.push(`${text}`) > 0);
});

const PEOPLE = [
  { id: "u-1", name: "Ottilie Brandtner", login: "obrandtner" },
  { id: "u-2", name: "José O'Hara", login: "jose77" },
  { id: "u-3", name: "Wilhelmina van der Zee", login: "w.vanderzee" },
].map((person) => ({ ...person, email: `${person.login}@brandtner-industries.example`, role: "member" }));
const cursorOf = (email: string) => Buffer.from(`after:${email}`).toString("base64");

/** A vendor whose cursors, paths and bodies name people, and a connector that joins its answers by those names. */
async function startPeople() {
  const origin = await serveVendor(async (request) => {
    const { pathname, searchParams } = new URL(request.url);
    const [, , of] = pathname.split("/").map(decodeURIComponent);
    if (of !== undefined)
      return Response.json({
        groups: PEOPLE.filter(({ email }) => email === of).map(({ login }) => ({ admin: login })),
      });
    if (request.method === "POST")
      return new Response(
        PEOPLE.map(({ id, name }) => `${JSON.stringify({ actor: name, of: id })}\n`).join(""),
      );
    const after = searchParams.get("after");
    const at = PEOPLE.findIndex(({ email }) => cursorOf(email) === after) + 1;
    const more = at + 1 < PEOPLE.length;
    const next = more ? cursorOf(PEOPLE[at]?.email ?? "") : null;
    const bytes = gzipSync(JSON.stringify({ users: PEOPLE.slice(at, at + 1), next }));
    return new Response(bytes, {
      headers: { "content-type": "application/json", "content-encoding": "gzip" },
    });
  });
  const written: {
    readonly id: string;
    readonly name: string;
    readonly role: string;
    readonly joins: boolean;
  }[] = [];
  const connector = connectorOf(["accounts"], async (batch) => {
    written.length = 0;
    const get = async (path: string) => (await axios.get(`${origin}${path}`)).data;
    const users: typeof PEOPLE = [];
    for (let after: string | null = ""; after !== null; ) {
      const page = await get(`/users${after && `?after=${encodeURIComponent(after)}`}`);
      users.push(...page.users);
      after = page.next;
    }
    const asked = JSON.stringify({ logins: users.map(({ login }) => login), at: new Date().toISOString() });
    const events = await (await fetch(`${origin}/events`, { method: "POST", body: asked })).text();
    for (const { id, name, login, email, role } of users) {
      const { groups } = await get(`/groups/${encodeURIComponent(email)}`);
      const joins = groups[0].admin === login && events.includes(JSON.stringify({ actor: name, of: id }));
      written.push({ id, name, role, joins });
    }
    await batch.write(
      "accounts",
      written.map(({ id, name }) => ({ id, name })),
    );
  });
  return { connector, written };
}

test("a connector writes the same number of records from the cassette, with the same references between them", async () => {
  const { connector, written } = await startPeople();
  const to = join(folder.path, "replayed.cassette.json");
  await recordVendor(connector, { to, keep: ["role"] });
  const live = [...written];
  await captureRecords(connector, { cassette: to });
  expect(written.map(({ role, joins }) => [role, joins])).toEqual(PEOPLE.map(() => ["member", true]));
  expect(written.filter(({ name }) => live.some((person) => person.name === name))).toEqual([]);
  expect(printed.join("")).toContain("role is kept as it is: member");
});

/** Serves the events after an id; each request adds some. */
async function startEvents() {
  let last = 0;
  const origin = await serveVendor(async ({ url }) => {
    const after = Number(new URL(url).searchParams.get("after") ?? 0);
    last += 8;
    const events = Array.from({ length: last - after }, (_, i) => ({
      id: after + i + 1,
      at: "2026-05-01T08:00:00Z",
    }));
    return Response.json({ events });
  });
  return connectorOf([], async (batch, { watermark, advance }) => {
    const since = watermark("usage");
    const response = await fetch(`${origin}/v1/events${since === undefined ? "" : `?after=${since}`}`);
    if (!response.ok) throw new Error(`The vendor answered ${response.status}.`);
    const { events }: { events: { id: number | undefined; at: string }[] } = await response.json();
    const ids = new Set(events.map(({ id }) => id));
    if (ids.size < events.length || ids.has(undefined)) throw new Error("An event has no id of its own.");
    const uses = events.map(({ id, at }) => ({ id: `${id}`, sourceActorId: "a", lastActivity: at }));
    await batch.write("usage", uses);
    const newest = events.at(-1);
    if (newest !== undefined) advance("usage", `${newest.id}`);
  });
}

test("records a second run from the watermarks of the first, so that both can be tested", async () => {
  const to = join(folder.path, "events.cassette.json");
  const events = await startEvents();
  await recordVendor(events, { to });
  const runs = await readRuns(to);
  expect(runs.map(({ exchanges }) => new URL(exchanges[0]?.request.url ?? "").search)).toEqual([
    "",
    "?after=8",
  ]);
  const { ok, faults } = await testConnector(events, { cassette: to });
  expect(faults.filter(({ verdict }) => verdict === "WRONG")).toEqual([]);
  expect(ok).toBe(true);
});

async function startUsers(users: readonly object[], more: object = {}) {
  const origin = await serveVendor(async () => Response.json({ users, ...more }));
  return connectorOf(["accounts"], async (batch) => {
    const answer = await fetch(`${origin}/users`);
    await batch.write("accounts", (await answer.json()).users);
  });
}

test("percent-encoded values can still be decoded in a cassette, and keep their separators", async () => {
  const users = Array.from({ length: 40 }, (_, i) => ({
    id: `j${i}%C3%BCrgen%3A${i}%2Fa`,
    cursor: `${i}9d8c7b%3D`,
  }));
  const to = join(folder.path, "escaped.cassette.json");
  await recordVendor(await startUsers(users), { to });
  const escaped = (await readFile(to, "utf8")).match(/"[^"]*%[^"]*"/g) ?? [];
  expect(escaped).toHaveLength(80);
  expect(escaped.map(decodeURIComponent)).toEqual(escaped.map(() => expect.stringMatching(/[=/]/)));
});

test.each([
  ["a relative link", { next: "/users?page=2" }, "the next page in next was never requested"],
  ["a total", { meta: { total: 90 } }, "meta.total is 90, and 1 items were read"],
  ["a flag", { paging: { has_more: true } }, "paging.has_more says that there is more"],
])("reports a listing that was not read to its end: %s", async (name, more, why) => {
  const to = join(folder.path, `${name}.cassette.json`);
  const connector = await startUsers([{ id: "u-1", name: "Ada" }], more);
  await recordVendor(connector, { to });
  expect(printed.join("")).toContain(`NOT READ TO ITS END: GET /users: ${why}`);
  const { faults } = await testConnector(connector, { cassette: to, only: ["unread-page"] });
  expect(faults).toMatchObject([{ verdict: "WRONG", cause: `GET /users: ${why}` }]);
});

test("an error of the connector passes unchanged, and no cassette is written", async () => {
  const origin = await serveVendor(async () => Response.json([]));
  const error = new Error("This connector fails.");
  const connector = defineConnector({
    run: async () => {
      await fetch(origin);
      throw error;
    },
    snapshots: [],
  });
  const to = join(folder.path, "failed.cassette.json");
  await expect(recordVendor(connector, { to })).rejects.toBe(error);
  await expect(readRuns(to)).rejects.toThrow(/There is no cassette/);
});

test("reports that the connector made no HTTP request", async () => {
  const connector = defineConnector({ snapshots: ["accounts"], run: (batch) => batch.write("accounts", []) });
  const recorded = recordVendor(connector, { to: join(folder.path, "none.cassette.json") });
  await expect(recorded).rejects.toThrow(InvalidInputError);
  await expect(recorded).rejects.toThrow(/made no HTTP request/);
});

test("names the vendor that cannot be reached, and why", async () => {
  const origin = `http://127.0.0.1:${await unusedPort()}`;
  const connector = defineConnector({ snapshots: [], run: () => fetch(`${origin}/users`) });
  const recorded = recordVendor(connector, { to: join(folder.path, "unreachable.cassette.json") });
  await expect(recorded).rejects.toThrow(TransportError);
  await expect(recorded).rejects.toThrow(`${origin} could not be reached: `);
  await expect(recorded).rejects.toThrow("(ECONNREFUSED)");
});

const exchange = {
  request: { method: "GET", url: "/users", headers: {} },
  response: { status: 200, headers: {}, body: { text: "" } },
};

test.for([
  ["not JSON", "{ \n 'x' }", /is not JSON \(line 2\)/],
  [
    "another version",
    { version: 1 },
    /damaged at version: .* reads cassettes of version 2: record this one again/,
  ],
  ["no run", { runs: [] }, /damaged at runs: A cassette has at least one run/],
  [
    "a relative address",
    { runs: [{ startedAt: "2026-05-04T00:00:00Z", exchanges: [exchange] }] },
    /damaged at runs\[0\]\.exchanges\[0\]\.request\.url: Expected an absolute http or https address/,
  ],
] as const)("names the place of the mistake in a cassette: %s", async ([name, given, message]) => {
  const text =
    typeof given === "string" ? given : JSON.stringify({ version: 2, salt: "", kept: [], ...given });
  const file = await folder.write(`${name}.cassette.json`, text);
  await expect(readRuns(file)).rejects.toThrow(ConfigurationError);
  await expect(readRuns(file)).rejects.toThrow(message);
});
