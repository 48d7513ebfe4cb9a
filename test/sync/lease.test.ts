import { Metadata } from "@grpc/grpc-js";
import { type SyncProgress, TestClock } from "@saas-management/sdk/sync";
import { describe, expect, it } from "vitest";
import { SyncRecordsRequest } from "../../src/sync/generated/saas_management/sync/v1/sync_service.js";
import { observedHooks } from "../support/observed.js";
import { rejection } from "../support/promises.js";
import { recordsOf } from "../support/scripted-sync-server.js";
import { accounts, until, useScriptedServer } from "../support/sync-harness.js";

const MINUTE = 60_000;
const harness = useScriptedServer();

async function start(options: Parameters<typeof harness.startBatch>[1] = {}) {
  const clock = new TestClock({ startAt: Date.UTC(2026, 0, 1) });
  const seen: SyncProgress[] = [];
  const batch = await harness.startBatch(
    { clock, timeoutMs: 60 * MINUTE },
    { onProgress: (progress) => seen.push(progress), ...options },
  );
  return { batch, clock, seen };
}

describe("the lease", () => {
  it("warns once when four fifths are over, and fires the batch's signal when it is lost", async () => {
    const { batch, clock, seen } = await start();
    clock.advance(12 * MINUTE);
    expect(seen).toEqual([{ type: "lease-warning", remainingMs: 3 * MINUTE }]);
    expect(batch.signal.aborted).toBe(false);
    clock.advance(3 * MINUTE);
    expect(seen).toHaveLength(1);
    expect(batch.signal.aborted).toBe(true);
    expect(batch.signal.reason).toMatchObject({ code: "BATCH_STATE", reason: "expired" });
    expect(batch.state).toBe("expired");
  });

  it("that is renewed neither warns nor ends", async () => {
    const { batch, clock, seen } = await start();
    for (let i = 0; i < 5; i += 1) {
      clock.advance(10 * MINUTE);
      await batch.write("accounts", accounts(1));
    }
    expect(seen.filter(({ type }) => type === "lease-warning")).toEqual([]);
    expect(batch.signal.aborted).toBe(false);
  });

  it("that is lost ends the write in flight, and nothing can be completed", async () => {
    const { batch, clock } = await start();
    async function* silent() {
      yield accounts(1);
      await new Promise(() => {});
    }
    const write = batch.write("accounts", silent());
    await until(() => batch.writes[0]?.state === "writing");
    clock.advance(15 * MINUTE);
    await expect(write).rejects.toMatchObject({ code: "BATCH_STATE", reason: "expired" });
    await expect(batch.complete()).rejects.toMatchObject({ code: "BATCH_STATE", reason: "expired" });
  });

  it("that is lost ends each open collection with an error that tells of its own records", async () => {
    const clock = new TestClock({ startAt: 0 });
    const batch = await harness.startBatch({ clock, messageBytes: 300, windowBytes: 300 });
    const [people, groups] = [batch.open("accounts"), batch.open("groups")];
    await people.push(accounts(5));
    await groups.push([]);
    await until(() => batch.writes[0]?.accepted !== 0);
    clock.advance(15 * MINUTE);
    const errors = [await rejection(groups.seal()), await rejection(people.seal())];
    expect(errors).toMatchObject([
      { reason: "expired", outcomes: [] },
      { reason: "expired", outcomes: [{ outcome: "accepted", firstIndex: 0 }] },
    ]);
  });

  it("that is lost within the pause before a retry ends the write: nothing is sent after it", async () => {
    harness.server.scripts.SyncRecords.push({ code: 14, details: "connection dropped" });
    const clock = new TestClock({ startAt: 0 });
    const seen: SyncProgress[] = [];
    const batch = await harness.startBatch(
      {
        clock,
        timeoutMs: 60 * MINUTE,
        retry: { retries: 3, minDelayMs: 30 * MINUTE, maxDelayMs: 30 * MINUTE },
      },
      { onProgress: (progress) => seen.push(progress) },
    );
    const write = batch.write("accounts", accounts(1));
    await until(() => seen.some(({ type }) => type === "retry"));
    clock.advance(15 * MINUTE);
    await expect(write).rejects.toMatchObject({ code: "BATCH_STATE", reason: "expired" });
    clock.advance(30 * MINUTE);
    await new Promise((resolve) => setImmediate(resolve));
    expect(harness.server.streams).toHaveLength(1);
    expect(batch.state).toBe("expired");
  });

  it("is suspect when the wall clock jumped ahead of the monotonic one, as after a suspend", async () => {
    const clock = new TestClock({ startAt: 0 });
    let suspendedFor = 0;
    const now = clock.now.bind(clock);
    clock.now = () => now() + suspendedFor;
    const batch = await harness.startBatch({ clock });
    suspendedFor = 20 * MINUTE;
    expect(batch.state).toBe("expired");
    suspendedFor = -20 * MINUTE;
    expect(batch.state).toBe("active");
  });

  it("that is over by the service's word is over, whatever was counted here", async () => {
    const { batch } = await start();
    const metadata = new Metadata();
    metadata.set("batch-state", "expired");
    harness.server.scripts.SyncRecords.push({ code: 9, details: "", metadata });
    await expect(batch.write("accounts", accounts(1))).rejects.toMatchObject({ reason: "expired" });
    expect(batch.state).toBe("expired");
    expect(batch.lease.remainingMs).toBe(0);
  });

  it("ends with the first call that the wall clock refuses: a message that is accepted later renews nothing", async () => {
    const { batch, clock } = await start();
    let answer = () => {};
    harness.server.beforeAnswer = () =>
      new Promise<void>((resolve) => {
        answer = resolve;
      });
    const write = batch.write("accounts", accounts(1));
    write.catch(() => {});
    await until(() => harness.server.streams.length === 1);
    const now = clock.now.bind(clock);
    clock.now = () => now() + 16 * MINUTE;
    await expect(batch.write("usage", [])).rejects.toMatchObject({ code: "BATCH_STATE", reason: "expired" });
    expect(batch.signal.aborted).toBe(true);
    expect(batch.failure).toMatchObject({ code: "BATCH_STATE", reason: "expired" });
    answer();
    await expect(write).rejects.toMatchObject({ code: "BATCH_STATE", reason: "expired" });
    expect(batch.state).toBe("expired");
  });

  it("that is over when the start is answered is told by the batch, and its lock can be released", async () => {
    const clock = new TestClock({ startAt: 0 });
    harness.server.beforeStart = async () => clock.advance(16 * MINUTE);
    const seen: SyncProgress[] = [];
    const batch = await harness.startBatch(
      { clock, timeoutMs: 60 * MINUTE },
      { keepAlive: { maxIdleMs: 60 * MINUTE }, onProgress: (progress) => seen.push(progress) },
    );
    expect(batch.state).toBe("expired");
    expect(batch.signal.reason).toMatchObject({ code: "BATCH_STATE", reason: "expired" });
    await expect(batch.write("accounts", accounts(1))).rejects.toMatchObject({ reason: "expired" });
    await batch.abort();
    expect(harness.server.calls).toEqual(["StartSyncBatch", "AbortSyncBatch"]);
    expect(seen).toEqual([]);
    expect(clock.sleeping).toBe(0);
  });

  it("leaves no timer when the handle is closed at its warning", async () => {
    const closing = { now: () => {} };
    const { batch, clock } = await start({ onProgress: () => closing.now() });
    closing.now = () => batch.close();
    clock.advance(12 * MINUTE);
    expect(batch.state).toBe("closed");
    expect(clock.sleeping).toBe(0);
  });

  it("leaves no timer when the handle is closed", async () => {
    const { batch, clock } = await start({ keepAlive: { maxIdleMs: 60 * MINUTE } });
    await batch.write("accounts", accounts(3));
    expect(clock.sleeping).toBeGreaterThan(0);
    batch.close();
    expect(clock.sleeping).toBe(0);
  });
});

