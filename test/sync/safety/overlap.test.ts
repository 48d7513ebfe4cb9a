/** Runs of one installation that overlap, and runs that were stopped before they sent anything. */
import {
  disposition,
  type EventCollection,
  type RunContext,
  type RunOptions,
  RunOutdatedError,
  type Store,
  storeLedger,
} from "@saas-management/sdk";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { memoryStore } from "../../../src/runs/ledger/store.js";
import type { RunFunction } from "../../support/connector.js";
import { quietLogger } from "../../support/observed.js";
import { rejection } from "../../support/promises.js";
import { recordsOf } from "../../support/records.js";
import { watchedStore } from "../../support/stores.js";
import { accounts, testService } from "../../support/test-service.js";

const service = testService({ sync: { logger: quietLogger({}), retry: false } });

/** The vendor's current version: all accounts have it, and each version so far has added ten events. */
let version = 1;
let calls = 0;
let store: Store;
beforeEach(() => {
  version = 1;
  calls = 0;
  store = memoryStore();
});

const EVENT = "externallyDiscoveredUsage";

/** Reads the vendor, waits for `meanwhile`, and writes all accounts and the events since the watermark. */
const read =
  (meanwhile: () => unknown = () => {}): RunFunction<"accounts"> =>
  async (batch, { watermark, advance }: RunContext) => {
    calls += 1;
    const now = version;
    const since = Number(watermark(EVENT) ?? 0);
    await meanwhile();
    await batch.write(
      "accounts",
      accounts(5).map((account) => ({ ...account, name: `version ${now}` })),
    );
    const actors = Array.from({ length: 10 * now - since }, (_, i) => `actor-${since + i}`);
    const lastActivity = new Date("2026-01-01T00:00:00Z");
    await batch.write(
      EVENT,
      actors.map((sourceActorId) => ({ sourceActorId, lastActivity })),
    );
    advance(EVENT, String(10 * now));
  };

const run = (fn: RunFunction<"accounts">, options: Partial<RunOptions> = {}, own = store) =>
  service.run(["accounts"], fn, { ledger: storeLedger(own), waitForLockMs: 60_000, ...options });

/** The vendor has a new version, which another run of the installation sends. */
const completeNext = async () => {
  version += 1;
  await run(read(), { waitForLockMs: 0 });
};

/** Advances the clock whenever something waits for a later time. */
function letTimePass(): void {
  let over = false;
  onTestFinished(() => {
    over = true;
  });
  const pass = () => {
    if (over) return;
    if (service.clock.pausing > 0) service.clock.advance(1000);
    setImmediate(pass);
  };
  pass();
}

/** What the service has: the version of its accounts, and the actors of its events. */
function atService() {
  const { accounts: sent, [EVENT]: events } = service.inspect().snapshots;
  const names = new Set(sent.map(({ record }) => Reflect.get(record, "name")));
  const actors = events.map(({ record }) => String(Reflect.get(record, "sourceActorId")));
  return { names: [...names], events: actors.length, different: new Set(actors).size };
}

test("a run that is overtaken fails at once, names the other run's batch, and can be repeated", async () => {
  await run(read());
  const error = await rejection(run(read(completeNext)));
  expect(error).toBeInstanceOf(RunOutdatedError);
  const last = service.inspect().batches.at(-1)?.id;
  expect(error).toMatchObject({ code: "RUN_OUTDATED", retryable: true, otherBatchId: last });
  expect(disposition(error)).toBe("retry-now");
  expect(calls).toBe(3);
  expect(atService()).toEqual({ names: ["version 2"], events: 20, different: 20 });
  await run(read());
  expect(atService()).toEqual({ names: ["version 2"], events: 20, different: 20 });
});

/** A run of these snapshots that asks for one watermark, waits, and advances another. */
interface Slow {
  readonly snapshots?: readonly ("accounts" | "plans")[];
  readonly asks?: EventCollection;
  readonly advances?: EventCollection;
}

/** What another run does in the meantime: it completes snapshots, and advances a watermark. */
interface Fast {
  readonly snapshots?: readonly ("accounts" | "plans" | "employees")[];
  readonly advances?: EventCollection;
}

const apart: readonly [string, Slow, Fast][] = [
  ["accounts, and employees", { snapshots: ["accounts"] }, { snapshots: ["employees"] }],
  ["accounts, and events", { snapshots: ["accounts"] }, { advances: "usage" }],
  [
    "accounts and plans, and employees and events",
    { snapshots: ["accounts", "plans"] },
    { snapshots: ["employees"], advances: "usage" },
  ],
  ["events, and accounts", { asks: "usage", advances: "usage" }, { snapshots: ["accounts"] }],
  ["two kinds of events", { asks: "usage", advances: "usage" }, { advances: "externallyDiscoveredUsage" }],
  ["events without a watermark, and others", {}, { advances: "usage" }],
];

