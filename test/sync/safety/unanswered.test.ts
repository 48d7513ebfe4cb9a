import {
  fileLedger,
  type Ledger,
  memoryLedger,
  type RunFunction,
  type RunOptions,
  TestClock,
} from "@saas-management/sdk/sync";
import { beforeEach, describe, expect, it } from "vitest";
import { heldBy, ids, records, useSafetyHarness } from "../../support/safety-harness.js";
import { until } from "../../support/sync-harness.js";
import { type LedgerStep, type UnansweredLedger, unanswered } from "../../support/unanswered.js";

const clock = new TestClock({ startAt: 1_700_000_000_000 });
let told: string[];
const note = (message: string) => void told.push(message);
const harness = useSafetyHarness({
  // The server's clock goes on by itself; this one only ends what the tests mean to end.
  clock,
  timeoutMs: 100_000_000,
  logger: { debug: () => {}, info: () => {}, warn: note, error: note },
});
const scope = () => ({
  endpoint: new URL(harness.server.syncUrl).origin,
  installationId: harness.server.installationId,
  collection: "accounts" as const,
});

/** How a run ends while the clock goes on, which is all that it may wait for. */
async function endOf(run: Promise<unknown>): Promise<unknown> {
  let end: { readonly of: unknown } | undefined;
  run.then(
    (of) => {
      end = { of };
    },
    (of: unknown) => {
      end = { of };
    },
  );
  for (let turn = 0; end === undefined && turn < 20_000; turn += 1) {
    clock.advance(1000);
    await turns(1);
  }
  if (end === undefined) throw new Error("the run has not ended");
  return end.of;
}

/** Turns of the event loop, for what must not happen. */
async function turns(count: number): Promise<void> {
  for (let i = 0; i < count; i += 1) await new Promise((resolve) => setImmediate(resolve));
}

const writeBoth: RunFunction<"accounts" | "groups"> = async (batch) => {
  await batch.write("accounts", records(ids(3)));
  await batch.write("groups", []);
};

let below: ReturnType<typeof memoryLedger>;
beforeEach(() => {
  told = [];
  below = memoryLedger();
});

/** A run that comes to the step, after one that made a baseline of ten ids. */
async function runTo(step: LedgerStep, options: Partial<RunOptions<"accounts">> = {}) {
  await harness.accounts(ids(10), { ledger: below });
  const slow = unanswered(step, below);
  const held = step === "held" || step === "hold";
  const run = harness.accounts(held ? [] : ids(11), {
    ...(step === "held" ? { approveRemovals: "an approval" } : {}),
    ...options,
    ledger: slow.ledger,
  });
  run.catch(() => {});
  await until(() => slow.begun.includes(step));
  return { run, slow };
}

const STEPS = ["draft", "known", "lines", "held", "hold", "save"] as const;

describe.each(STEPS)("a ledger that never answers %s", (step) => {
  it("does not keep a run from ending with its signal: nothing is completed, and the lock is free", async () => {
    const stop = new AbortController();
    const reason = { why: "shutdown" };
    const { run } = await runTo(step, { signal: stop.signal });
    stop.abort(reason);
    expect(await endOf(run)).toBe(reason);
    expect(harness.states()).toEqual(["completed", "aborted"]);
  });

  it("does not keep a run from ending with its time: nothing is completed, and the lock is free", async () => {
    const { run } = await runTo(step, { maxDurationMs: 60_000 });
    clock.advance(60_000);
    expect(await endOf(run)).toMatchObject({ code: "TIMEOUT", timeoutMs: 60_000 });
    expect(harness.states()).toEqual(["completed", "aborted"]);
  });

  it("does not keep a run from ending when its client is closed: nothing is completed", async () => {
    const { run } = await runTo(step);
    await harness.client.close();
    expect(await endOf(run)).toMatchObject({ code: "CLOSED" });
    expect(harness.states()).toEqual(["completed", "active"]);
  });

  it("does not keep a run from starting anew when the lease is lost", async () => {
    const { run, slow } = await runTo(step);
    harness.server.clock.advance(15 * 60_000);
    clock.advance(15 * 60_000);
    const end = await endOf(run);
    // What the first attempt waited for comes now, and counts no more.
    slow.answer();
    await turns(20);
    if (step === "held" || step === "hold") expect(end).toMatchObject({ code: "REMOVAL_GUARD" });
    else expect(end).toMatchObject({ restarts: 1, collections: { accounts: { gone: 0 } } });
    expect(harness.states().slice(0, 2)).toEqual(["completed", "expired"]);
    expect((await below.known(scope())).map(({ state }) => state)).toEqual(["completed"]);
  });

  it("leaves the next run with what was completed before, whenever it answers", async () => {
    const stop = new AbortController();
    const { run, slow } = await runTo(step, { signal: stop.signal });
    stop.abort();
    await endOf(run);
    slow.answer();
    await turns(20);
    expect((await below.known(scope())).map(({ state }) => state)).toEqual(["completed"]);
    const next = await harness.accounts(ids(10), { ledger: below });
    expect(next.collections.accounts).toMatchObject({ baseline: "ledger", known: 10, gone: 0 });
  });
});

