/** A run ends when a snapshot is held, not when its connector returns. */
import type { HeldReport, RunBatch, SyncProgress } from "@saas-management/sdk";
import { expect, test } from "vitest";
import { accounts, heldBy, ids, testService } from "../../support/test-service.js";

const service = testService();
type Both = RunBatch<"accounts" | "groups">;
const SNAPSHOTS = ["accounts", "groups"] as const;

const first = () =>
  service.run(SNAPSHOTS, async (batch) => {
    await batch.write("accounts", accounts(10));
    await batch.write("groups", accounts(10));
  });

/** Groups that note whether anybody read them. */
function watchedGroups() {
  const seen = { read: false };
  const source = (function* () {
    seen.read = true;
    yield accounts(10);
  })();
  return { seen, source };
}

test("rejects the write, and does not read what comes after", async () => {
  await first();
  const { seen, source } = watchedGroups();
  let refused: unknown;
  const held = await heldBy(
    service.run(SNAPSHOTS, async (batch) => {
      await batch.write("accounts", accounts(4)).catch((error: unknown) => {
        refused = error;
      });
      // The connector goes on as if nothing had happened.
      await batch.write("groups", source).catch(() => {});
    }),
  );
  expect(refused).toBe(held.error);
  expect(seen.read).toBe(false);
  expect(service.states()).toEqual(["completed", "aborted"]);
  expect(service.present()).toEqual(ids(10));
});

test("does not read what was queued behind a write that nobody awaits", async () => {
  await first();
  const { seen, source } = watchedGroups();
  await heldBy(
    service.run(SNAPSHOTS, (batch) => {
      void batch.write("accounts", accounts(4));
      void batch.write("groups", source);
      return Promise.resolve();
    }),
  );
  expect(seen.read).toBe(false);
});

test("does not wait for a connector that never returns", async () => {
  await first();
  await heldBy(
    service.run(SNAPSHOTS, async (batch) => {
      await batch.write("accounts", accounts(4)).catch(() => {});
      await new Promise(() => {});
    }),
  );
});

test("rejects the end of a writer, whatever the connector throws", async () => {
  await first();
  const write = async (batch: Both) => {
    const writer = batch.writer("accounts");
    await writer.write(accounts(4));
    await writer.end().catch((cause: unknown) => {
      throw new Error("the connector's own", { cause });
    });
  };
  await heldBy(service.run(SNAPSHOTS, write));
});

test("stores the approval before the error, tells onHeld once, and judges then", async () => {
  await first();
  const told: HeldReport[] = [];
  const seen: SyncProgress["type"][] = [];
  const short = (approve?: string) =>
    service.run(
      SNAPSHOTS,
      async (batch) => {
        await batch.write("accounts", accounts(4));
        seen.push("completed");
        await batch.write("groups", accounts(10));
      },
      {
        approve,
        onHeld: (report) => void told.push(report),
        onProgress: ({ type }) => type === "judged" && seen.push(type),
      },
    );
  const { approvalId } = await heldBy(short());
  expect(told).toHaveLength(1);
  expect(seen).toEqual(["judged"]);
  await short(approvalId);
  expect(seen).toEqual(["judged", "judged", "completed", "judged"]);
  expect(service.present()).toEqual(ids(4));
});
