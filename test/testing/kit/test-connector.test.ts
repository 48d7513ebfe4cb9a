import { defineConnector } from "@saas-management/sdk";
import { testConnector } from "@saas-management/sdk/testing";
import { beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { connectorOf } from "../../support/connector.js";
import { temporaryFolder } from "../../support/temporary-folder.js";
import { byToken as good } from "./good.js";
import { swallowing } from "./planted/of-answers.js";
import { send, usersByLink } from "./planted/vendor.js";
import { byLink, byToken, cassetteOf, RECORDINGS } from "./recordings/index.js";
import { get, ORIGIN } from "./recordings/people.js";

const folder = temporaryFolder();
let cassette = "";
beforeAll(async () => {
  cassette = await folder.write("vendor.json", cassetteOf(byToken(23)));
});

test("runs only the named faults, and says how often each was injected", async () => {
  const only = ["status-500-once", "status-500-last", "list-empty"];
  const { ok, faults, neverSeen } = await testConnector(good, { cassette, only });
  expect(ok).toBe(true);
  expect(faults.map(({ fault, verdict, fired }) => [fault, verdict, fired])).toEqual([
    ["status-500-last", "refused", 4],
    ["status-500-once", "same", 1],
    ["list-empty", "held", expect.any(Number)],
  ]);
  expect(neverSeen).toEqual([]);
});

test("names the exchange that made a connector lose records", async () => {
  const linked = await folder.write("linked.json", cassetteOf(RECORDINGS["by link"]));
  const { ok, faults, neverSeen } = await testConnector(swallowing, {
    cassette: linked,
    only: ["status-500-last"],
  });
  expect(ok).toBe(false);
  expect(faults).toEqual([
    {
      fault: "status-500-last",
      summary: expect.any(String),
      verdict: "WRONG",
      fired: 1,
      cause:
        'lost 10 of 30 usage ("login-u-21a", "login-u-22a", "login-u-23a" and 7 more); cause: GET /users?cursor=c3ff answered 500',
    },
  ]);
  expect(neverSeen).toEqual([]);
});

const LINKED = defineConnector({
  snapshots: ["accounts"],
  run: async (batch) =>
    batch.write(
      "accounts",
      (await usersByLink()).map(({ id }) => ({ id })),
    ),
});

test.each([
  [49, "9 of 49 items are missing, 18%"],
  [23, "3 of 23 items are missing, 13%"],
  [14, "4 of 14 items are missing, 29%"],
])("says that nothing shows the loss of the last page of %i items", async (count, loss) => {
  const linked = await folder.write("linked.json", cassetteOf(byLink(count)));
  const report = await testConnector(LINKED, { cassette: linked, only: ["last-page-lost", "slow-page"] });
  expect(report.notRun).toEqual([
    {
      fault: "last-page-lost",
      reason: `neither a total nor the guard shows that ${loss}; the guard is sure to notice only a loss of at least 5 items and 30%: if the vendor can send a total, pass it as total`,
    },
  ]);
  expect(`${report}`.replaceAll("\n", " ")).toContain(`pass it as total): last-page-lost.`);
  expect(report.faults.map(({ fault }) => fault)).toEqual(["slow-page"]);
});

test("says that without a total, nothing shows that items shifted between numbered pages", async () => {
  const pages = [1, 2].map((page) =>
    get(`/v1/teams?page=${page}`, {
      teams: Array.from({ length: 9 }, (_, i) => ({ id: `t-${page}-${i}` })),
    }),
  );
  const numbered = await folder.write("numbered.json", cassetteOf(pages));
  const connector = connectorOf(["accounts"], async (batch) => {
    const bodies = [1, 2].map(async (page) => (await send(`/v1/teams?page=${page}`)).json());
    await batch.write(
      "accounts",
      (await Promise.all(bodies)).flatMap(({ teams }) => teams),
    );
  });
  const only = ["offset-shifted-by-deletions", "list-empty"];
  const { faults, notRun } = await testConnector(connector, { cassette: numbered, only });
  expect(faults).toMatchObject([{ fault: "list-empty", verdict: "held" }]);
  expect(notRun).toMatchObject([{ fault: only[0], reason: expect.stringContaining("2 of 18 items are") }]);
  const unguarded = await testConnector(connector, { cassette: numbered, only, guard: false });
  expect(unguarded.notRun[0]).toEqual({
    fault: "list-empty",
    reason: "only a guard could notice it, but the runs have none",
  });
});

test("names the changed listing among several at one address", async () => {
  const kinds = ["group", "user"];
  const path = (kind: string, page: number) => `/v1/records?kind=${kind}&page=${page}`;
  const records = (kind: string, count: number) =>
    [1, 2].map((page) =>
      get(path(kind, page), {
        records: Array.from({ length: count }, (_, i) => ({ id: `${kind}-${page}-${i}` })),
        pages: 2,
      }),
    );
  const file = await folder.write("kinds.json", cassetteOf([...records("user", 3), ...records("group", 6)]));
  const connector = connectorOf(["accounts"], async (batch) => {
    const accounts: { id: string }[] = [];
    for (const kind of kinds)
      for (const page of [1, 2]) accounts.push(...(await (await send(path(kind, page))).json()).records);
    await batch.write("accounts", accounts);
  });
  const { faults } = await testConnector(connector, {
    cassette: file,
    only: ["status-500-last", "other-list-500"],
  });
  expect(faults.map(({ summary }) => summary)).toEqual([
    "the last page answers 500: page 2 of GET /v1/records?kind=group",
    "another listing answers 500: page 2 of GET /v1/records?kind=user",
  ]);
});

test("says what the faults change, and is not ok if none was injected", async () => {
  const { source, ok, ...report } = await testConnector(good, { cassette, only: ["list-null"] });
  expect([ok, source]).toEqual([
    true,
    "Faults change the largest listing: GET /v1/users, 23 items on 3 pages; few change GET /v1/licenses.",
  ]);
  expect(JSON.parse(JSON.stringify(report))).toEqual(report);
  const few = connectorOf(["accounts"], (batch) => batch.write("accounts", [{ id: "a" }, { id: "b" }]));
  const idle = await testConnector(few, { only: ["no-fault", "source-empty"] });
  expect(idle.ok).toBe(false);
  expect(`${idle}`).toContain(
    "No fault was injected, so nothing is known about this connector.\nFaults change the largest snapshot: accounts, 2 records. Most of them need 12 records.\nNot run (the source has no place for it): source-empty.",
  );
});

test.each([
  ["x-api-key", "k7"],
  ["authorization", "Bearer 4f2"],
  ["x-api-key", "a-key-of-usual-length"],
])("calls a connector WRONG if it shows a vendor error that contains the key: %s: %s", async (name, key) => {
  const asking = (messageOf: (response: Response) => Promise<string>) =>
    connectorOf([], async () => {
      const response = await fetch(`${ORIGIN}/v1/users?limit=10`, { headers: { [name]: key } });
      if (!response.ok) throw new Error(await messageOf(response));
    });
  const only = ["error-shows-key"];
  const open = await testConnector(
    asking((response) => response.text()),
    { cassette, only },
  );
  expect(open.faults).toMatchObject([{ verdict: "WRONG", cause: /^leaked: a credential is in error/ }]);
  expect(JSON.stringify(open)).not.toContain(key.split(" ").at(-1));
  const discreet = await testConnector(
    asking(async ({ status }) => `The vendor answered ${status}.`),
    { cassette, only },
  );
  expect(discreet.faults).toMatchObject([{ verdict: "refused" }]);
});

test("skips the faults that `except` names, and repeats their reasons", async () => {
  const reason = "ids are case-sensitive here";
  const only = ["status-500-last", "twin-id-in-case"];
  const except = { "twin-id-in-case": reason };
  const report = await testConnector(good, { cassette, only, except });
  expect(report.faults.map(({ fault }) => fault)).toEqual(["status-500-last"]);
  expect(report.notRun).toEqual([{ fault: "twin-id-in-case", reason }]);
  expect(`${report}`).toContain(`Not run (${reason}): twin-id-in-case.`);
});

test("calls a connector WRONG if its clean runs differ, and then injects no fault", async () => {
  let runs = 0;
  const uneven = connectorOf(["accounts"], async (batch) => {
    await send("/v1/users?limit=10");
    runs += 1;
    await batch.write("accounts", [{ id: `run-${runs}` }]);
  });
  const { faults, notRun } = await testConnector(uneven, { cassette });
  expect(faults[0]).toMatchObject({ fault: "no-fault", verdict: "WRONG" });
  expect(faults[0]?.cause).toContain("two runs without a fault differ");
  expect(notRun.length).toBeGreaterThan(30);
});

test("names the requests that a cassette does not hold", async () => {
  const asksMore = connectorOf([], async () => void (await send("/v1/teams?api_key=top-secret-value")));
  await expect(testConnector(asksMore, { cassette })).rejects.toThrow(
    /^The connector fails without a fault\. The recording does not hold GET \/v1\/teams\?api_key=\[redacted\]: use the address that was recorded/,
  );
});

test("says what to do if a connector refuses a fake", async () => {
  const strict = connectorOf(
    [],
    async () => void z.array(z.literal("x")).parse(await (await send("/v1/users?limit=10")).json()),
  );
  await expect(testConnector(strict, { cassette })).rejects.toThrow(
    'are fakes: if the connector refuses one, record again with keep: ["FIELD"], or check only its form.',
  );
});

test("passes on the error of a connector that fails without a fault", async () => {
  const error = new Error("no such table");
  const fails = defineConnector({ snapshots: [], run: () => Promise.reject(error) });
  await expect(testConnector(fails, { cassette })).rejects.toMatchObject({
    message: "The connector fails without a fault. no such table",
    cause: error,
  });
});

test.each<[string, object, string]>([
  ["an unknown option", { casette: "x" }, "testConnector: unknown option casette."],
  ["an unknown fault", { only: ["status-500"] }, `only names "status-500", which isn't a fault of`],
  [
    "a seed that is no integer",
    { seed: 1.5 },
    "testConnector: seed must be a whole number, 0 or more, got 1.5.",
  ],
  ["names that are no array", { only: "status-500-once" }, "testConnector: only must be an array"],
  [
    "an exception that is no fault",
    { except: { twinIdInCase: "no" } },
    `except names "twinIdInCase", which isn't a fault of this source. Did you mean`,
  ],
  [
    "an exception without a reason",
    { except: { "status-500-once": " " } },
    "except must be an object of reasons",
  ],
  ["exceptions without reasons", { except: ["status-500-once"] }, "except must be an object of reasons"],
  ["a missing cassette", { cassette: "/nowhere/vendor.json" }, "There is no cassette /nowhere/vendor.json."],
])("refuses %s", async (_, options, message) => {
  await expect(testConnector(good, { cassette, ...options })).rejects.toThrow(message);
});