describe("what a ledger is asked to keep", () => {
  const ended = async (slow: UnansweredLedger, step: LedgerStep) => {
    slow.answer();
    await until(() => slow.done.includes(step));
  };

  it("and keeps only after the run's end is forgotten then", async () => {
    const stop = new AbortController();
    const { run, slow } = await runTo("save", { signal: stop.signal });
    stop.abort();
    await endOf(run);
    expect(told).toEqual(["saas-management: the ledger could not forget a batch that was aborted"]);
    expect(slow.begun).not.toContain("discard");
    await ended(slow, "discard");
    expect(slow.done.slice(-2)).toEqual(["save", "discard"]);
    expect((await below.known(scope())).map(({ state }) => state)).toEqual(["completed"]);
  });

  it("and begins to keep only after the run's end is forgotten then", async () => {
    const stop = new AbortController();
    const { run, slow } = await runTo("draft", { signal: stop.signal });
    stop.abort();
    await endOf(run);
    await ended(slow, "discard");
    expect(slow.done).toEqual(["draft", "discard"]);
  });
});

describe("an answer of the ledger that comes after the run's end", () => {
  it.each(["known", "lines", "held"] as const)("to %s is not used", async (step) => {
    const stop = new AbortController();
    const progress: string[] = [];
    const { run, slow } = await runTo(step, {
      signal: stop.signal,
      onProgress: ({ type }) => progress.push(type),
    });
    stop.abort();
    await endOf(run);
    const { length } = slow.begun;
    slow.answer();
    await turns(20);
    expect(slow.begun.slice(length)).toEqual([]);
    expect(progress).not.toContain("removals-checked");
  });
});

describe("a draft of fileLedger that is begun only after its run's end", () => {
  it("leaves alone what the run that holds the lock by then has in the middle", async () => {
    const files = fileLedger(harness.directory);
    await harness.accounts(ids(10), { ledger: files });
    const stop = new AbortController();
    const late = unanswered("draft", files);
    const first = harness.accounts(ids(10), { ledger: late.ledger, signal: stop.signal });
    first.catch(() => {});
    await until(() => late.begun.includes("draft"));
    stop.abort();
    await endOf(first);

    let goOn = () => {};
    const waiting = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    const slow: Ledger = {
      ...files,
      hold: (scope, approval) => {
        async function* lines() {
          yield* approval.lines();
          await waiting;
        }
        return files.hold(scope, { ...approval, lines });
      },
    };
    const second = heldBy(harness.accounts([], { ledger: slow }));
    const inTheMiddle = async () => (await harness.files()).filter((path) => /\.(draft|tmp)$/.test(path));
    // The ids that it sent, and the list of those that it would remove.
    await until(async () => (await inTheMiddle()).length === 2);
    const before = await inTheMiddle();
    late.answer();
    await until(() => late.done.includes("discard"));
    expect(await inTheMiddle()).toEqual(before);
    goOn();
    expect(await second).toMatchObject({ approvalId: expect.any(String) });
  });
});

describe("a ledger that never answers what cleans up", () => {
  it("does not keep a completed run from its receipt, and the next run is guarded against both", async () => {
    const { run } = await runTo("promote");
    expect(await endOf(run)).toMatchObject({ collections: { accounts: { sent: 11, added: 1 } } });
    expect(told).toEqual([
      "saas-management: the batch was completed, but the ledger could not note it; the next run is guarded against both",
    ]);
    expect(harness.states()).toEqual(["completed", "completed"]);
    const next = await harness.accounts(ids(11), { ledger: below });
    expect(next.collections.accounts).toMatchObject({ baseline: "unclear", known: 11 });
  });

  it("is asked for nothing more once the run went on without it", async () => {
    await harness.run(["accounts", "groups"], writeBoth, { ledger: below });
    const slow = unanswered("promote", below);
    const run = harness.run(["accounts", "groups"], writeBoth, { ledger: slow.ledger });
    await until(() => slow.begun.includes("promote"));
    await endOf(run);
    slow.answer();
    await until(() => slow.done.includes("promote"));
    await turns(20);
    expect(slow.begun.filter((step) => step === "promote")).toHaveLength(1);
  });

  it("does not keep a completed run from its receipt where an approval is used up", async () => {
    await harness.accounts(ids(10), { ledger: below });
    const held: unknown = await harness.accounts([], { ledger: below }).catch((error: unknown) => error);
    expect(held).toMatchObject({ approvalId: expect.any(String) });
    const approvalId = (await below.held(scope()))?.id;
    const slow = unanswered("release", below);
    const run = harness.accounts([], { ledger: slow.ledger, approveRemovals: approvalId });
    await until(() => slow.begun.includes("release"));
    expect(await endOf(run)).toMatchObject({ collections: { accounts: { removed: 10 } } });
    expect(told).toHaveLength(1);
  });

  it("does not hide what a run failed with", async () => {
    const slow = unanswered("discard", below);
    const broken = new Error("the connector's own");
    const run = harness.run(["accounts"], () => Promise.reject(broken), { ledger: slow.ledger });
    run.catch(() => {});
    await until(() => slow.begun.includes("discard"));
    expect(await endOf(run)).toBe(broken);
    expect(harness.states()).toEqual(["aborted"]);
    expect(told).toEqual(["saas-management: the ledger could not forget a batch that was aborted"]);
  });
});
