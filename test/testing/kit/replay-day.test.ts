import { captureRecords, expectRecords, replayDay } from "@saas-management/sdk/testing";
import { beforeAll, expect, test } from "vitest";
import { temporaryFolder } from "../../support/temporary-folder.js";
import { good } from "./broken/good.js";
import { ask, askPage, ORIGIN, sleep } from "./broken/vendor.js";
import { cassetteOf, DAY, users } from "./cassettes.js";

const folder = temporaryFolder();
let cassette = "";
beforeAll(async () => {
  cassette = await folder.write("vendor.json", cassetteOf({ "2026-05-03": users(12), [DAY]: users() }));
});

test("answers requests from a day of a cassette, at the time of that day", async () => {
  const seen = await replayDay(cassette, "2026-05-03", async () => {
    const { total } = await askPage(undefined);
    const started = new Date().toISOString();
    await sleep(3_600_000);
    return [total, started, new Date().toISOString(), (await ask(`${ORIGIN}/other`)).status];
  });
  expect(seen).toEqual([12, "2026-05-03T02:00:00.000Z", "2026-05-03T03:00:00.000Z", 404]);
});

test("throws what the work throws, and leaves nothing patched", async () => {
  const before = [globalThis.setTimeout, globalThis.fetch, Date];
  const error = new Error("mine");
  await expect(replayDay(cassette, DAY, () => Promise.reject(error))).rejects.toBe(error);
  expect([globalThis.setTimeout, globalThis.fetch, Date]).toEqual(before);
});

test("refuses a day that the cassette does not have", async () => {
  await expect(replayDay(cassette, "2026-01-01", () => 1)).rejects.toThrow(
    "does not have this day. Its days: 2026-05-03, 2026-05-04.",
  );
});

test("captures the records of a day as plain objects", async () => {
  const records = await captureRecords(good, { cassette, day: "2026-05-03" });
  expect(Object.keys(records)).toEqual(["accounts", "usage"]);
  expect(records.accounts).toHaveLength(12);
  expect(records.usage?.[0]).toEqual({
    id: "login-u-1a",
    sourceActorId: "u-1a",
    externalProductName: "Zoë Person 1",
    lastActivity: "2026-05-01T01:00:00.000Z",
  });
  expectRecords(records, await captureRecords(good, { cassette, day: "2026-05-03" }));
  expect((await captureRecords(good, { cassette })).accounts).toHaveLength(23);
});
