import { getEventListeners } from "node:events";
import type { SyncBatch, SyncProgress } from "@saas-management/sdk";
import { TestClock } from "@saas-management/sdk/testing";
import { afterEach, expect, test } from "vitest";
import type { BatchOptions } from "../../src/sync/batch/start.js";
import type { SyncClientOptions } from "../../src/sync/options.js";
import { connectorOf } from "../support/connector.js";
import { until } from "../support/promises.js";
import { accounts } from "../support/records.js";
import { useScriptedServer } from "../support/sync-harness.js";
import { listenSilently } from "../support/tcp-peers.js";

const harness = useScriptedServer();
// Closes the server first: a client's close may wait for the answer to a start, and the clock stands still.
afterEach(() => harness.server.close());
const LOST = { code: 14, details: "connection dropped" };
const LOCKED = { code: 6, details: "locked" };
const START = { installationId: "installation-1" };
const RUN = { ...START, ledger: "none" } as const;
const never = () => new Promise<never>(() => {});
async function* silent() {
  yield accounts(1);
  await never();
}
const CONNECTOR = connectorOf(["accounts"], (batch) => batch.write("accounts", accounts(3)));

/** A point where a call waits: how to bring it there, and whether it has arrived. */
interface Point {
  readonly options?: Partial<SyncClientOptions>;
  readonly reached: () => boolean;
}

interface Call {
  readonly seen: SyncProgress["type"][];
  readonly onProgress: (progress: SyncProgress) => void;
}

/** A provider that returns the key for the first `count` calls, and then never answers. */
function keys(count: number) {
  let asked = 0;
  return {
    apiKey: () => {
      asked += 1;
      return asked > count ? never() : "key-1";
    },
    missing: () => asked > count,
  };
}

/** Points where any call to the service may wait. */
const OF_A_REQUEST: Readonly<
  Record<string, (operation: "StartSyncBatch" | "SyncRecords", call: Call) => Promise<Point>>
> = {
  "in the same turn as its call": async () => ({ reached: () => true }),
  "while its credential is asked for": async (operation) => {
    const { apiKey, missing } = keys(operation === "StartSyncBatch" ? 0 : 1);
    return { options: { apiKey }, reached: missing };
  },
  "while it waits for the service's answer": async (operation) => {
    harness.server.scripts[operation].push("never");
    const { calls, streams } = harness.server;
    return {
      reached: () =>
        operation === "SyncRecords" ? streams[0]?.messages.length === 1 : calls.includes(operation),
    };
  },
  "in the pause before it is tried again": async (operation, { seen }) => {
    harness.server.scripts[operation].push(LOST);
    return { reached: () => seen.includes("retry") };
  },
};

/** Aborts the call at the point, and checks what is left. */
async function abortAt(point: Point, stop: AbortController, promise: Promise<unknown>): Promise<void> {
  const outcome = promise.then(
    () => "fulfilled",
    (error: unknown) => error,
  );
  await until(point.reached);
  const reason = { my: "reason" };
  stop.abort(reason);
  // The clock stands still, and the service says nothing more, so the call settles at once or never.
  expect(await outcome).toBe(reason);
  expect(getEventListeners(stop.signal, "abort")).toHaveLength(0);
}

function prepare() {
  const clock = new TestClock({ startAt: new Date(0) });
  const seen: SyncProgress["type"][] = [];
  const stop = new AbortController();
  const onProgress = ({ type }: SyncProgress) => void seen.push(type);
  const start = (options: Partial<SyncClientOptions> = {}, more: Partial<BatchOptions> = {}) => {
    const retry = { retries: 2, minDelayMs: 1000, maxDelayMs: 1000 };
    return harness.client({ clock, retry, ...options }).startBatch({ ...START, onProgress, ...more });
  };
  return { clock, seen, stop, onProgress, start };
}

