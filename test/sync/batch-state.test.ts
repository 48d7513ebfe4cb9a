import {
  BatchOutcomeUnknownError,
  BatchStateError,
  ClosedError,
  type SyncBatch,
  type SyncClient,
  TestClock,
} from "@saas-management/sdk/sync";
import { describe, expect, it } from "vitest";
import { accounts, until, useScriptedServer } from "../support/sync-harness.js";

const harness = useScriptedServer();
const { startBatch } = harness;
const LOST = { code: 14, details: "connection dropped" };

/** A source that gives one record and then nothing more until it is released. */
function stuckSource() {
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  let returned = 0;
  let pulls = 0;
  const source = {
    [Symbol.asyncIterator]: () => {
      let given = false;
      return {
        next: async () => {
          pulls += 1;
          if (!given) {
            given = true;
            return { done: false as const, value: accounts(1) };
          }
          await released;
          return { done: true as const, value: undefined };
        },
        return: async () => {
          returned += 1;
          return { done: true as const, value: undefined };
        },
      };
    },
  };
  return { source, release, returned: () => returned, stuck: () => until(() => pulls === 2) };
}

describe("complete", () => {
  it("waits for queued writes and then refuses every call", async () => {
    const batch = await startBatch();
    const write = batch.write("accounts", accounts(3));
    await batch.complete();
    await expect(write).resolves.toMatchObject({ accepted: 3 });
    expect(batch.state).toBe("completed");
    for (const call of [() => batch.write("accounts", []), () => batch.complete(), () => batch.abort()]) {
      await expect(call()).rejects.toMatchObject({
        code: "BATCH_STATE",
        reason: "completed",
        state: "completed",
      });
    }
    expect(harness.server.calls).toEqual(["StartSyncBatch", "CompleteSyncBatch"]);
  });

  it("refuses after a failed write, and sends nothing", async () => {
    const batch = await startBatch();
    const broken = new Error("vendor API answered 500");
    async function* source() {
      yield accounts(1);
      throw broken;
    }
    await expect(batch.write("accounts", source())).rejects.toBe(broken);
    await expect(batch.complete()).rejects.toBeInstanceOf(BatchStateError);
    await expect(batch.complete()).rejects.toMatchObject({ reason: "incomplete" });
    await expect(batch.write("plans", [])).rejects.toMatchObject({ reason: "incomplete" });
    expect(harness.server.calls).not.toContain("CompleteSyncBatch");
    await batch.abort();
    expect(batch.state).toBe("aborted");
  });

  it("refuses when a write that nobody awaited fails while it waits", async () => {
    const batch = await startBatch();
    batch.write("accounts", [{ generic: { id: "" } }]);
    await expect(batch.complete()).rejects.toMatchObject({ reason: "incomplete" });
    expect(harness.server.calls).not.toContain("CompleteSyncBatch");
  });

  it("asks again when the answer is lost, and takes the service's word that the batch is completed", async () => {
    const { Metadata } = await import("@grpc/grpc-js");
    const metadata = new Metadata();
    metadata.set("batch-state", "completed");
    harness.server.scripts.CompleteSyncBatch.push(LOST, { code: 9, details: "not active", metadata });
    const batch = await startBatch();
    await expect(batch.complete()).resolves.toEqual({ snapshots: {}, events: {} });
    expect(batch.state).toBe("completed");
  });

  it("whose fate was unknown is known to be done when the service says so to an abort", async () => {
    const { Metadata } = await import("@grpc/grpc-js");
    const metadata = new Metadata();
    metadata.set("batch-state", "completed");
    harness.server.scripts.CompleteSyncBatch.push(LOST, LOST, LOST);
    harness.server.scripts.AbortSyncBatch.push({ code: 9, details: "not active", metadata });
    const batch = await startBatch();
    await expect(batch.complete()).rejects.toBeInstanceOf(BatchOutcomeUnknownError);
    await expect(batch.abort()).rejects.toMatchObject({ reason: "completed" });
    expect(batch.state).toBe("completed");
    await expect(batch.complete()).rejects.toMatchObject({ reason: "completed" });
  });

  it("never guesses: not active without saying why, after a lost answer, is an unknown outcome", async () => {
    harness.server.scripts.CompleteSyncBatch.push(LOST, { code: 9, details: "not active" });
    const batch = await startBatch();
    const error = await batch.complete().catch((e: unknown) => e);
    expect(error).toBeInstanceOf(BatchOutcomeUnknownError);
    expect(error).toMatchObject({ batchId: "batch-1", retryable: false });
    expect(batch.state).toBe("unknown");
    await expect(batch.complete()).rejects.toMatchObject({ code: "BATCH_STATE", reason: "unknown" });
  });

  it("whose outcome is unknown ends the batch: its signal fires, and nothing keeps it alive", async () => {
    harness.server.scripts.CompleteSyncBatch.push(LOST);
    const clock = new TestClock({ startAt: 0 });
    const batch = await harness.startBatch({ clock, retry: false }, { keepAlive: { maxIdleMs: 3_600_000 } });
    const error = await batch.complete().catch((e: unknown) => e);
    expect(error).toBeInstanceOf(BatchOutcomeUnknownError);
    expect(batch.signal.reason).toBe(error);
    expect(clock.sleeping).toBe(0);
    await batch.abort();
    expect(harness.server.calls.at(-1)).toBe("AbortSyncBatch");
  });

  it("is an unknown outcome when every answer is lost", async () => {
    harness.server.scripts.CompleteSyncBatch.push(LOST, LOST, LOST);
    const batch = await startBatch();
    await expect(batch.complete()).rejects.toBeInstanceOf(BatchOutcomeUnknownError);
  });

  it.each([
    ["UNKNOWN", 2, "broke down"],
    ["INTERNAL", 13, "broke down"],
    ["DATA_LOSS", 15, "broke down"],
    ["a status that gRPC does not know", 17, "broke down"],
    ["a status far above", 99, "broke down"],
    ["an answer that .NET does not send", 8, "Sending message exceeds the maximum configured message size."],
    ["an answer that Go does not send", 8, "grpc: trying to send message larger than max (70 vs. 50)"],
    ["an answer that C++ does not send", 8, "Sent message larger than max (70 vs. 50)"],
    ["an answer that Node does not send", 8, "Attempted to send message with a size larger than 50"],
  ])("that ends with %s, which proves nothing, is an unknown outcome", async (_, code, details) => {
    harness.server.scripts.CompleteSyncBatch.push({ code, details });
    const batch = await startBatch();
    await expect(batch.complete()).rejects.toBeInstanceOf(BatchOutcomeUnknownError);
    expect(batch.state).toBe("unknown");
  });

  it("that the service refuses at once leaves the batch to be aborted", async () => {
    harness.server.scripts.CompleteSyncBatch.push({ code: 3, details: "a stream is open" });
    const batch = await startBatch();
    await expect(batch.complete()).rejects.toMatchObject({
      code: "SYNC_PROTOCOL",
      grpcStatus: "INVALID_ARGUMENT",
    });
    expect(batch.state).toBe("active");
    await batch.abort();
  });
});