describe("a slow source", () => {
  it("has the records that it gave sent after flushAfterMs, so that they do not wait for the lease to run out", async () => {
    const { batch, clock } = await start();
    let more = () => {};
    async function* slow() {
      yield accounts(2);
      await new Promise<void>((resolve) => {
        more = resolve;
      });
      yield accounts(3);
    }
    const write = batch.write("accounts", slow());
    await until(() => clock.sleeping === 2);
    clock.advance(5 * MINUTE - 1);
    expect(harness.server.streams).toHaveLength(0);
    clock.advance(1);
    await until(() => batch.writes[0]?.accepted === 2);
    expect(batch.lease.remainingMs).toBe(15 * MINUTE);
    more();
    await expect(write).resolves.toMatchObject({ accepted: 5, messages: 2, sourceWaitMs: 5 * MINUTE });
  });
});

describe("a collection that is sealed long after its last record was sent", () => {
  it("sends nothing more, and renews no lease", async () => {
    const { batch, clock, seen } = await start();
    const users = batch.open("accounts");
    await users.push(accounts(2));
    clock.advance(5 * MINUTE);
    await until(() => batch.writes[0]?.accepted === 2);
    clock.advance(10 * MINUTE);
    await expect(users.seal()).resolves.toMatchObject({ accepted: 2, windows: 1 });
    expect(batch.lease.remainingMs).toBe(5 * MINUTE);
    expect(harness.server.streams).toHaveLength(1);
    expect(seen.filter(({ type }) => type === "window-accepted")).toHaveLength(1);
  });
});