test.each(Object.entries(OF_A_REQUEST))(
  "a start aborted %s ends at once and leaves nothing behind",
  async (_, arrange) => {
    const { stop, start, clock, ...call } = prepare();
    const point = await arrange("StartSyncBatch", call);
    await abortAt(point, stop, start(point.options, { signal: stop.signal }));
    expect(clock.sleeping).toBe(0);
  },
);

test("a start aborted while it connects ends at once and leaves nothing behind", async () => {
  const { stop, start, clock } = prepare();
  const peer = await listenSilently();
  const promise = start({ endpoint: `http://127.0.0.1:${peer.port}` }, { signal: stop.signal });
  await abortAt({ reached: () => peer.heard() === 1 }, stop, promise);
  await until(() => clock.sleeping === 0);
});

test("a start aborted while it waits for the lock ends at once and leaves nothing behind", async () => {
  const { stop, start, clock, seen } = prepare();
  harness.server.scripts.StartSyncBatch.push(LOCKED);
  const promise = start({}, { signal: stop.signal, waitForLockMs: 60_000 });
  await abortAt({ reached: () => seen.includes("waiting-for-lock") }, stop, promise);
  expect(clock.sleeping).toBe(0);
});

/** The calls that send records. */
const WRITES: Readonly<Record<string, (batch: SyncBatch, signal: AbortSignal) => Promise<unknown>>> = {
  write: (batch, signal) => batch.write("accounts", accounts(3), { signal }),
  writer: async (batch, signal) => {
    const users = batch.writer("accounts", { signal });
    void users.write(accounts(3));
    await users.end();
  },
};

test.each(
  Object.entries(WRITES).flatMap(([name, write]) =>
    Object.entries(OF_A_REQUEST).map(([where, arrange]) => [name, where, write, arrange] as const),
  ),
)("a %s aborted %s ends at once and leaves nothing behind", async (_name, _where, write, arrange) => {
  const { stop, start, clock, ...call } = prepare();
  const point = await arrange("SyncRecords", call);
  const batch = await start(point.options);
  await abortAt(point, stop, write(batch, stop.signal));
  await expect(batch.complete()).rejects.toMatchObject({ code: "BATCH_STATE", reason: "incomplete" });
  batch.close();
  await until(() => clock.sleeping === 0);
});

test.each<[string, (batch: SyncBatch) => void]>([
  ["while its source is silent", () => {}],
  [
    "while it is queued",
    (batch) => void batch.write("plans", { [Symbol.asyncIterator]: () => ({ next: never }) }),
  ],
])("a write aborted %s ends at once and leaves nothing behind", async (_what, before) => {
  const { stop, start, clock, seen } = prepare();
  const batch = await start();
  before(batch);
  const promise = batch.write("accounts", silent(), { signal: stop.signal });
  await abortAt({ reached: () => seen.includes("sending") }, stop, promise);
  batch.close();
  expect(clock.sleeping).toBe(0);
});

test("a run aborted while its connector waits ends at once, and the service sees no call", async () => {
  const { stop, clock, onProgress, seen } = prepare();
  const connector = connectorOf(["accounts"], (batch) => batch.write("accounts", silent()));
  const run = harness.client({ clock }).run(connector, { ...RUN, signal: stop.signal, onProgress });
  await abortAt({ reached: () => seen.includes("extracting") }, stop, run);
  expect(harness.server.calls).toEqual([]);
  expect(clock.sleeping).toBe(0);
});

test("a run aborted while it sends ends when the batch is aborted", async () => {
  const { stop, clock, onProgress } = prepare();
  harness.server.scripts.SyncRecords.push("never");
  const run = harness.client({ clock }).run(CONNECTOR, { ...RUN, signal: stop.signal, onProgress });
  await abortAt({ reached: () => harness.server.streams[0]?.messages.length === 1 }, stop, run);
  expect(harness.server.calls).toEqual(["StartSyncBatch", "AbortSyncBatch"]);
  expect(clock.sleeping).toBe(0);
});