describe("abort", () => {
  it("cancels the write in flight, rejects the queued one, closes the source and releases the lock", async () => {
    const batch = await startBatch();
    const stuck = stuckSource();
    const inFlight = batch.write("accounts", stuck.source);
    const queued = batch.write("plans", []);
    await stuck.stuck();
    await batch.abort();
    await expect(inFlight).rejects.toMatchObject({ code: "BATCH_STATE", reason: "aborted" });
    await expect(queued).rejects.toMatchObject({ code: "BATCH_STATE", reason: "aborted" });
    expect(stuck.returned()).toBe(1);
    expect(harness.server.calls).toContain("AbortSyncBatch");
  });

  it("may be repeated, and everything else is refused after it", async () => {
    const batch = await startBatch();
    await batch.abort();
    await batch.abort();
    expect(harness.server.calls.filter((call) => call === "AbortSyncBatch")).toHaveLength(1);
    await expect(batch.write("accounts", [])).rejects.toMatchObject({ reason: "aborted" });
    await expect(batch.complete()).rejects.toMatchObject({ reason: "aborted" });
  });

  it("that failed can be asked again", async () => {
    harness.server.scripts.AbortSyncBatch.push(LOST, LOST, LOST);
    const batch = await startBatch();
    await expect(batch.abort()).rejects.toMatchObject({ code: "TRANSPORT_FAILED" });
    await batch.abort();
    expect(batch.state).toBe("aborted");
  });

  it("does not wait for a source that is stuck while complete waits for it", async () => {
    const batch = await startBatch();
    const stuck = stuckSource();
    const write = batch.write("accounts", stuck.source);
    const refused = expect(batch.complete()).rejects.toMatchObject({ reason: "aborted" });
    await stuck.stuck();
    await batch.abort();
    await refused;
    await expect(write).rejects.toMatchObject({ reason: "aborted" });
    expect(harness.server.calls).not.toContain("CompleteSyncBatch");
    expect(batch.state).toBe("aborted");
  });

  it("waits for the outcome of a completion that was sent", async () => {
    let answer = () => {};
    harness.server.beforeCompletion = () =>
      new Promise((resolve) => {
        answer = resolve;
      });
    const batch = await startBatch();
    const completion = batch.complete();
    await until(() => harness.server.calls.includes("CompleteSyncBatch"));
    const abortion = batch.abort();
    answer();
    await completion;
    await expect(abortion).rejects.toMatchObject({ code: "BATCH_STATE", reason: "completed" });
    expect(harness.server.calls).not.toContain("AbortSyncBatch");
  });
});