describe("a source that stalls", () => {
  it.each([1, 4, 5, 7, 9, 10])(
    "after %i records has all of them sent after flushAfterMs, in order and in windows of the right size",
    async (count) => {
      const clock = new TestClock({ startAt: 0 });
      const batch = await harness.startBatch({
        clock,
        messageBytes: 250,
        windowBytes: 250,
        flushAfterMs: 1000,
      });
      async function* stalling() {
        yield accounts(count);
        await new Promise(() => {});
      }
      batch.write("accounts", stalling());
      await until(() => batch.writes[0]?.state === "writing" && clock.sleeping >= 2);
      // A timer may be set anew while windows go out.
      for (let turns = 0; turns < 20; turns += 1) {
        clock.advance(1000);
        for (let ticks = 0; ticks < 20; ticks += 1) await new Promise((resolve) => setImmediate(resolve));
      }
      await until(() => batch.writes[0]?.accepted === count);
      const messages = harness.server.streams.flatMap((stream) => stream.messages);
      const ids = messages
        .flatMap(recordsOf)
        .map((record) => /"id":"(u\d+)"/.exec(JSON.stringify(record))?.[1]);
      expect(ids).toEqual(accounts(count).map(({ generic }) => generic.id));
      for (const { messages: window } of harness.server.streams) {
        expect(window.reduce((sum, bytes) => sum + bytes.length, 0)).toBeLessThanOrEqual(250);
      }
      batch.close();
    },
  );
});

describe("a source whose records come while the service does not answer", () => {
  it("has them sent together when it does, however often flushAfterMs was over", async () => {
    const clock = new TestClock({ startAt: 0 });
    const batch = await harness.startBatch({ clock, flushAfterMs: 1000 });
    let answer = () => {};
    const answered = new Promise<void>((resolve) => {
      answer = resolve;
    });
    harness.server.beforeAnswer = () => answered;
    async function* dripping() {
      for (const [i, account] of accounts(20).entries()) {
        yield account;
        await until(() => harness.server.streams.length === Math.min(i, 1) && clock.sleeping >= 2);
        clock.advance(1000);
        if (i === 0) await until(() => harness.server.streams.length === 1);
      }
      answer();
    }
    await expect(batch.write("accounts", dripping())).resolves.toMatchObject({ accepted: 20, windows: 2 });
    batch.close();
  });
});

