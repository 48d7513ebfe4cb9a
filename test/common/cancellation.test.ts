import { getEventListeners } from "node:events";
import { expect, test } from "vitest";
import { connectClient, rejection } from "../support/http-client.js";
import { json } from "../support/http-server.js";
import { observedHooks } from "../support/observed.js";
import { until } from "../support/promises.js";

const QUERY = "query Names { applications { totalCount } }";
/** Pauses that outlast every test. */
const LONG = { retry: { retries: 4, minDelayMs: 1e9, maxDelayMs: 1e9 }, timeoutMs: 2e9 };

test("an abort during a pause settles a query at once and leaves neither listener nor timer", async () => {
  const { hooks, retries } = observedHooks();
  const { client, clock, server } = await connectClient(
    (_, response) => json(response, {}, { status: 503 }),
    {
      ...LONG,
      ...hooks,
    },
  );
  const stop = new AbortController();
  const error = rejection(client.request(QUERY, {}, { signal: stop.signal }));
  await until(() => retries.length === 1);
  stop.abort("enough");
  expect(await error).toBe("enough");
  expect(server.requests).toHaveLength(1);
  expect(getEventListeners(stop.signal, "abort")).toHaveLength(0);
  expect(clock.sleeping).toBe(0);
});
