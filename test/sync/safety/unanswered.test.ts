import { type RunOptions, type Store, storeLedger } from "@saas-management/sdk";
import { TestClock } from "@saas-management/sdk/testing";
import { beforeEach, describe, expect, test } from "vitest";
import { FileStore } from "../../../src/runs/ledger/file-store.js";
import { memoryStore } from "../../../src/runs/ledger/store.js";
import { ofSnapshots } from "../../support/adopted.js";
import type { RunFunction } from "../../support/connector.js";
import { collectionLedger } from "../../support/ledgers.js";
import { driven, until } from "../../support/promises.js";
import { accounts, heldBy, ids, testService } from "../../support/test-service.js";
import { type LedgerStep, type UnansweredLedger, unanswered } from "../../support/unanswered.js";

// The clients' clock stands still until a test moves it. The server has its own clock, which runs.
const clock = new TestClock({ startAt: new Date(1_700_000_000_000) });
let warnings: string[];
const warn = (message: string) => void warnings.push(message);
const logger = { debug: () => {}, info: () => {}, warn, error: warn };
const service = testService({ sync: { clock, timeoutMs: 100_000_000, logger } });
const scope = () => ({
  endpoint: new URL(service.server.syncUrl).origin,
  installationId: service.installationId,
  collection: "accounts" as const,
});

/** How a run ends if only time passes. */
const endOf = (run: Promise<unknown>): Promise<unknown> =>
  driven(clock, run).catch((error: unknown) => error);

/** Fires after a minute, as `AbortSignal.timeout` does. */
function timeLimit(): AbortSignal {
  const controller = new AbortController();
  clock.after(60_000, () => controller.abort(new DOMException("It took too long.", "TimeoutError")));
  return controller.signal;
}

async function turns(count: number): Promise<void> {
  for (let i = 0; i < count; i += 1) await new Promise((resolve) => setImmediate(resolve));
}

const writeBoth: RunFunction<"accounts" | "plans"> = async (batch) => {
  await batch.write("accounts", accounts(3));
  await batch.write("plans", []);
};

let below: Store;
beforeEach(() => {
  warnings = [];
  below = memoryStore();
});

const states = async () => {
  const ledger = collectionLedger(below, scope());
  return ledger.known(await ledger.read()).map(({ state }) => state);
};

/** A run that waits in this step, after a run that made a baseline of ten ids. */
async function runTo(step: LedgerStep, options: Partial<RunOptions> = {}) {
  await service.runAccounts(ids(10), { ledger: storeLedger(below) });
  const slow = unanswered(step, below);
  const isHeld = step === "held" || step === "hold";
  const run = service.runAccounts(isHeld ? [] : ids(11), {
    ...(step === "held" ? { approve: "an approval" } : {}),
    ...options,
    ledger: slow.ledger,
  });
  run.catch(() => {});
  await until(() => slow.begun.includes(step));
  return { run, slow };
}

const BEFORE_THE_START = ["look 1", "read", "look 2", "lines", "held", "hold"] as const;
const UNDER_THE_LOCK = ["look 3", "save"] as const;
const isLocked = (step: LedgerStep) => UNDER_THE_LOCK.some((locked) => locked === step);

describe.each([...BEFORE_THE_START, ...UNDER_THE_LOCK])("a ledger that never answers %s", (step) => {
  const aborted = isLocked(step) ? ["completed", "aborted"] : ["completed"];

  test("does not stop a run from ending on its signal, and a late answer changes nothing", async () => {
    const stop = new AbortController();
    const reason = { why: "shutdown" };
    const progress: string[] = [];
    const onProgress = ({ type }: { readonly type: string }) => void progress.push(type);
    const { run, slow } = await runTo(step, { signal: stop.signal, onProgress });
    stop.abort(reason);
    expect(await endOf(run)).toBe(reason);
    expect(service.states()).toEqual(aborted);
    const { length } = progress;
    const asked = slow.begun.length;
    slow.answer();
    await turns(20);
    expect(progress.slice(length)).toEqual([]);
    // The late save is discarded, and the ledger gets no other call.
    expect(slow.begun.slice(asked).filter((name) => !["read", "discard"].includes(name))).toEqual([]);
    expect(await states()).toEqual(["completed"]);
    const next = await service.runAccounts(ids(10), { ledger: storeLedger(below) });
    expect(next.collections.accounts).toMatchObject({
      expected: { baseline: "completed", known: 10, removed: 0 },
    });
  });

  const endings: readonly (readonly [string, () => Promise<void>, object, readonly string[]])[] = [
    [
      "does not stop a run from timing out",
      async () => clock.advance(60_000),
      { name: "TimeoutError" },
      aborted,
    ],
    [
      "does not keep a run from ending when its client is closed",
      () => driven(clock, service.sync.close()),
      { code: "CLOSED" },
      aborted,
    ],
  ];
  test.each(endings)("%s", async (_, end, error, left) => {
    const { run } = await runTo(step, { signal: timeLimit() });
    await end();
    expect(await endOf(run)).toMatchObject(error);
    expect(service.states()).toEqual(left);
  });
});

