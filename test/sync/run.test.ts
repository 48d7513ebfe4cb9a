import {
  memoryLedger,
  type RunBatch,
  type RunOptions,
  SyncClient,
  type SyncProgress,
  TransportError,
} from "@saas-management/sdk/sync";
import { beforeEach, describe, expect, it } from "vitest";
import { quietLogger } from "../support/quiet-logger.js";
import { useReferenceServer } from "../support/reference-harness.js";
import { accounts, until } from "../support/sync-harness.js";

let warnings: string[];
beforeEach(() => {
  warnings = [];
});
const harness = useReferenceServer({ logger: quietLogger({ warn: (text) => void warnings.push(text) }) });

const options = <const S extends RunOptions["snapshots"]>(
  snapshots: S,
  more: Partial<Omit<RunOptions, "ledger">> = {},
) => ({
  installationId: harness.server.installationId,
  ledger: "none" as const,
  ...more,
  snapshots,
});
const inspect = () => harness.server.inspect(harness.server.installationId);
const usage = (...ids: string[]) =>
  ids.map((id) => ({ generic: { id, sourceActorId: "u0", lastActivity: new Date("2026-01-01T00:00:00Z") } }));
const discovered = (...actors: string[]) =>
  actors.map((sourceActorId) => ({
    generic: { sourceActorId, lastActivity: new Date("2026-01-01T00:00:00Z") },
  }));
/** Every window of the operation fails so often that its retry is used up too. */
const breakOnce = (operation: "SyncRecords" | "CompleteSyncBatch", at: "request" | "answer" = "request") => {
  for (let nth = 1; nth <= 2; nth += 1)
    harness.server.faults.add({ api: "sync", operation, nth, kind: { type: "drop", at } });
};

describe("a run", () => {
  it("completes when its function returns, and returns a receipt", async () => {
    const receipt = await harness.client.run(options(["accounts"]), async (batch) => {
      await batch.write("accounts", accounts(3));
      await batch.write("usage", usage("e1"));
    });
    expect(receipt).toMatchObject({
      batchId: inspect().batches[0]?.id,
      restarts: 0,
      waitedForLockMs: 0,
      collections: {
        accounts: { sent: 3, accepted: 3, added: 3, updated: 0, removed: 0, windows: 1, retries: 0 },
        usage: { sent: 1, accepted: 1, leftOut: 0 },
      },
    });
    expect(receipt.durationMs).toBeGreaterThan(0);
    expect(inspect().batches.map(({ state }) => state)).toEqual(["completed"]);
  });

  it("waits for writes that its function does not await", async () => {
    await harness.client.run(options(["accounts"]), (batch) => {
      void batch.write("accounts", accounts(3));
    });
    expect(harness.present()).toHaveLength(3);
  });

  it("aborts when its function throws, and gives the exception back unchanged", async () => {
    await harness.client.run(options(["accounts"]), (batch) => void batch.write("accounts", accounts(3)));
    const broken = new Error("vendor API answered 500");
    let calls = 0;
    const run = harness.client.run(options(["accounts"]), async (batch) => {
      calls += 1;
      await batch.write("accounts", accounts(1));
      throw broken;
    });
    await expect(run).rejects.toBe(broken);
    expect(calls).toBe(1);
    expect(harness.present()).toHaveLength(3);
    expect(inspect().lock).toBeNull();
    expect(inspect().batches.map(({ state }) => state)).toEqual(["completed", "aborted"]);
  });

  it("does not start anew because of an error of the connector's own, be it one of this SDK", async () => {
    const own = new TransportError("the connector's own GraphQL request failed", { retryable: true });
    let calls = 0;
    async function* source() {
      yield accounts(1);
      throw own;
    }
    const run = harness.client.run(options(["accounts"]), async (batch) => {
      calls += 1;
      await batch.write("accounts", source());
    });
    await expect(run).rejects.toBe(own);
    expect(calls).toBe(1);
  });

  it("that swallows a failed write completes nothing", async () => {
    const run = harness.client.run(options(["accounts"]), async (batch) => {
      await batch.write("accounts", [{ generic: { id: "" } }]).catch(() => {});
    });
    await expect(run).rejects.toMatchObject({ code: "BATCH_STATE", reason: "incomplete" });
    expect(inspect().batches.map(({ state }) => state)).toEqual(["aborted"]);
  });
});

