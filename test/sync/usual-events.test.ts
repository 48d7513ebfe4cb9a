/** Events are never held, but a receipt says if their count is far from the usual one for the weekday. */
import { memoryLedger } from "@saas-management/sdk/testing";
import { expect, test } from "vitest";
import type { RunFunction } from "../support/connector.js";
import { quietLogger } from "../support/observed.js";
import { testService } from "../support/test-service.js";

const DAY_MS = 24 * 60 * 60 * 1000;
const service = testService({ sync: { logger: quietLogger({}) } });

/** Sends these numbers of events, one run a day. @returns the surprises of the last run */
async function after(counts: readonly number[], everyMs = DAY_MS): Promise<readonly string[]> {
  let surprises: readonly string[] = [];
  const ledger = memoryLedger();
  for (const count of counts) {
    const lastActivity = new Date(service.clock.now());
    const events = Array.from({ length: count }, (_, i) => ({
      id: `e${i}`,
      sourceActorId: "u",
      lastActivity,
    }));
    const send: RunFunction<never> = async (batch) => void (await batch.write("usage", events));
    ({ surprises } = await service.run([], send, { ledger }));
    service.clock.advance(everyMs);
  }
  return surprises;
}

const WEEK = [400, 410, 420, 430, 440, 30, 20];
const WEEKS = [...WEEK, ...WEEK.map((count) => count + 5), ...WEEK];

test.each([
  ["nothing", 0, ["0 events of usage were sent, and 400 to 405 on the same weekday before"]],
  ["less than a tenth", 39, ["39 events of usage were sent, and 400 to 405 on the same weekday before"]],
  ["a tenth: a holiday", 40, []],
  ["ten times as many", 4050, []],
  ["even more", 4051, ["4,051 events of usage were sent, and 400 to 405 on the same weekday before"]],
])("after three weeks, %s", async (_, count, expected) => {
  expect(await after([...WEEKS, count])).toEqual(expected);
});

test.each([
  ["weekends", WEEKS.slice(0, -1), DAY_MS],
  ["few events", [9, 9, 9, 9, 9, 90], 7 * DAY_MS],
  ["the third week", [...WEEKS.slice(0, 14), 0], DAY_MS],
  ["several runs a day, of which thirty don't reach back two weeks", [...Array(32).fill(400), 0], DAY_MS / 5],
])("says nothing about %s", async (_, counts, everyMs) => {
  expect(await after(counts, everyMs)).toEqual([]);
});