test.each(UNDER_THE_LOCK)(
  "a ledger that never answers %s does not stop a run from sending again when the lease is lost",
  async (step) => {
    const { run, slow } = await runTo(step);
    service.clock.advance(15 * 60_000);
    clock.advance(15 * 60_000);
    const end = await endOf(run);
    slow.answer();
    await turns(20);
    expect(end).toMatchObject({ restarts: 1, collections: { accounts: { expected: { removed: 0 } } } });
    expect(service.states()).toEqual(["completed", "expired", "completed"]);
    expect(await states()).toEqual(["completed"]);
  },
);

const answered = async (slow: UnansweredLedger, step: LedgerStep) => {
  slow.answer();
  await until(() => slow.done.includes(step));
};

test("deletes ids that are saved after the end of the run", async () => {
  const stop = new AbortController();
  const { run, slow } = await runTo("save", { signal: stop.signal });
  stop.abort();
  await endOf(run);
  expect(warnings).toEqual([
    expect.stringContaining("could not delete the ids"),
    "saas-management: run failed",
  ]);
  expect(slow.begun).not.toContain("discard");
  await answered(slow, "discard");
  expect(slow.done.slice(-2)).toEqual(["save", "discard"]);
  expect(await states()).toEqual(["completed"]);
});

test("a late save doesn't touch the files of the run that has the lock", async () => {
  const files = new FileStore(service.directory);
  await service.runAccounts(ids(10), { ledger: storeLedger(files) });
  const stop = new AbortController();
  const late = unanswered("save", files);
  const first = service.runAccounts(ids(10), { ledger: late.ledger, signal: stop.signal });
  first.catch(() => {});
  await until(() => late.begun.includes("save"));
  stop.abort();
  await endOf(first);

  const saving = unanswered("save", files);
  const second = service.runAccounts(ids(11), { ledger: saving.ledger });
  await until(() => saving.begun.includes("save"));
  const before = await service.files();
  late.answer();
  await until(() => late.done.includes("discard"));
  expect(await service.files()).toEqual(before);
  saving.answer();
  expect(await second).toMatchObject({ collections: { accounts: { expected: { known: 10, kept: 10 } } } });
});

test("a run returns its receipt even if its end is never stored", async () => {
  const { run } = await runTo("note");
  expect(await endOf(run)).toMatchObject({
    collections: { accounts: { stats: { sent: 11 }, ...ofSnapshots({ reported: { added: 1 } }) } },
  });
  expect(warnings).toEqual([
    expect.stringContaining("the batch was completed, but the ledger could not record it"),
  ]);
  const next = await service.runAccounts(ids(11), { ledger: storeLedger(below) });
  expect(next.collections.accounts).toMatchObject({ expected: { baseline: "unclear", known: 11 } });
});

test("a ledger that answers only after the end of the run records nothing", async () => {
  await service.run(["accounts", "plans"], writeBoth, { ledger: storeLedger(below) });
  const slow = unanswered("look 4", below);
  const run = service.run(["accounts", "plans"], writeBoth, { ledger: slow.ledger });
  await until(() => slow.begun.includes("look 4"));
  await endOf(run);
  await answered(slow, "look 4");
  await turns(20);
  expect(slow.begun).not.toContain("note");
});

test("a run returns its receipt even if releasing its approval never ends", async () => {
  await service.runAccounts(ids(10), { ledger: storeLedger(below) });
  const { approvalId } = await heldBy(service.runAccounts([], { ledger: storeLedger(below) }));
  const slow = unanswered("release", below);
  const run = service.runAccounts([], { ledger: slow.ledger, approve: approvalId });
  await until(() => slow.begun.includes("release"));
  expect(await endOf(run)).toMatchObject({
    collections: { accounts: { ...ofSnapshots({ reported: { removed: 10 } }) } },
  });
});

test("a deletion that never ends does not mask the run's error", async () => {
  const slow = unanswered("discard", below);
  service.server.faults.add({ on: "CompleteSyncBatch", fault: "status", status: "INVALID_ARGUMENT" });
  const run = service.runAccounts(ids(10), { ledger: slow.ledger });
  run.catch(() => {});
  await until(() => slow.begun.includes("discard"));
  expect(await endOf(run)).toMatchObject({ code: "SYNC_PROTOCOL" });
  expect(service.states()).toEqual(["aborted"]);
  expect(warnings).toEqual([
    expect.stringContaining("could not delete the ids"),
    "saas-management: run failed",
  ]);
});
