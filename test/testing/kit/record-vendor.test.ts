import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { ConfigurationError, defineConnector, InvalidInputError, TransportError } from "@saas-management/sdk";
import { recordVendor, testConnector } from "@saas-management/sdk/testing";
import { beforeEach, expect, test, vi } from "vitest";
import { createSyncClient } from "../../../src/sync/client.js";
import type { RecordedRun } from "../../../src/testing/kit/cassette/cassette.js";
import { readRuns } from "../../../src/testing/kit/cassette/cassette-file.js";
import { startVendor } from "../../../src/testing/kit/vendor/server.js";
import { unusedPort } from "../../support/tcp-peers.js";
import { temporaryFolder } from "../../support/temporary-folder.js";
import { PEOPLE, PERSONAL, type RichVendor, SECRETS, startRichVendor, type Written } from "./rich-vendor.js";
import { serveVendor } from "./serve-vendor.js";

const folder = temporaryFolder();
const printed: string[] = [];
beforeEach(() => {
  printed.length = 0;
  vi.spyOn(process.stdout, "write").mockImplementation((text) => printed.push(`${text}`) > 0);
});

/** Runs the connector on a recorded run. */
async function replay({ connector, written }: RichVendor, recording: RecordedRun) {
  const vendor = await startVendor(() => run.route);
  const run = vendor.play({ recording, clock: { sleep: () => Promise.resolve() } });
  const client = createSyncClient({ endpoint: "https://not-used.invalid" });
  try {
    await client.preview(connector, { ledger: "none" });
    return { written: structuredClone(written), requests: run.requests };
  } finally {
    await client.close();
    await vendor.close();
  }
}

/** What does not depend on the fakes: how many records there are, and which belong together. */
function shapeOf({ accounts, groups, groupMembers, usage }: Written) {
  const ids = accounts.map(({ id }) => id);
  const groupIds = groups.map(({ id }) => id);
  return {
    accounts: accounts.length,
    roles: accounts.map(({ roles }) => roles),
    groups: groups.length,
    members: groupMembers.map((member) => [
      groupIds.indexOf(member.sourceGroupId),
      ids.indexOf(member.sourceMemberId),
    ]),
    usage: usage.map(({ sourceActorId, lastActivity }) => [ids.indexOf(sourceActorId), lastActivity]),
  };
}

test("a cassette holds no secret and no personal value, also not in base64 or escaped", async () => {
  const { connector } = await startRichVendor();
  const to = join(folder.path, "rich", "rich.cassette.json");
  await recordVendor(connector, { to });
  const text = await readFile(to, "utf8");
  const encoded = text.match(/[\w+/=-]{12,}/g)?.map((word) => Buffer.from(word, "base64").toString()) ?? [];
  const all = [text, text.replace(/(?:%[0-9a-f]{2})+/gi, decodeURIComponent), ...encoded];
  const found = [...SECRETS, ...PERSONAL].filter((value) =>
    all.some((one) => one.toLowerCase().includes(value.toLowerCase())),
  );
  expect(found).toEqual([]);
});

test("a connector that runs on the cassette has as many records, and the joins between them", async () => {
  const rich = await startRichVendor();
  const to = join(folder.path, "replayed.cassette.json");
  await recordVendor(rich.connector, { to, keep: ["role"] });
  const live = structuredClone(rich.written);
  const [run] = await readRuns(to);
  const { written, requests } = await replay(rich, run ?? expect.unreachable());
  expect(requests.filter(({ exchange }) => exchange === undefined)).toEqual([]);
  expect(shapeOf(written)).toEqual(shapeOf(live));
  expect(written.groupMembers).toHaveLength(PEOPLE.length);
  expect(written.accounts.filter(({ name }, i) => name === live.accounts[i]?.name)).toEqual([]);
  expect(printed.join("")).toContain("role stays: member");
});

test("a token keeps the claims that a connector may read, and no person", async () => {
  const { connector } = await startRichVendor();
  const to = join(folder.path, "token.cassette.json");
  await recordVendor(connector, { to });
  const [run] = await readRuns(to);
  const [, claims = ""] =
    JSON.stringify(run?.exchanges[0]?.response.body).match(/"id_token":"[\w-]+\.([\w-]+)\./) ?? [];
  const read: unknown = JSON.parse(Buffer.from(claims, "base64url").toString());
  expect(read).toMatchObject({ exp: 1_800_000_000, email: expect.stringMatching(/^\w+\.\w+@\w+-\w+\.\w+$/) });
});

/** Events after an id, of which there are more each time. */
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
  return defineConnector({
    snapshots: [],
    run: async (batch, { watermark, advance }) => {
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
    },
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
  return defineConnector({
    snapshots: ["accounts"],
    run: async (batch) => {
      const answer = await fetch(`${origin}/users`);
      await batch.write("accounts", (await answer.json()).users);
    },
  });
}

test("an escaped text can be decoded as before, and names what it named", async () => {
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

test("a recording takes the place of the one before", async () => {
  const to = join(folder.path, "again.cassette.json");
  await recordVendor(await startUsers([{ id: 1 }]), { to });
  await recordVendor(await startUsers([{ id: 2 }]), { to });
  const runs = await readRuns(to);
  expect(runs.map(({ exchanges }) => exchanges[0]?.response.body)).toEqual([
    { json: { users: [{ id: 2 }] } },
  ]);
});

test.each([
  ["a relative link", { next: "/users?page=2" }, "nobody asked for the next page that next names"],
  ["a total", { meta: { total: 90 } }, "meta.total is 90, and 1 items were read"],
  ["a flag", { paging: { has_more: true } }, "paging.has_more says that there is more"],
])("says of a listing that was not read to its end: %s", async (name, more, why) => {
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

test("says so if the connector made no HTTP request", async () => {
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

test("leaves fetch and http as they were", async () => {
  const { default: http } = await import("node:http");
  const before = [http.request, http.get, Reflect.get(globalThis, Symbol.for("undici.globalDispatcher.1"))];
  await recordVendor(await startUsers([]), { to: join(folder.path, "restored.cassette.json") });
  const after = [http.request, http.get, Reflect.get(globalThis, Symbol.for("undici.globalDispatcher.1"))];
  expect(after.every((value, i) => value === before[i])).toBe(true);
});

const exchange = {
  request: { method: "GET", url: "/users", headers: {} },
  response: { status: 200, headers: {}, body: { text: "" } },
};

test.for([
  ["not JSON", "{ \n 'x' }", /is not JSON \(line 2\)/],
  ["another version", { version: 1 }, /damaged at version: .* reads cassettes of version 2: record it again/],
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
