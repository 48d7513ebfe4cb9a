import { expect, test } from "vitest";
import { paced } from "../../examples/export/paced.js";
import { testService } from "../support/test-service.js";

const service = testService({
  server: { portfolio: { applications: Array.from({ length: 12 }, (_, i) => ({ name: `App ${i}` })) } },
});

/** A clock whose sleeps take no time, and its times of all requests. */
function watched(perSecond: number) {
  let time = 0;
  const times: number[] = [];
  const clock = {
    now: () => time,
    // Timers may fire early.
    sleep: async (ms: number) => {
      time += Math.max(1, Math.floor(ms));
    },
  };
  const noting: typeof fetch = (input, init) => {
    times.push(time);
    return fetch(input, init);
  };
  return { times, fetch: paced(perSecond, noting, clock) };
}

const gaps = (times: readonly number[]) => times.map((time, i) => time - (times[i - 1] ?? 0));

test("an export keeps its rate of requests, retries included, from its first request on", async () => {
  const { fetch, times } = watched(3);
  service.server.faults.add({ on: "graphql", fault: "http", status: 503, times: 3 });
  const client = service.graphqlClient({ fetch, retry: { retries: 4, minDelayMs: 1, maxDelayMs: 1 } });
  expect(await client.applications({ pageSize: 2 }).toArray()).toHaveLength(12);
  expect(times).toHaveLength(9);
  for (const gap of gaps(times)) expect(gap).toBeGreaterThanOrEqual(1000 / 3);
});

test("requests at the same time keep the rate too", async () => {
  const { fetch, times } = watched(10);
  const client = service.graphqlClient({ fetch });
  await Promise.all(Array.from({ length: 5 }, () => client.applications().totalCount()));
  expect(times).toEqual([100, 200, 300, 400, 500]);
});

test.each([Number.NaN, 0, -1])("refuses %s requests a second", (perSecond) => {
  expect(() => paced(perSecond)).toThrow(RangeError);
});