describe("the batch of a run", () => {
  it.each(["complete", "abort", "close"])(
    "has no %s: called all the same, it says who does it, and nothing is completed",
    async (method) => {
      const said = /completes when its function returns and is aborted when it throws: leave .* out/;
      const run = harness.client.run(options(["accounts"]), async (batch) => {
        await batch.write("accounts", accounts(1));
        const ended = async () => Reflect.apply(Reflect.get(batch, method), batch, []);
        // Swallowed or not awaited, it must not pass for done.
        await expect(ended()).rejects.toThrow(said);
      });
      await expect(run).rejects.toMatchObject({
        code: "INVALID_INPUT",
        message: expect.stringMatching(said),
      });
      expect(inspect().batches.map(({ state }) => state)).toEqual(["aborted"]);
    },
  );
});

describe("the declaration of snapshots", () => {
  it("refuses a second write of a snapshot, which would hide that the first was a part", async () => {
    const pages = [accounts(2), accounts(1)];
    const run = harness.client.run(options(["accounts"]), (batch) => {
      for (const page of pages) void batch.write("accounts", page);
    });
    await expect(run).rejects.toThrow(/accounts was written before in this run.*once, as a whole/);
    expect(inspect().batches.map(({ state }) => state)).toEqual(["aborted"]);
  });

  it("is not what a write after the run is refused for", async () => {
    const batches: RunBatch<"accounts">[] = [];
    await harness.client.run(options(["accounts"]), async (batch) => {
      batches.push(batch);
      await batch.write("accounts", accounts(1));
    });
    expect(batches).toHaveLength(1);
    await expect(batches[0]?.write("accounts", accounts(1))).rejects.toMatchObject({
      code: "BATCH_STATE",
      reason: "completed",
    });
  });

  it("refuses an undeclared snapshot, also when the refusal is swallowed", async () => {
    const run = harness.client.run(options(["accounts"]), async (batch) => {
      await batch.write("accounts", accounts(1));
      // @ts-expect-error -- the types know the declaration
      await batch.write("plans", []).catch(() => {});
    });
    await expect(run).rejects.toThrow(/plans is a snapshot collection that the run does not declare/);
  });

  it.each([
    ["nothing", undefined, "Got undefined."],
    ["a name alone", "accounts", "Got a string."],
    ["what is no name", [17], "It holds a number."],
    ["a hole", [undefined], "It holds undefined."],
    ["a collection that there is not", ["seats"], 'There is no collection "seats".'],
    [
      "a collection that is misspelled",
      ["accounts", "group_members"],
      'There is no collection "group_members". Did you mean groupMembers?',
    ],
    [
      "a collection whose name would begin a line of its own",
      [`accounts\n\u202e${"x".repeat(900)}`],
      `There is no collection "accounts\\n\\u202e${"x".repeat(50)}"….`,
    ],
    [
      "events",
      ["usage"],
      "usage is an event collection: events are written without being declared, so leave it out.",
    ],
  ])(
    "refuses a declaration of %s before it takes the lock, and says what is wrong",
    async (_, given, told) => {
      const call = { ...options([]), snapshots: given };
      const run: Promise<unknown> = Reflect.apply(harness.client.run, harness.client, [call, () => {}]);
      const must =
        "snapshots must be a list of the snapshot collections that the run writes: accounts, plans, licenses, employees, groups, groupMembers, devices.";
      await expect(run).rejects.toMatchObject({ code: "INVALID_INPUT", message: `${must} ${told}` });
      expect(inspect().batches).toEqual([]);
    },
  );

  it.each([
    [
      "misspelled",
      "acounts",
      /^There is no collection "acounts"\. Did you mean accounts\? Collections: accounts, /,
    ],
    ["like none", "seats", /^There is no collection "seats"\. Collections: accounts, /],
    ["no name", { secret: 1 }, /^A collection is given by its name, got an object\. Collections: accounts, /],
  ])("tells the name of a collection to write that is %s", async (_, name, message) => {
    const run = harness.client.run(options([]), (batch) => Reflect.apply(batch.write, batch, [name, []]));
    await expect(run).rejects.toThrow(message);
  });

  it("says what it takes where it is called with something else", async () => {
    const run = (...args: readonly unknown[]): Promise<unknown> =>
      Reflect.apply(harness.client.run, harness.client, args);
    const example = "as in run({ installationId, snapshots, ledger }, (batch) => …)";
    await expect(run("installation")).rejects.toMatchObject({
      code: "INVALID_INPUT",
      message: `The options must be an object, ${example}, got a string.`,
    });
    await expect(run(() => {})).rejects.toThrow(/, got a function\.$/);
    await expect(run(null)).rejects.toThrow(/, got null\.$/);
    expect(inspect().batches).toEqual([]);
  });

  it("leaves nothing to abort where records are invalid: the message says what to do in a run as well", async () => {
    const write = (batch: RunBatch): Promise<unknown> =>
      Reflect.apply(batch.write, batch, ["accounts", [{ generic: { id: 17 } }]]);
    await expect(harness.client.run(options(["accounts"]), write)).rejects.toThrow(
      /correct the records, and send all of them in a new batch or run\.$/,
    );
    const swallowed = harness.client.run(options(["accounts"]), (batch) => write(batch).catch(() => {}));
    await expect(swallowed).rejects.toThrow(
      /It must be aborted, which run does by itself\. Send every snapshot in full in a new batch or run\.$/,
    );
  });

  it("says so where the function is left out", async () => {
    // @ts-expect-error -- the types demand it
    await expect(harness.client.run(options(["accounts"]))).rejects.toThrow(/run takes a function/);
  });

  it("refuses to complete when a declared snapshot could not be opened, and that was swallowed", async () => {
    const run = harness.client.run(options(["accounts"], { guard: false }), (batch) => {
      const total = Number(undefined);
      expect(() => batch.open("accounts", { expectedCount: total })).toThrow(/expectedCount must be/);
    });
    await expect(run).rejects.toThrow(/did not write accounts/);
    expect(inspect().batches.map(({ state }) => state)).toEqual(["aborted"]);
  });

  it("is what it was when the run was called, whatever becomes of its list", async () => {
    const snapshots: ("accounts" | "plans")[] = ["accounts", "plans"];
    const run = harness.client.run(options(snapshots), (batch) => batch.write("accounts", accounts(1)));
    snapshots.pop();
    await expect(run).rejects.toThrow(/declares the snapshots accounts, plans, but did not write plans/);
    expect(inspect().batches.map(({ state }) => state)).toEqual(["aborted"]);
  });

  it("refuses to complete when a declared snapshot is missing", async () => {
    const run = harness.client.run(options(["accounts", "groups"]), async (batch) => {
      await batch.write("accounts", accounts(1));
    });
    await expect(run).rejects.toThrow(/declares the snapshots accounts, groups, but did not write groups/);
    expect(harness.present()).toEqual(["u0"]);
    expect(inspect().batches.map(({ state }) => state)).toEqual(["aborted"]);
  });

  it("completes a snapshot whose seal the function did not await", async () => {
    const receipt = await harness.client.run(options(["accounts"]), (batch) => {
      const writer = batch.open("accounts");
      void writer.push(accounts(2));
      void writer.seal();
    });
    expect(receipt.collections.accounts).toMatchObject({ accepted: 2 });
    expect(harness.present()).toEqual(["u0", "u1"]);
  });

  it("refuses to complete when a declared snapshot is open and not sealed", async () => {
    const run = harness.client.run(options(["accounts"]), async (batch) => {
      await batch.open("accounts").push(accounts(1));
    });
    await expect(run).rejects.toMatchObject({ code: "BATCH_STATE", reason: "incomplete" });
  });

  it("leaves event collections alone", async () => {
    await harness.client.run(options([]), async (batch) => {
      await batch.write("usage", usage("e1"));
      await batch.write("usage", usage("e2"));
    });
    expect(inspect().events.usage).toHaveLength(2);
  });
});

