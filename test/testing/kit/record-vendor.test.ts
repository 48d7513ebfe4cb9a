import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { ConfigurationError, defineConnector, InvalidInputError, TransportError } from "@saas-management/sdk";
import { expect, test } from "vitest";
import { createSyncClient } from "../../../src/sync/client.js";
import type { CassetteDay } from "../../../src/testing/kit/cassette/cassette.js";
import { readCassette } from "../../../src/testing/kit/cassette/cassette-file.js";
import { recordVendor } from "../../../src/testing/kit/record-vendor.js";
import { startVendor } from "../../../src/testing/kit/vendor/server.js";
import { unusedPort } from "../../support/tcp-peers.js";
import { temporaryFolder } from "../../support/temporary-folder.js";
import { PEOPLE, PERSONAL, type RichVendor, SECRETS, startRichVendor, type Written } from "./rich-vendor.js";
import { serveVendor } from "./serve-vendor.js";

const folder = temporaryFolder();
const DAY = "2026-11-21";

/** Runs the connector against a recorded day. */
async function replay({ connector, written }: RichVendor, day: CassetteDay | undefined) {
  const vendor = await startVendor(() => run.route);
  const run = vendor.play({ exchanges: day?.exchanges ?? [], clock: { sleep: () => Promise.resolve() } });
  const client = createSyncClient({ endpoint: "https://not-used.invalid" });
  try {
    await client.preview(connector, { ledger: "none" });
    return { written: structuredClone(written), requests: run.requests };
  } finally {
    await client.close();
    await vendor.close();
  }
}

function shapeOf({ accounts, groups, groupMembers, usage }: Written) {
  return { accounts: accounts.map(({ id }) => id), groups, groupMembers, usage };
}

test("a cassette holds no secret and no personal value, also not in base64 or escaped", async () => {
  const { connector } = await startRichVendor();
  const to = join(folder.path, "rich", "rich.cassette.json");
  await recordVendor(connector, { to, day: DAY });
  const text = await readFile(to, "utf8");
  const decoded = text.match(/[\w+/=-]{12,}/g)?.map((word) => Buffer.from(word, "base64").toString()) ?? [];
  const all = [text, decodeURIComponent(text.replaceAll("%", "%25").replaceAll("%25", "%")), ...decoded].join(
    "\n",
  );
  expect([...SECRETS, ...PERSONAL].filter((value) => all.includes(value))).toEqual([]);
  expect(text).toContain('"u-1"');
});

test("a connector that runs on the cassette has the same records, and the joins between them", async () => {
  const rich = await startRichVendor();
  const to = join(folder.path, "replayed.cassette.json");
  await recordVendor(rich.connector, { to, day: DAY });
  const live = structuredClone(rich.written);
  const [day] = (await readCassette(to)).days;
  const { written, requests } = await replay(rich, day);
  expect(requests.filter(({ exchange }) => exchange === undefined)).toEqual([]);
  expect(shapeOf(written)).toEqual(shapeOf(live));
  expect(written.groupMembers).toHaveLength(PEOPLE.length);
  expect(written.usage).toHaveLength(PEOPLE.length);
  expect(written.accounts[0]?.email).not.toBe(live.accounts[0]?.email);
});

