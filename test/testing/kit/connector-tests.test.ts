import { connectorTests } from "@saas-management/sdk/testing";
import { beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { connectorOf } from "../../support/connector.js";
import { temporaryFolder } from "../../support/temporary-folder.js";
import { byToken as good } from "./good.js";
import { swallowing } from "./planted/of-answers.js";
import { cassetteOf, RECORDINGS } from "./recordings/index.js";

const folder = temporaryFolder();
let cassette = "";
beforeAll(async () => {
  cassette = await folder.write("linked.json", cassetteOf(RECORDINGS["by link"]));
});

const named = (only: readonly string[]) => connectorTests(swallowing, { cassette, only });

test("has a test for each fault except those you set aside, without opening a file", () => {
  const all = connectorTests(good, { cassette: "nowhere.json" }).map(({ name }) => name);
  expect(all).toContain("no-fault");
  expect(all.length).toBeGreaterThan(40);
  const except = { "twin-id-in-case": "ids are case-sensitive here" };
  const others = connectorTests(good, { cassette: "nowhere.json", except }).map(({ name }) => name);
  expect(all.filter((name) => !others.includes(name))).toEqual(["twin-id-in-case"]);
});

test("a test rejects if its fault makes the connector WRONG, and says why", async () => {
  const [test] = named(["status-500-last"]);
  await expect(test?.run()).rejects.toThrow(
    /^WRONG: lost 10 of 30 usage .*cause: GET \/users\?cursor=c3ff answered 500 \(the last page answers 500: page 3 of/,
  );
});

test("tests resolve if the connector withstands the fault", async () => {
  for (const { run } of named(["no-fault", "slow-page"])) await expect(run()).resolves.toBeUndefined();
});

test.each([
  [
    "an argument, as in Vitest",
    (run: () => Promise<void>, context: object) => Reflect.apply(run, undefined, [context]),
  ],
  ["its this, as in Mocha", (run: () => Promise<void>, context: object) => Reflect.apply(run, context, [])],
  [
    "both, as in node:test",
    (run: () => Promise<void>, context: object) => Reflect.apply(run, context, [context]),
  ],
])("a fault that cannot be run skips its test by %s", async (_, call) => {
  const skip = vi.fn();
  const [test] = connectorTests(swallowing, { cassette, only: ["total-missing"] });
  if (test !== undefined) await call(test.run, { name: "total-missing", skip });
  expect(skip.mock.calls).toEqual([["not run: the source has no place for it"]]);
});

test("a fault that cannot be run says so on stderr if its test cannot be skipped, as in Jest", async () => {
  const write = vi.spyOn(process.stderr, "write").mockReturnValue(true);
  onTestFinished(() => write.mockRestore());
  for (const { run } of named(["total-missing"])) await run();
  expect(write.mock.calls).toEqual([["total-missing: not run: the source has no place for it\n"]]);
});

test("tests that a runner starts together take turns, and a failure does not stop the others", async () => {
  const names = ["status-500-last", "no-fault", "status-404-last"];
  const ended = await Promise.allSettled(named(names).map(({ run }) => run()));
  expect(ended.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected", "rejected"]);
});

test("refuses a wrong option when the tests are listed", () => {
  expect(() => connectorTests(good, { only: ["status-500"] })).toThrow("connectorTests: only names");
});

describe("in a runner", () => {
  const table = connectorOf(["accounts"], (batch) =>
    batch.write(
      "accounts",
      Array.from({ length: 24 }, (_, i) => ({ id: `a-${i}` })),
    ),
  );
  for (const { name, run } of connectorTests(table, { only: ["no-fault", "source-fails-midway"] }))
    test(name, run, 60_000);
  test("tests take no argument, because runners would mistake it for a callback", () => {
    for (const { run } of named(["status-500-once"])) expect(run).toHaveLength(0);
  });
});
