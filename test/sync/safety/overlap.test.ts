/** Runs of one installation that overlap, and runs that were stopped before they sent anything. */
import {
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
import { watchedStore } from "../../support/stores.js";
import { accounts, testService } from "../../support/test-service.js";

const service = testService({ sync: { logger: quietLogger({}), retry: false } });

/** What the vendor has now: all accounts are of one version, and each version has brought ten events. */
let version = 1;
let calls = 0;
let store: Store;
beforeEach(() => {
  version = 1;
  calls = 0;
  store = memoryStore();
});

const EVENT = "externallyDiscoveredUsage";

/** Reads the vendor: all accounts, and the events since the watermark. Waits for `meanwhile` in between. */
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

/** Time passes whenever somebody waits for it. */
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

describe("of two runs that overlap", () => {
  test("the one that is overtaken too often fails with the batch of the other one, and can be run again", async () => {
    letTimePass();
    await run(read());
    let isInner = false;
    const overtaken = run(
      read(async () => {
        if (isInner) return;
        isInner = true;
        await completeNext();
        isInner = false;
      }),
    );
    const error: unknown = await overtaken.catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(RunOutdatedError);
    const last = service.inspect().batches.at(-1)?.id;
    expect(error).toMatchObject({ code: "RUN_OUTDATED", retryable: true, otherBatchId: last });
    expect(version).toBe(4);
    expect(atService()).toEqual({ names: ["version 4"], events: 40, different: 40 });
    await run(read());
    expect(atService()).toEqual({ names: ["version 4"], events: 40, different: 40 });
  });
});

test("no moment at which another run is completed puts an older state back, loses or doubles an event", async () => {
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
        // Under the lock of this run it is refused.
        other = completeNext().catch(() => {
          version -= 1;
        });
        await other;
      }
      return go();
    });
    const before = calls;
    await run(read(), {}, watched);
    if (other === undefined) break;
    if (calls - before > 2) overtaken += 1;
    const check = (when: string) => {
      const { events, ...state } = atService();
      const place = `${when} call ${moment} of the ledger`;
      expect(state, place).toEqual({ names: [`version ${version}`], different: 10 * version });
      // Until its watermark is stored, a completed run does not keep the next one from sending the same events.
      expect(events, place).toBeLessThanOrEqual(isCompleted ? 20 * version : 10 * version);
    };
    check("at");
    await run(read());
    check("after");
  }
  expect(overtaken).toBeGreaterThan(2);
});

test("a completed run keeps a watermark that a later one has stored", async () => {
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