test("a token keeps the claims that a connector may read, and no person", async () => {
  const { connector } = await startRichVendor();
  const to = join(folder.path, "token.cassette.json");
  await recordVendor(connector, { to, day: DAY });
  const [granted] = (await readCassette(to)).days[0]?.exchanges ?? [];
  const [, claims = ""] =
    JSON.stringify(granted?.response.body).match(/"id_token":"[\w-]+\.([\w-]+)\.canary-/) ?? [];
  const read: unknown = JSON.parse(Buffer.from(claims, "base64url").toString());
  expect(read).toMatchObject({
    sub: "u-1",
    exp: 1_800_000_000,
    email: expect.stringMatching(/^user-\w+@\w+\.example$/),
  });
});

test("a day that is added has the fakes of the days before", async () => {
  const to = join(folder.path, "days.cassette.json");
  const first = await startRichVendor(1);
  await recordVendor(first.connector, { to, day: "2026-11-22" });
  const second = await startRichVendor(2);
  await recordVendor(second.connector, { to, day: DAY });
  const { days } = await readCassette(to);
  expect(days.map(({ day }) => day)).toEqual([DAY, "2026-11-22"]);
  const today = await replay(first, days[1]);
  const yesterday = await replay(second, days[0]);
  expect(yesterday.written.accounts).toEqual(today.written.accounts.slice(0, 2));
});

const LONG_KEY = "0a1b2c3d4e5f60718293a4b5c6d7e8f9";

async function startKeyVendor(
  key: string,
  users: readonly object[] = [{ id: "u-1", email: "ada@acme.example" }],
) {
  const origin = await serveVendor(async () => Response.json({ users }));
  return defineConnector({
    snapshots: ["accounts"],
    run: async (batch) => {
      const answer = await fetch(`${origin}/users`, { headers: { "x-api-key": key } });
      const { users } = await answer.json();
      await batch.write("accounts", users);
    },
  });
}

test("a day that is recorded again takes the place of the one before", async () => {
  const to = join(folder.path, "again.cassette.json");
  await recordVendor(await startKeyVendor(LONG_KEY), { to, day: DAY });
  await recordVendor(await startKeyVendor("another", [{ id: "u-2" }]), { to, day: DAY });
  const { days } = await readCassette(to);
  expect(days).toHaveLength(1);
  expect(days[0]?.exchanges[0]?.response.body).toEqual({ json: { users: [{ id: "u-2" }] } });
});

test("a day is not added with another credential, whose fakes would be others", async () => {
  const to = join(folder.path, "credentials.cassette.json");
  await recordVendor(await startKeyVendor(LONG_KEY), { to, day: DAY });
  const before = await readFile(to, "utf8");
  const other = await startKeyVendor([...LONG_KEY].reverse().join(""));
  await expect(recordVendor(other, { to, day: "2026-11-22" })).rejects.toThrow(
    /fakes of the cassette .* cannot be continued/,
  );
  expect(await readFile(to, "utf8")).toBe(before);
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
  await expect(readCassette(to)).rejects.toThrow(/There is no cassette/);
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

test("refuses a day that is not a date, before the connector runs", async () => {
  const connector = defineConnector({ snapshots: [], run: () => expect.unreachable() });
  for (const day of ["2026-02-30", "22.11.2026", ""])
    await expect(recordVendor(connector, { to: "x.json", day })).rejects.toThrow(/day must be a date/);
});

test("leaves fetch and http as they were", async () => {
  const { default: http } = await import("node:http");
  const before = [http.request, http.get, Reflect.get(globalThis, Symbol.for("undici.globalDispatcher.1"))];
  await recordVendor(await startKeyVendor(LONG_KEY), { to: join(folder.path, "restored.cassette.json") });
  const after = [http.request, http.get, Reflect.get(globalThis, Symbol.for("undici.globalDispatcher.1"))];
  expect(after.every((value, i) => value === before[i])).toBe(true);
});

test.for([
  ["not JSON", "{ \n 'x' }", /is not JSON \(line 2\)/],
  [
    "another version",
    '{"version":2,"days":[]}',
    /damaged at version: This version of the SDK reads cassettes of version 1/,
  ],
  ["no day", '{"version":1,"days":[]}', /damaged at days: A cassette has at least one day/],
  [
    "a relative address",
    JSON.stringify({
      version: 1,
      days: [
        {
          day: DAY,
          startedAt: `${DAY}T00:00:00Z`,
          exchanges: [
            {
              request: { method: "GET", url: "/users", headers: {} },
              response: { status: 200, headers: {}, body: { text: "" } },
            },
          ],
        },
      ],
    }),
    /damaged at days\[0\]\.exchanges\[0\]\.request\.url: Expected an absolute http or https address/,
  ],
] as const)("names the place of the mistake in a cassette: %s", async ([name, text, message]) => {
  const file = await folder.write(`${name}.cassette.json`, text);
  await expect(readCassette(file)).rejects.toThrow(ConfigurationError);
  await expect(readCassette(file)).rejects.toThrow(message);
});