describe("a batch that fails transiently", () => {
  it("is aborted and started anew: snapshots in full, and accepted events left out", async () => {
    const attempts: number[] = [];
    const receipt = await harness.client.run(options(["accounts"]), async (batch, { number }) => {
      attempts.push(number);
      await batch.write("usage", usage("e1", "e2"));
      await batch.write("externallyDiscoveredUsage", discovered("a", "a", "b"));
      if (number === 1) breakOnce("SyncRecords");
      await batch.write("accounts", accounts(4));
      await batch.write("externallyDiscoveredUsage", discovered("a"));
    });
    expect(attempts).toEqual([1, 2]);
    expect(receipt).toMatchObject({
      restarts: 1,
      collections: {
        accounts: { sent: 4, added: 4 },
        usage: { sent: 0, leftOut: 2 },
        externallyDiscoveredUsage: { sent: 1, leftOut: 3 },
      },
    });
    expect(harness.present()).toHaveLength(4);
    expect(inspect().events.usage).toHaveLength(2);
    // Three equal observations of "a" are three, and not a duplicate.
    expect(inspect().events.externallyDiscoveredUsage).toHaveLength(4);
    expect(inspect().batches.map(({ state }) => state)).toEqual(["aborted", "completed"]);
  });

  it("because its lease ran out is started anew", async () => {
    let calls = 0;
    await harness.client.run(options(["accounts"]), async (batch) => {
      calls += 1;
      if (calls === 1) harness.server.clock.advance(15 * 60_000);
      await batch.write("accounts", accounts(2));
    });
    expect(calls).toBe(2);
    expect(inspect().batches.map(({ state }) => state)).toEqual(["expired", "completed"]);
  });

  it("is not started anew before its function has returned", async () => {
    const ends: (() => void)[] = [];
    const running: number[] = [];
    const run = harness.client.run(options(["accounts"]), async (batch, { number }) => {
      running.push(number);
      if (number === 1) await new Promise<void>((resolve) => ends.push(resolve));
      else await batch.write("accounts", accounts(2));
    });
    run.catch(() => {});
    await until(() => ends.length === 1);
    harness.server.clock.advance(15 * 60_000);
    for (let turn = 0; turn < 200; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    expect(running).toEqual([1]);
    for (const end of ends) end();
    expect(await run).toMatchObject({ restarts: 1 });
    expect(running).toEqual([1, 2]);
  });

  it.each([
    ["the answer is lost", { type: "grpc-status", code: 14, at: "answer" } as const, () => {}],
    [
      "the lease ends before the answer",
      { type: "stall", at: "answer" } as const,
      () => harness.server.clock.advance(15 * 60_000),
    ],
  ])(
    'is not started anew with unknownEvents: "fail" after events without an id of which %s',
    async (_, kind, then) => {
      const { server } = harness;
      const { syncUrl, apiKey, clock } = server;
      await using client = new SyncClient({
        endpoint: syncUrl,
        apiKey,
        clock,
        timeoutMs: 60 * 60_000,
        unknownEvents: "fail",
      });
      server.faults.add({ api: "sync", operation: "SyncRecords", kind });
      const attempts: number[] = [];
      const run = client.run(options([]), async (batch, { number }) => {
        attempts.push(number);
        await batch.write("externallyDiscoveredUsage", discovered("a"));
      });
      run.catch(() => {});
      await until(() => (inspect().events.externallyDiscoveredUsage?.length ?? 0) > 0);
      then();
      await expect(run).rejects.toMatchObject({ retryable: false });
      expect(attempts).toEqual([1]);
      expect(inspect().events.externallyDiscoveredUsage).toHaveLength(1);
    },
  );

  it('is started anew with unknownEvents: "fail" where events without an id were accepted or not sent', async () => {
    const { syncUrl, apiKey, clock } = harness.server;
    const retry = { retries: 1, minDelayMs: 1, maxDelayMs: 1 };
    await using client = new SyncClient({ endpoint: syncUrl, apiKey, clock, retry, unknownEvents: "fail" });
    const receipt = await client.run(options(["accounts"]), async (batch, { number }) => {
      await batch.write("externallyDiscoveredUsage", discovered("a"));
      if (number === 1) breakOnce("SyncRecords");
      await batch.write("accounts", accounts(2));
    });
    expect(receipt.restarts).toBe(1);
    expect(inspect().events.externallyDiscoveredUsage).toHaveLength(1);
  });

  it("fails for good when the restarts are used up", async () => {
    let calls = 0;
    const run = harness.client.run(options(["accounts"], { restarts: 1 }), async (batch) => {
      calls += 1;
      breakOnce("SyncRecords");
      await batch.write("accounts", accounts(2));
    });
    await expect(run).rejects.toMatchObject({ code: "TRANSPORT_FAILED" });
    expect(calls).toBe(2);
    expect(inspect().lock).toBeNull();
  });

  it("is not started anew where the service refuses for good", async () => {
    let calls = 0;
    const run = harness.client.run(options(["accounts"]), async (batch) => {
      calls += 1;
      harness.server.faults.add({
        api: "sync",
        operation: "SyncRecords",
        kind: { type: "grpc-status", code: 3 },
      });
      await batch.write("accounts", accounts(2));
    });
    await expect(run).rejects.toMatchObject({ code: "SYNC_PROTOCOL" });
    expect(calls).toBe(1);
  });

  it("whose completion's answers were all lost is a success when the service says that it is completed", async () => {
    const receipt = await harness.client.run(options(["accounts"]), async (batch) => {
      await batch.write("accounts", accounts(2));
      breakOnce("CompleteSyncBatch", "answer");
    });
    expect(receipt).toMatchObject({ restarts: 0, collections: { accounts: { sent: 2 } } });
    expect(receipt.collections.accounts?.added).toBeUndefined();
    expect(inspect().batches.map(({ state }) => state)).toEqual(["completed"]);
  });

  it("whose completion never arrived is aborted and started anew", async () => {
    let calls = 0;
    const receipt = await harness.client.run(options(["accounts"]), async (batch) => {
      calls += 1;
      await batch.write("accounts", accounts(2));
      if (calls === 1) breakOnce("CompleteSyncBatch");
    });
    expect(receipt.restarts).toBe(1);
    expect(inspect().batches.map(({ state }) => state)).toEqual(["aborted", "completed"]);
  });

  it("that fails later does not hide that a batch of it may have been completed", async () => {
    breakOnce("CompleteSyncBatch", "answer");
    for (let nth = 1; nth <= 2; nth += 1)
      harness.server.faults.add({ api: "sync", operation: "AbortSyncBatch", nth, kind: { type: "drop" } });
    harness.server.faults.add({
      api: "sync",
      operation: "StartSyncBatch",
      nth: 2,
      kind: { type: "grpc-status", code: 16 },
    });
    const run = harness.client.run(options(["accounts"]), (batch) => batch.write("accounts", accounts(2)));
    const error = await run.catch((e: unknown) => e);
    const [batch] = inspect().batches;
    expect(batch?.state).toBe("completed");
    expect(error).toMatchObject({
      code: "BATCH_OUTCOME_UNKNOWN",
      batchId: batch?.id,
      cause: expect.objectContaining({ code: "AUTHENTICATION_FAILED" }),
    });
  });

  it("does not take an exhausted iterator for an empty snapshot", async () => {
    const once = (function* () {
      yield* accounts(2);
    })();
    const run = harness.client.run(options(["accounts"]), async (batch, { number }) => {
      if (number === 1) breakOnce("SyncRecords");
      await batch.write("accounts", once);
    });
    await expect(run).rejects.toThrow(/exhausted/);
    expect(inspect().batches.map(({ state }) => state)).toEqual(["aborted", "aborted"]);
  });

  describe("and cannot be aborted in a short outage", () => {
    const outage = (aborts: number) => {
      const { faults } = harness.server;
      const kind = { type: "grpc-status", code: 14 } as const;
      faults.add({ api: "sync", operation: "SyncRecords", times: 2, kind });
      faults.add({ api: "sync", operation: "AbortSyncBatch", times: aborts, kind });
    };
    const states = () => inspect().batches.map(({ state }) => state);

    it.each([
      ["without a ledger", () => "none" as const],
      ["with a ledger that keeps no journal", () => memoryLedger()],
    ])("is aborted before it is started anew, %s", async (_, ledger) => {
      outage(2);
      const run = harness.client.run({ ...options(["accounts"]), ledger: ledger() }, (batch) =>
        batch.write("accounts", accounts(1)),
      );
      expect(await run).toMatchObject({ restarts: 1, waitedForLockMs: 0 });
      expect(states()).toEqual(["aborted", "completed"]);
    });

    it("is aborted while the restart waits for its lock", async () => {
      outage(4);
      const { clock } = harness.server;
      const seen: string[] = [];
      const onProgress = ({ type }: SyncProgress) => void seen.push(type);
      const run = harness.client.run(options(["accounts"], { waitForLockMs: 5000, onProgress }), (batch) =>
        batch.write("accounts", accounts(1)),
      );
      run.catch(() => {});
      await until(() => seen.includes("waiting-for-lock") && states()[0] === "aborted");
      clock.advance(5000);
      expect(await run).toMatchObject({ restarts: 1 });
      expect(states()).toEqual(["aborted", "completed"]);
    });

    it("says that the lock may be its own, and what failed first, where that does not help either", async () => {
      outage(4);
      const run = harness.client.run(options(["accounts"]), (batch) => batch.write("accounts", accounts(1)));
      await expect(run).rejects.toMatchObject({
        code: "BATCH_IN_PROGRESS",
        mayBeOwn: true,
        cause: { code: "TRANSPORT_FAILED" },
      });
      expect(states()).toEqual(["active"]);
    });
  });

  it("and cannot be aborted either tells until when the lock is held, and what first went wrong is thrown", async () => {
    const seen: SyncProgress[] = [];
    const broken = new Error("the connector's own");
    const run = harness.client.run(
      options(["accounts"], { onProgress: (progress) => seen.push(progress) }),
      async () => {
        for (let nth = 1; nth <= 2; nth += 1) {
          harness.server.faults.add({
            api: "sync",
            operation: "AbortSyncBatch",
            nth,
            kind: { type: "drop" },
          });
        }
        throw broken;
      },
    );
    await expect(run).rejects.toBe(broken);
    const failed = seen.find((progress) => progress.type === "abort-failed");
    expect(failed?.lockedUntil.getTime()).toBeLessThanOrEqual(inspect().lock?.leaseExpiresAt ?? 0);
    expect(failed?.lockedUntil.getTime()).toBeGreaterThan(harness.server.clock.now());
  });
});

describe("a run that is ended from outside", () => {
  let writing: boolean;
  beforeEach(() => {
    writing = false;
  });
  const forever = () => {
    writing = true;
    return new Promise<void>(() => {});
  };

  it("by the caller's signal rejects with its reason, and the batch is aborted", async () => {
    const stop = new AbortController();
    const reason = { why: "shutdown" };
    const run = harness.client.run(options(["accounts"], { signal: stop.signal }), forever);
    await until(() => writing);
    stop.abort(reason);
    await expect(run).rejects.toBe(reason);
    expect(inspect().batches.map(({ state }) => state)).toEqual(["aborted"]);
  });

  it("by maxDurationMs rejects with a timeout, and the batch is aborted", async () => {
    const run = harness.client.run(options(["accounts"], { maxDurationMs: 60_000 }), forever);
    await until(() => writing);
    harness.server.clock.advance(60_000);
    await expect(run).rejects.toMatchObject({
      code: "TIMEOUT",
      timeoutMs: 60_000,
      message: expect.stringContaining("Raise maxDurationMs"),
    });
    expect(inspect().batches.map(({ state }) => state)).toEqual(["aborted"]);
  });

  it("by its client's close rejects with that, whatever the function waits for", async () => {
    const run = harness.client.run(options(["accounts"]), forever);
    run.catch(() => {});
    await until(() => writing);
    await harness.client.close();
    await expect(run).rejects.toMatchObject({ code: "CLOSED" });
    expect(inspect().batches.map(({ state }) => state)).toEqual(["active"]);
  });

  it("by its client's close while its function returns rejects with that too, and not for what was not written", async () => {
    let goOn = () => {};
    const waiting = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    const run = harness.client.run(options(["accounts"]), () => {
      writing = true;
      return waiting;
    });
    run.catch(() => {});
    await until(() => writing);
    goOn();
    await harness.client.close();
    await expect(run).rejects.toMatchObject({ code: "CLOSED" });
  });

  it("by the end of its lease rejects with that, where it is not started anew", async () => {
    const run = harness.client.run(options(["accounts"], { restarts: 0 }), forever);
    run.catch(() => {});
    await until(() => writing);
    harness.server.clock.advance(15 * 60_000);
    await expect(run).rejects.toMatchObject({ code: "BATCH_STATE", reason: "expired" });
  });

  it("by SIGTERM aborts the batch, where that was asked for, and leaves no handler", async () => {
    const before = process.listenerCount("SIGTERM");
    const run = harness.client.run(options(["accounts"], { signals: true }), forever);
    await until(() => writing);
    process.emit("SIGTERM", "SIGTERM");
    await expect(run).rejects.toMatchObject({ code: "CLOSED", message: expect.stringContaining("SIGTERM") });
    expect(inspect().batches.map(({ state }) => state)).toEqual(["aborted"]);
    expect(process.listenerCount("SIGTERM")).toBe(before);
  });
});

describe("a run that listens for signals", () => {
  const listeners = () => [process.listenerCount("SIGINT"), process.listenerCount("SIGTERM")];

  it("shares one handler with all others of the process, and the last one takes it off", async () => {
    const before = listeners();
    const during: number[][] = [];
    const all = Array.from({ length: 12 }, () =>
      harness.client.run(
        {
          ...options(["accounts"], { signals: true }),
          installationId: harness.server.createInstallation(),
        },
        async (batch) => {
          await batch.write("accounts", accounts(1));
          during.push(listeners());
        },
      ),
    );
    await Promise.all(all);
    expect(during).toEqual(Array(12).fill(before.map((count) => count + 1)));
    expect(listeners()).toEqual(before);
  });

  it("is aborted with all others, and one that ended before is none of them", async () => {
    await harness.client.run(options([], { signals: true }), () => {});
    const ids = [harness.server.createInstallation(), harness.server.createInstallation()];
    let writing = 0;
    const all = ids.map((installationId) =>
      harness.client.run({ ...options(["accounts"], { signals: true }), installationId }, () => {
        writing += 1;
        return new Promise(() => {});
      }),
    );
    const ended = Promise.allSettled(all);
    await until(() => writing === 2);
    process.emit("SIGINT", "SIGINT");
    const closed = { status: "rejected", reason: expect.objectContaining({ code: "CLOSED" }) };
    expect(await ended).toEqual([closed, closed]);
    for (const id of ids) expect(harness.server.inspect(id).batches[0]?.state).toBe("aborted");
  });

  it("leaves no handler and no timer where its signal is none", async () => {
    const before = listeners();
    const sleeping = harness.server.clock.sleeping;
    const given = { ...options([], { signals: true, maxDurationMs: 60_000 }), signal: {} };
    const run: unknown = Reflect.apply(harness.client.run, harness.client, [given, () => {}]);
    await expect(run).rejects.toMatchObject({
      code: "INVALID_INPUT",
      message: "signal must be an AbortSignal.",
    });
    expect(listeners()).toEqual(before);
    expect(harness.server.clock.sleeping).toBe(sleeping);
  });
});

describe("a run that is ended while CompleteSyncBatch is done and its answer does not come", () => {
  /** How the run ends. */
  const endOf = async (
    more: Partial<Omit<RunOptions, "ledger">>,
    end: () => void,
    { abort }: { readonly abort: "answered" | "lost" },
  ) => {
    const { faults, clock } = harness.server;
    const kind = { type: "stall", at: "answer" } as const;
    const stall = faults.add({ api: "sync", operation: "CompleteSyncBatch", kind });
    if (abort === "lost")
      faults.add({ api: "sync", operation: "AbortSyncBatch", times: 20, kind: { type: "drop" } });
    const run = harness.client
      .run(options(["accounts"], more), (batch) => batch.write("accounts", accounts(2)))
      .catch((error: unknown) => error);
    await until(() => stall.firings > 0 && inspect().batches[0]?.state === "completed");
    end();
    clock.advance(100_000);
    return run;
  };
  const ways = [
    ["SIGTERM", { signals: true }, () => process.emit("SIGTERM", "SIGTERM"), { code: "CLOSED" }],
    [
      "maxDurationMs",
      { maxDurationMs: 60_000 },
      () => harness.server.clock.advance(60_000),
      { code: "TIMEOUT", message: expect.stringContaining("Raise maxDurationMs") },
    ],
  ] as const;

  it.each(ways)(
    "by %s says that the outcome is not known, and what ended it",
    async (_, more, end, cause) => {
      expect(await endOf(more, end, { abort: "lost" })).toMatchObject({
        code: "BATCH_OUTCOME_UNKNOWN",
        batchId: inspect().batches[0]?.id,
        cause: expect.objectContaining(cause),
      });
    },
  );

  it.each(ways)("by %s is completed where the service says so", async (_, more, end) => {
    const receipt = { restarts: 0, collections: { accounts: { sent: 2 } } };
    expect(await endOf(more, end, { abort: "answered" })).toMatchObject(receipt);
  });

  it("by its client's close says that the outcome is not known, and what ended it", async () => {
    const end = () => void harness.client.close();
    expect(await endOf({}, end, { abort: "answered" })).toMatchObject({
      code: "BATCH_OUTCOME_UNKNOWN",
      batchId: inspect().batches[0]?.id,
      cause: expect.objectContaining({ code: "CLOSED" }),
    });
  });

  it("by the caller's signal rejects with its reason, and a warning tells that the outcome is not known", async () => {
    const reason = new TransportError("the caller's own", { retryable: true });
    const stop = new AbortController();
    const end = () => stop.abort(reason);
    expect(await endOf({ signal: stop.signal }, end, { abort: "lost" })).toBe(reason);
    expect(warnings).toContainEqual(
      expect.stringContaining("CompleteSyncBatch of a batch of this run was sent, and whether"),
    );
  });
});

it.each([
  [{ restarts: -1 }, /restarts/],
  [{ restarts: 0.5 }, /restarts/],
  [{ maxDurationMs: 0 }, /maxDurationMs/],
  [{ installationId: "" }, /installationId/],
])("refuses %j", async (wrong, message) => {
  await expect(harness.client.run(options([], wrong), () => {})).rejects.toThrow(message);
});
