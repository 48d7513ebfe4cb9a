import { defineConnector } from "@saas-management/sdk";
import { testConnector } from "@saas-management/sdk/testing";
import { beforeAll, describe, expect, test } from "vitest";
import { temporaryFolder } from "../../support/temporary-folder.js";
import { good } from "./broken/good.js";
import { stopsAtEmptyPage } from "./broken/stops-at-empty-page.js";
import { swallowsPageError } from "./broken/swallows-page-error.js";
import { ask, ORIGIN } from "./broken/vendor.js";
import { cassetteOf, DAY, users } from "./cassettes.js";

const folder = temporaryFolder();
let cassette = "";
beforeAll(async () => {
  cassette = await folder.write("vendor.json", cassetteOf({ [DAY]: users() }));
});

test("runs the named faults only, and says how often each struck", async () => {
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
  const { ok, faults, neverSeen } = await testConnector(swallowsPageError, {
    cassette,
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
        'lost 3 of 23 usage ("login-u-21a", "login-u-22a", "login-u-23a"); cause: GET /v1/users?limit=10&pageToken=users-token-3 answered 500',
    },
  ]);
  expect(neverSeen).toEqual(["refused", "held"]);
});

test("plays the day before the last one first, if there is one", async () => {
  const two = await folder.write("two.json", cassetteOf({ "2026-05-03": users(21), [DAY]: users() }));
  const { ok, faults } = await testConnector(good, { cassette: two, only: ["no-fault", "list-empty"] });
  expect(ok).toBe(true);
  expect(faults.find(({ fault }) => fault === "list-empty")?.error).toContain("21 of 21 known ids");
});

test("calls a connector WRONG whose clean runs differ, and runs no fault then", async () => {
  let runs = 0;
  const uneven = defineConnector({
    snapshots: ["accounts"],
    run: async (batch) => {
      await ask(users()[0]?.request.url ?? "");
      runs += 1;
      await batch.write("accounts", [{ id: `run-${runs}` }]);
    },
  });
  const { faults, notRun } = await testConnector(uneven, { cassette });
  expect(faults).toMatchObject([{ fault: "no-fault", verdict: "WRONG" }]);
  expect(faults[0]?.cause).toContain("two runs without a fault differ");
  expect(notRun.length).toBeGreaterThan(60);
});

test("names the requests that a cassette does not hold", async () => {
  const asksMore = defineConnector({
    snapshots: [],
    run: async () => void (await ask(`${ORIGIN}/v1/teams?api_key=top-secret-value`)),
  });
  await expect(testConnector(asksMore, { cassette })).rejects.toThrow(
    /^The connector fails without a fault\. The recording does not hold GET \/v1\/teams\?api_key=\[redacted\]: record it again/,
  );
});

test("passes the error of a connector that fails without a fault on", async () => {
  const error = new Error("no such table");
  const fails = defineConnector({ snapshots: [], run: () => Promise.reject(error) });
  await expect(testConnector(fails, { cassette })).rejects.toMatchObject({
    message: "The connector fails without a fault. no such table",
    cause: error,
  });
});

describe("against", () => {
  const version = (id: (number: number) => string) =>
    defineConnector({
      snapshots: ["accounts"],
      run: async (batch) => {
        await ask(users()[0]?.request.url ?? "");
        await batch.write(
          "accounts",
          [1, 2, 3, 4, 5].map((number) => ({ id: id(number), name: `n${number}` })),
        );
      },
    });
  const released = version((number) => `a${number}`);
  const compare = async (connector: typeof released) => {
    const { ok, faults } = await testConnector(connector, { cassette, against: released, only: ["against"] });
    return { ok, ...faults[0] };
  };

  test("is the same for the same records", async () => {
    expect(await compare(version((number) => `a${number}`))).toMatchObject({ ok: true, verdict: "same" });
  });

  test("reports a record that only the new version has, and the other would remove", async () => {
    const more = defineConnector({
      snapshots: ["accounts"],
      run: async (batch) => {
        await ask(users()[0]?.request.url ?? "");
        await batch.write(
          "accounts",
          [1, 2, 3, 4, 5, 6].map((number) => ({ id: `a${number}`, name: `n${number}` })),
        );
      },
    });
    expect(await compare(more)).toMatchObject({
      ok: true,
      verdict: "differs",
      cause: 'this version: kept 1 accounts ("a6")',
    });
  });

  test("is WRONG if the new version removes records", async () => {
    const { ok, verdict, cause } = await compare(version((number) => (number === 1 ? "b1" : `a${number}`)));
    expect([ok, verdict]).toEqual([false, "WRONG"]);
    expect(cause).toContain('of 5 accounts ("a1")');
  });
});

test.each<[string, object, string]>([
  ["an unknown option", { casette: "x" }, "testConnector: unknown option casette."],
  ["an unknown fault", { only: ["status-500"] }, 'only names "status-500", which is no fault of this source'],
  ["a seed that is no integer", { seed: 1.5 }, "testConnector: seed must be an integer of 0 or more."],
  ["names that are no array", { only: "status-500-once" }, "testConnector: only must be an array"],
  ["a missing cassette", { cassette: "/nowhere/vendor.json" }, "There is no cassette /nowhere/vendor.json."],
])("refuses %s", async (_, options, message) => {
  await expect(testConnector(stopsAtEmptyPage, { cassette, ...options })).rejects.toThrow(message);
});