describe("close", () => {
  it("rejects what is under way and tells the server nothing", async () => {
    const batch = await startBatch();
    const stuck = stuckSource();
    const write = batch.write("accounts", stuck.source);
    await stuck.stuck();
    batch.close();
    await expect(write).rejects.toBeInstanceOf(ClosedError);
    expect(batch.state).toBe("closed");
    for (const call of [() => batch.write("accounts", []), () => batch.complete(), () => batch.abort()]) {
      await expect(call()).rejects.toBeInstanceOf(ClosedError);
    }
    expect(harness.server.calls).toEqual(["StartSyncBatch"]);
  });

  it("of a handle whose abort waits for the answer to a completion tells the server nothing either", async () => {
    const batch = await startBatch();
    let answer = () => {};
    harness.server.beforeCompletion = () =>
      new Promise((resolve) => {
        answer = resolve;
      });
    const ends = [batch.complete().catch((e: unknown) => e)];
    await until(() => harness.server.calls.includes("CompleteSyncBatch"));
    ends.push(batch.abort().catch((e: unknown) => e));
    batch.close();
    for (const end of await Promise.all(ends)) expect(end).toBeInstanceOf(Error);
    answer();
    expect(batch.state).toBe("closed");
    expect(harness.server.calls).toEqual(["StartSyncBatch", "CompleteSyncBatch"]);
  });

  it.each([
    ["of the handle", (batch: SyncBatch) => batch.close()],
    ["of the client", (_: SyncBatch, client: SyncClient) => client.close()],
  ])("%s while CompleteSyncBatch is out leaves its outcome unknown, and says why", async (_, close) => {
    const { server } = harness;
    let answer = () => {};
    server.beforeCompletion = () =>
      new Promise((resolve) => {
        answer = resolve;
      });
    const client = harness.client();
    const batch = await client.startBatch({ installationId: "i" });
    const completion = batch.complete().catch((e: unknown) => e);
    await until(() => server.calls.includes("CompleteSyncBatch"));
    await close(batch, client);
    expect(await completion).toMatchObject({
      code: "BATCH_OUTCOME_UNKNOWN",
      batchId: "batch-1",
      cause: expect.any(ClosedError),
    });
    expect(batch.state).toBe("closed");
    answer();
  });

  it("while a completion waits for its turn, and before it is sent, rejects it as closed", async () => {
    const batch = await startBatch();
    const stuck = stuckSource();
    batch.write("accounts", stuck.source);
    const completion = batch.complete().catch((e: unknown) => e);
    await stuck.stuck();
    batch.close();
    expect(await completion).toBeInstanceOf(ClosedError);
    expect(harness.server.calls).toEqual(["StartSyncBatch"]);
  });

  it("in the pause after an answer to the completion was lost leaves its outcome unknown too", async () => {
    const clock = new TestClock({ startAt: 0 });
    const retry = { retries: 2, minDelayMs: 1000, maxDelayMs: 1000 };
    const batch = await startBatch({ clock, retry });
    harness.server.scripts.CompleteSyncBatch.push(LOST);
    const waiting = clock.sleeping;
    const completion = batch.complete().catch((e: unknown) => e);
    const deadlineAndPause = waiting + 2;
    await until(() => clock.sleeping === deadlineAndPause);
    batch.close();
    expect(await completion).toMatchObject({ code: "BATCH_OUTCOME_UNKNOWN", cause: expect.any(ClosedError) });
  });

  it("happens at the end of an await using block", async () => {
    const handle = await startBatch();
    {
      await using batch = handle;
      await batch.write("accounts", accounts(1));
    }
    expect(handle.state).toBe("closed");
    expect(harness.server.calls).toEqual(["StartSyncBatch"]);
  });

  it("of the client closes its batches and refuses new ones", async () => {
    const client = harness.client();
    const batch = await client.startBatch({ installationId: "i" });
    await client.close();
    expect(batch.state).toBe("closed");
    await expect(client.startBatch({ installationId: "i" })).rejects.toBeInstanceOf(ClosedError);
  });
});

describe("the lease", () => {
  it("counts down from before the start, is renewed by accepted windows, and ends the handle locally", async () => {
    const clock = new TestClock({ startAt: Date.UTC(2026, 0, 1) });
    const batch = await startBatch({ clock, timeoutMs: 10 * 60_000 });
    expect(batch.lease.remainingMs).toBe(15 * 60_000);
    clock.advance(5 * 60_000);
    expect(batch.lease.remainingMs).toBe(10 * 60_000);
    expect(batch.lease.expiresAt).toEqual(new Date(Date.UTC(2026, 0, 1, 0, 15)));
    await batch.write("accounts", accounts(1));
    expect(batch.lease.remainingMs).toBe(15 * 60_000);
    clock.advance(15 * 60_000);
    expect(batch.state).toBe("expired");
    await expect(batch.write("accounts", [])).rejects.toMatchObject({
      code: "BATCH_STATE",
      reason: "expired",
    });
    await expect(batch.complete()).rejects.toMatchObject({ reason: "expired" });
    await batch.abort();
  });
});
