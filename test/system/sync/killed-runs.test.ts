import { expect, test } from "vitest";
import { FileStore } from "../../../src/runs/ledger/file-store.js";
import { storeLedger } from "../../../src/runs/ledger/ledger.js";
import { editTime } from "../../support/ledger-values.js";
import { isPutOf, watchedStore } from "../../support/stores.js";
import { heldBy, ids, testService } from "../../support/test-service.js";
import { RunProcess } from "./run-process.js";

const service = testService();
const LEASE_MS = 15 * 60_000;
const isWindows = process.platform === "win32";
const both = [...ids(10), ...ids(9, "new")];

/** How a process with this run ends. */
const endOf = (way: string, sent: readonly string[]) => new RunProcess(service, way, sent).ended();

async function pausedRun(): Promise<RunProcess> {
  const paused = new RunProcess(service, "paused", ids(20, "child-"));
  expect(await paused.line()).toBe("sending");
  return paused;
}

test.runIf(process.platform === "linux")(
  "a run immediately aborts the batch of a process killed on the same machine",
  async () => {
    await service.runAccounts(ids(10));
    expect(await endOf("sent", ids(10))).toBe("SIGKILL");
    expect(service.states()).toEqual(["completed", "active"]);
    const { waitedForLockMs } = await service.runAccounts(ids(10));
    expect(waitedForLockMs).toBe(0);
    expect(service.states()).toEqual(["completed", "aborted", "completed"]);
    expect(await service.journal()).toEqual([]);
  },
);

test.runIf(process.platform === "linux")(
  "a run says what it is waiting for if a process was killed before the journal had its batch",
  async () => {
    expect(await endOf("started", ids(10))).toBe("SIGKILL");
    expect(service.states()).toEqual(["active"]);
    await expect(service.runAccounts(ids(10))).rejects.toMatchObject({
      code: "BATCH_IN_PROGRESS",
      message: expect.stringMatching(
        /Process \d+ on host .* may have started a batch .* Its lock ends at \d{4}-.* at the latest\.$/,
      ),
    });
    service.clock.advance(LEASE_MS);
    await service.runAccounts(ids(10));
    expect(await service.journal()).toEqual([]);
  },
);

test("a process killed before everything was read leaves no batch", async () => {
  expect(await endOf("read", ids(10))).toBe("SIGKILL");
  expect(service.inspect()).toMatchObject({ batches: [], lock: null });
  await service.runAccounts(ids(10));
});

test("a run is compared with the completed snapshot after a process was killed while it sent", async () => {
  await service.runAccounts(ids(10));
  expect(await endOf("sent", both)).toBe("SIGKILL");
  service.clock.advance(LEASE_MS);
  await heldBy(service.runAccounts(ids(5)));
  const { collections } = await service.runAccounts(ids(10));
  expect(collections.accounts).toMatchObject({ expected: { baseline: "completed", known: 10, removed: 0 } });
});

test.each([
  ["before the completion was sent", "saved"],
  ["before the ledger noted the completion", "completed"],
])("a run is compared with both snapshots after a process was killed %s", async (_, way) => {
  await service.runAccounts(ids(10));
  expect(await endOf(way, both)).toBe("SIGKILL");
  service.clock.advance(LEASE_MS);
  const error = await heldBy(service.runAccounts(ids(10)));
  expect(error.reasons[0]).toMatchObject({ known: 19, kept: 10, removed: 9 });
  const { collections } = await service.runAccounts(both);
  expect(collections.accounts).toMatchObject({ expected: { baseline: "unclear", known: 19, kept: 19 } });
  const next = await service.runAccounts(both);
  expect(next.collections.accounts).toMatchObject({ expected: { baseline: "completed", known: 19 } });
});

test("a watermark is kept if a process completed its run, but not if the process was killed earlier", async () => {
  let seen: string | undefined;
  const watermark = async () => {
    await service.run([], async (_, attempt) => {
      seen = attempt.watermark("usage");
    });
    return seen;
  };
  await service.runAccounts(ids(10));
  for (const way of ["read", "sent", "saved", "completed"]) {
    expect(await endOf(way, ids(10))).toBe("SIGKILL");
    service.clock.advance(LEASE_MS);
    expect(await watermark()).toBeUndefined();
  }
  expect(await endOf("whole", ids(10))).toBe(0);
  expect(await watermark()).toBe("whole");
});

test("nothing is removed if a process exits during its run", async () => {
  await service.runAccounts(ids(10));
  expect(await endOf("exit", ids(8))).toBe(0);
  expect(service.present()).toEqual(ids(10));
});

test.skipIf(isWindows)("nothing is removed if SIGTERM ends a run", async () => {
  await service.runAccounts(ids(10));
  const terminated = new RunProcess(service, "terminated", ids(8));
  expect(await terminated.line()).toBe("INTERRUPTED");
  expect(await terminated.ended()).toBe(0);
  expect(service.present()).toEqual(ids(10));
  expect(service.states()).toEqual(["completed", "aborted"]);
});

test("a live process keeps its batch, and another process finds the lock", async () => {
  const paused = await pausedRun();
  await expect(service.runAccounts(ids(1))).rejects.toMatchObject({ code: "BATCH_IN_PROGRESS" });
  const other = new RunProcess(service, "whole", ids(1));
  expect(await other.line()).toBe("BATCH_IN_PROGRESS");
  expect(await paused.goOn()).toBe("completed");
  await paused.ended();
  expect(service.states()).toEqual(["completed"]);
});

test.skipIf(isWindows)(
  "a run that was suspended too long loses its batch and harms no other run",
  async () => {
    const paused = await pausedRun();
    paused.kill("SIGSTOP");
    for (const path of await service.journal()) await editTime(path, service.clock.now() - 10_000);
    const whileSending = async () => {
      expect(service.states()).toEqual(["aborted", "active"]);
      const entries = await service.journal();
      paused.kill("SIGCONT");
      expect(await paused.goOn()).toMatch(/^(BATCH_STATE|SYNC_PROTOCOL)$/);
      await paused.ended();
      expect(await service.journal()).toEqual(entries);
    };
    const store = watchedStore(new FileStore(service.directory), async (call, go) => {
      if (isPutOf("ids")(call)) await whileSending();
      return go();
    });
    await service.runAccounts(["u1"], { ledger: storeLedger(store) });
    expect(service.states()).toEqual(["aborted", "completed"]);
    expect(service.present()).toEqual(["u1"]);
  },
);