describe("keepAlive", () => {
  it("renews the lease with empty messages of an event collection while the source is silent, up to maxIdleMs", async () => {
    const { batch, clock } = await start({ keepAlive: { maxIdleMs: 20 * MINUTE } });
    for (let sent = 1; sent <= 2; sent += 1) {
      clock.advance(7.5 * MINUTE);
      await until(() => harness.server.streams.length === sent && batch.lease.remainingMs === 15 * MINUTE);
    }
    const messages = harness.server.streams.flatMap((stream) => stream.messages);
    expect(messages.map((bytes) => SyncRecordsRequest.decode(bytes).collection?.$case)).toEqual([
      "usage",
      "usage",
    ]);
    expect(messages.flatMap(recordsOf)).toEqual([]);
    clock.advance(7.5 * MINUTE);
    clock.advance(7.5 * MINUTE);
    expect(batch.state).toBe("expired");
    expect(harness.server.streams).toHaveLength(2);
  });

  it("tells the hooks which collection its messages are of", async () => {
    const { hooks, responses } = observedHooks();
    const clock = new TestClock({ startAt: 0 });
    const batch = await harness.startBatch({ clock, ...hooks }, { keepAlive: { maxIdleMs: 20 * MINUTE } });
    clock.advance(7.5 * MINUTE);
    await until(() => responses.length === 2);
    expect(responses[1]).toMatchObject({ operation: "SyncRecords", collection: "usage", outcome: "success" });
    batch.close();
  });

  it("goes on after messages that failed, as long as the lease has time", async () => {
    const { hooks, responses } = observedHooks();
    const clock = new TestClock({ startAt: 0 });
    const batch = await harness.startBatch(
      { clock, retry: false, ...hooks },
      { keepAlive: { maxIdleMs: 60 * MINUTE } },
    );
    harness.server.scripts.SyncRecords.push({ code: 14 }, { code: 14 });
    clock.advance(7.5 * MINUTE);
    for (let failed = 1; failed <= 2; failed += 1) {
      await until(() => responses.filter(({ outcome }) => outcome === "failure").length === failed);
      clock.advance(MINUTE / 2);
    }
    await until(() => batch.lease.remainingMs === 15 * MINUTE);
    expect(harness.server.streams).toHaveLength(3);
    batch.close();
    expect(clock.sleeping).toBe(0);
  });

  it("sends no message beside the completion: the completion waits for the one that is on its way", async () => {
    const { batch, clock } = await start({ keepAlive: { maxIdleMs: 60 * MINUTE } });
    await batch.write("accounts", accounts(1));
    let answer = () => {};
    harness.server.beforeAnswer = () =>
      new Promise<void>((resolve) => {
        answer = resolve;
      });
    clock.advance(7.5 * MINUTE);
    await until(() => harness.server.streams[1]?.messages.length === 1);
    const completed = batch.complete();
    await until(() => batch.state === "completing");
    await new Promise((resolve) => setImmediate(resolve));
    expect(harness.server.calls).not.toContain("CompleteSyncBatch");
    answer();
    await completed;
    expect(harness.server.calls).toContain("CompleteSyncBatch");
  });

  it("sends no message beside the completion: one that is due meanwhile waits, and is dropped when it is done", async () => {
    const { batch, clock } = await start({ keepAlive: { maxIdleMs: 60 * MINUTE } });
    let answer = () => {};
    harness.server.beforeCompletion = () =>
      new Promise<void>((resolve) => {
        answer = resolve;
      });
    const completed = batch.complete();
    await until(() => harness.server.calls.includes("CompleteSyncBatch"));
    clock.advance(7.5 * MINUTE);
    await new Promise((resolve) => setImmediate(resolve));
    answer();
    await completed;
    await until(() => clock.sleeping === 0);
    expect(harness.server.streams).toHaveLength(0);
  });

  it("renews the lease again after a silence longer than maxIdleMs, when something was written", async () => {
    const { batch, clock } = await start({ keepAlive: { maxIdleMs: 10 * MINUTE } });
    for (let sent = 1; sent <= 2; sent += 1) {
      clock.advance(7.5 * MINUTE);
      if (sent === 1) await until(() => batch.lease.remainingMs === 15 * MINUTE);
    }
    clock.advance(MINUTE);
    expect(harness.server.streams).toHaveLength(1);
    await batch.write("accounts", accounts(1));
    for (let step = 0; step < 15 && harness.server.streams.length < 3; step += 1) {
      clock.advance(MINUTE / 2);
      await new Promise((resolve) => setImmediate(resolve));
    }
    await until(() => harness.server.streams.length === 3 && batch.lease.remainingMs > 14 * MINUTE);
    batch.close();
    expect(clock.sleeping).toBe(0);
  });

  it("ends with the service's word that the lease is over, and the batch with it", async () => {
    const { batch, clock } = await start({ keepAlive: { maxIdleMs: 60 * MINUTE } });
    const metadata = new Metadata();
    metadata.set("batch-state", "expired");
    harness.server.scripts.SyncRecords.push({ code: 9, details: "lease over", metadata });
    clock.advance(7.5 * MINUTE);
    await until(() => batch.signal.aborted);
    expect(batch.signal.reason).toMatchObject({ code: "BATCH_STATE", reason: "expired" });
    expect(batch.state).toBe("expired");
    await until(() => clock.sleeping === 0);
  });

  it("sends nothing while the batch writes often enough", async () => {
    const { batch, clock } = await start({ keepAlive: { maxIdleMs: 20 * MINUTE } });
    for (let i = 0; i < 4; i += 1) {
      clock.advance(5 * MINUTE);
      await batch.write("accounts", accounts(1));
    }
    expect(harness.server.streams).toHaveLength(4);
  });

  it.each([0, -1, Number.NaN, Number.POSITIVE_INFINITY])("refuses maxIdleMs %s", async (maxIdleMs) => {
    await expect(start({ keepAlive: { maxIdleMs } })).rejects.toMatchObject({ code: "INVALID_INPUT" });
    expect(harness.server.calls).toEqual([]);
  });
});