const together: readonly [string, Slow, Fast][] = [
  ["one of two snapshots", { snapshots: ["accounts", "plans"] }, { snapshots: ["plans", "employees"] }],
  ["a watermark that was given", { snapshots: ["accounts"], asks: "usage" }, { advances: "usage" }],
  ["a watermark that is advanced", { advances: "usage" }, { snapshots: ["employees"], advances: "usage" }],
  ["a snapshot alone", { snapshots: ["accounts"], asks: "usage" }, { snapshots: ["accounts"] }],
];

const fast = ({ snapshots = [], advances }: Fast) =>
  service.run(
    snapshots,
    async (batch, { advance }) => {
      for (const name of snapshots) await batch.write(name, recordsOf(name, ["a"]));
      if (advances === undefined) return;
      await batch.write(advances, []);
      advance(advances, "of the fast run");
    },
    { ledger: storeLedger(store) },
  );

/** A run during which others complete. */
const slow = ({ snapshots = [], asks, advances }: Slow, meanwhile: () => Promise<unknown>, own = store) =>
  service.run(
    snapshots,
    async (batch, { watermark, advance }) => {
      calls += 1;
      if (asks !== undefined) watermark(asks);
      await meanwhile();
      for (const name of snapshots) await batch.write(name, recordsOf(name, ["a"]));
      if (advances !== undefined) advance(advances, "of the slow run");
    },
    { ledger: storeLedger(own) },
  );

describe.each(apart)("runs that have nothing in common don't affect each other: %s", (_, mine, others) => {
  test("while it reads the source", async () => {
    await fast({ snapshots: ["accounts"] });
    await slow(mine, async () => {
      await fast(others);
      await fast(others);
    });
    expect(calls).toBe(1);
    expect(service.states()).toEqual(Array(4).fill("completed"));
  });

  test("before it has the lock", async () => {
    await fast({ snapshots: ["accounts"] });
    let lists = 0;
    // The other run completes at the first `list` after the connector's call; this run holds the lock at the next one.
    const watched = watchedStore(store, async ({ method }, go) => {
      if (method === "list" && calls === 1) lists += 1;
      if (lists === 1) {
        lists += 1;
        await fast(others);
      }
      return go();
    });
    await slow(mine, async () => {}, watched);
    expect(calls).toBe(1);
    expect(service.states()).toEqual(Array(3).fill("completed"));
  });
});

test.each(together)(
  "a run fails if another one completes the collections it reads or writes: %s",
  async (_, mine, others) => {
    await fast({ snapshots: ["accounts"] });
    let otherBatchId: string | undefined;
    const overtaken = slow(mine, async () => {
      otherBatchId = (await fast(others)).batchId;
      await fast({ snapshots: ["employees"] });
    });
    expect(await rejection(overtaken)).toMatchObject({ code: "RUN_OUTDATED", otherBatchId });
    expect(calls).toBe(1);
  },
);

test("another run that completes at any moment never restores an older state, or loses or doubles an event", async () => {
  letTimePass();
  let overtaken = 0;
  for (let moment = 1; ; moment += 1) {
    await service.reset();
    version = 1;
    store = memoryStore();
    await run(read());
    let count = 0;
    let isCompleted = false;
    let other: Promise<unknown> | undefined;
    const watched = watchedStore(store, async (_, go) => {
      count += 1;
      if (count === moment) {
        isCompleted = service.states().join() === "completed,completed";
        // The next run is refused while this run has the lock.
        other = completeNext().catch(() => {
          version -= 1;
        });
        await other;
      }
      return go();
    });
    const before = calls;
    const error: unknown = await run(read(), {}, watched).then(
      () => undefined,
      (reason: unknown) => reason,
    );
    if (other === undefined) break;
    if (error !== undefined) {
      expect(error, `at call ${moment} of the ledger`).toBeInstanceOf(RunOutdatedError);
      overtaken += 1;
    }
    expect(calls - before).toBeLessThanOrEqual(2);
    const check = (when: string) => {
      const { events, ...state } = atService();
      const place = `${when} call ${moment} of the ledger`;
      expect(state, place).toEqual({ names: [`version ${version}`], different: 10 * version });
      // If a completed run's watermark isn't stored yet, the next run sends the same events again.
      expect(events, place).toBeLessThanOrEqual(isCompleted ? 20 * version : 10 * version);
    };
    check("at");
    await run(read());
    check("after");
  }
  expect(overtaken).toBeGreaterThan(2);
});

test("a completed run does not replace the watermark that a later run has stored", async () => {
  await run(read());
  let isNext = false;
  const watched = watchedStore(store, async ({ method, key }, go) => {
    const isOurs =
      method === "list" && key.endsWith("/") && service.states().join() === "completed,completed";
    if (isOurs && !isNext) {
      isNext = true;
      await completeNext();
    }
    return go();
  });
  await run(read(), {}, watched);
  expect(isNext).toBe(true);
  await run(read());
  expect(atService()).toEqual({ names: ["version 2"], events: 20, different: 20 });
});
