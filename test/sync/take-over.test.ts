import { Metadata } from "@grpc/grpc-js";
import { BatchStateError, InvalidInputError } from "@saas-management/sdk";
import { TestClock } from "@saas-management/sdk/testing";
import { describe, expect, test } from "vitest";
import { ofSnapshots } from "../support/adopted.js";
import { until } from "../support/promises.js";
import { useScriptedServer } from "../support/sync-harness.js";
import { accounts, ids, testService } from "../support/test-service.js";

const TAKEN_OVER = { code: "BATCH_STATE", reason: "taken-over", state: "unknown" };

describe("with the reference server", () => {
  const service = testService();

  test("a worker without takeOver writes nothing, so its coordinator completes nothing by chance", async () => {
    await service.runAccounts(ids(20));
    const coordinator = await service.startBatch();
    const worker = service.syncClient().openBatch(coordinator.id);
    const calls = Object.entries({
      write: ["accounts", []],
      writer: ["accounts"],
      complete: [{ unverified: true }],
    });
    for (const [call, args] of calls) {
      const outcome = (async () => Reflect.apply(Reflect.get(worker, call), worker, args))();
      await expect(outcome).rejects.toBeInstanceOf(InvalidInputError);
      await expect(outcome).rejects.toThrow(
        `${call} was refused: this handle of openBatch can only look and abort`,
      );
    }
    await expect(coordinator.complete()).rejects.toMatchObject({ code: "INVALID_INPUT" });
    expect(service.states()).toEqual(["completed", "active"]);
    await worker.abort();
    expect(service.present()).toHaveLength(20);
  });

  test("the handle that took a batch over is the only writer of the client", async () => {
    const first = await service.startBatch();
    const users = first.writer("accounts");
    const second = service.sync.openBatch(first.id, { takeOver: true });
    expect(first.state).toBe("unknown");
    expect(first.signal.reason).toMatchObject(TAKEN_OVER);
    const refused = { ...TAKEN_OVER, message: expect.stringContaining("another handle took the batch over") };
    await expect(first.write("groups", [])).rejects.toMatchObject(refused);
    await expect(users.write(accounts(1))).rejects.toMatchObject(refused);
    await expect(first.complete({ unverified: true })).rejects.toMatchObject(refused);
    await second.write("accounts", accounts(2));
    const third = service.sync.openBatch(first.id, { takeOver: true });
    await expect(second.write("accounts", accounts(2))).rejects.toMatchObject(refused);
    await expect(third.complete()).rejects.toMatchObject({ code: "INVALID_INPUT" });
    await expect(third.complete({ unverified: true })).resolves.toMatchObject({
      ...ofSnapshots({ accounts: { added: 2 } }),
    });
  });

  test("an overtaken write of another process is refused, and says that there is a newer one", async () => {
    const held = service.server.faults.add({ on: "SyncRecords", fault: "delay", ms: 1000 });
    const first = await service.startBatch();
    const refused = expect(first.write("accounts", accounts(3))).rejects.toMatchObject({
      ...TAKEN_OVER,
      message: expect.stringContaining("the service has seen a newer write to the batch"),
    });
    await until(() => held.fired === 1);
    const second = service.syncClient().openBatch(first.id, { takeOver: true });
    await second.write("accounts", accounts(2));
    service.clock.advance(1000);
    await refused;
    await expect(second.complete({ unverified: true })).resolves.toMatchObject({
      ...ofSnapshots({ accounts: { added: 2 } }),
    });
  });
});

describe("with a service that answers by a script", () => {
  const harness = useScriptedServer();
  const metadata = new Metadata();
  metadata.set("batch-state", "active");
  const FENCED = { code: 9, details: "A newer stream writes to this batch.", metadata };

  test("a write that the service refuses for a newer one says so, and ends the handle", async () => {
    harness.server.scripts.SyncRecords.push(FENCED);
    const batch = await harness.startBatch();
    const refused = {
      ...TAKEN_OVER,
      message: expect.stringContaining("the service has seen a newer write to the batch"),
      serverMessage: FENCED.details,
    };
    await expect(batch.write("accounts", accounts(1))).rejects.toMatchObject(refused);
    await expect(batch.write("accounts", accounts(1))).rejects.toMatchObject(refused);
    await expect(batch.complete()).rejects.toMatchObject(refused);
    expect(batch.state).toBe("unknown");
    expect(harness.server.streams).toHaveLength(1);
    await batch.abort();
    expect(batch.state).toBe("aborted");
  });

  test("a handle that can look knows what it is told, and sends nothing else", async () => {
    const clock = new TestClock({ startAt: new Date(0) });
    const client = harness.client({ clock });
    const batch = client.openBatch("batch-1");
    expect(batch.state).toBe("unknown");
    expect(clock.sleeping).toBe(0);
    const answer = harness.server.hold("AbortSyncBatch");
    const aborts = [batch.abort(), batch.abort()];
    await until(() => harness.server.calls.length === 1);
    expect(batch.state).toBe("aborting");
    answer();
    await Promise.all(aborts);
    expect(batch.state).toBe("aborted");
    await expect(batch.abort()).rejects.toMatchObject({ code: "BATCH_STATE", reason: "aborted" });
    expect(harness.server.calls).toEqual(["AbortSyncBatch"]);
  });

  test("a handle that can look learns from a refused abort that the batch is completed", async () => {
    const completed = new Metadata();
    completed.set("batch-state", "completed");
    harness.server.scripts.AbortSyncBatch.push(
      { code: 3, details: "not now" },
      { ...FENCED, metadata: completed },
    );
    const batch = harness.client().openBatch("batch-1");
    await expect(batch.abort()).rejects.toMatchObject({ code: "SYNC_PROTOCOL" });
    expect(batch.state).toBe("unknown");
    await expect(batch.abort()).rejects.toMatchObject({ code: "BATCH_STATE", reason: "completed" });
    await expect(batch.abort()).rejects.toBeInstanceOf(BatchStateError);
    expect(batch.state).toBe("completed");
    expect(harness.server.calls).toHaveLength(2);
  });

  test("a handle that can look is closed with its block, and with its client", async () => {
    const client = harness.client();
    const closed = client.openBatch("batch-1");
    {
      await using batch = closed;
      expect(batch.id).toBe("batch-1");
    }
    await expect(closed.abort()).rejects.toMatchObject({ code: "CLOSED" });
    const other = client.openBatch("batch-1");
    await client.close();
    expect([closed.state, other.state]).toEqual(["closed", "closed"]);
    await expect(other.abort()).rejects.toMatchObject({ code: "CLOSED" });
    expect(harness.server.calls).toEqual([]);
  });

  test("a handle that can look does not renew the lease", () => {
    const open = () => harness.client().openBatch("batch-1", { maxIdleMs: 1 });
    expect(open).toThrow(InvalidInputError);
  });
});
