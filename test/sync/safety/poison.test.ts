import type { SyncBatch } from "@saas-management/sdk/sync";
import { expect, test } from "vitest";
import { accounts, ids, testService } from "../../support/test-service.js";

const LEASE_MS = 15 * 60_000;
const service = testService({ sync: { messageBytes: 300, windowBytes: 600 } });
const failWindow = (kind: { type: "grpc-status"; code: number } | { type: "drop"; at: "answer" }) =>
  service.server.faults.add({ api: "sync", operation: "SyncRecords", nth: 2, times: 2, kind });

type Write = (batch: SyncBatch) => Promise<unknown>;

const FAILURES: readonly (readonly [when: string, write: Write, reason: "incomplete" | "expired"])[] = [
  ["its source throws", (batch) => batch.write("accounts", throwing()), "incomplete"],
  [
    "it is cancelled",
    (batch) => {
      const stop = new AbortController();
      return batch.write("accounts", cancelling(stop, false), { signal: stop.signal });
    },
    "incomplete",
  ],
  [
    "its source ends quietly after its signal fired",
    (batch) => {
      const stop = new AbortController();
      return batch.write("accounts", cancelling(stop, true), { signal: stop.signal });
    },
    "incomplete",
  ],
  [
    "its source ends quietly after the lease was lost",
    (batch) =>
      batch.write(
        "accounts",
        (async function* () {
          yield accounts(20);
          service.clock.advance(LEASE_MS);
        })(),
      ),
    "expired",
  ],
  [
    "a record is invalid",
    (batch) => batch.write("accounts", [...accounts(20), { generic: { id: "" } }]),
    "incomplete",
  ],
  [
    "a record is too large",
    (batch) =>
      batch.write("accounts", [...accounts(20), { generic: { id: "big", name: "n".repeat(2 ** 24) } }]),
    "incomplete",
  ],
  [
    "a window is rejected",
    (batch) => {
      failWindow({ type: "grpc-status", code: 3 });
      return batch.write("accounts", accounts(40));
    },
    "incomplete",
  ],
  [
    "the outcome of a window is unknown",
    (batch) => {
      failWindow({ type: "drop", at: "answer" });
      return batch.write("accounts", accounts(40));
    },
    "incomplete",
  ],
  [
    "the vendor's total differs",
    (batch) => batch.write("accounts", accounts(20), { expectedCount: 21 }),
    "incomplete",
  ],
  [
    "its array is filled while it is written",
    (batch) => {
      const list = accounts(20);
      const written = batch.write("accounts", list);
      list.push(...accounts(ids(20, "late")));
      return written;
    },
    "incomplete",
  ],
  [
    "records are pushed after the seal",
    async (batch) => {
      const open = batch.open("accounts");
      await open.push(accounts(20));
      await open.seal();
      await open.push(accounts(ids(1, "late")));
    },
    "incomplete",
  ],
];

test.each(FAILURES)("a write poisons its batch if %s", async (_, write, reason) => {
  await service.runAccounts(ids(10), { ledger: "none" });
  const batch = await service.startBatch();
  await batch.write("groups", []);
  await expect(write(batch)).rejects.toBeDefined();
  // A later write does not make up for it.
  await batch.write("accounts", accounts(40)).catch(() => {});

  await expect(batch.complete()).rejects.toMatchObject({
    code: "BATCH_STATE",
    reason,
  });
  expect(service.states()).toEqual(["completed", reason === "expired" ? "expired" : "active"]);
  expect(service.present()).toEqual(expect.arrayContaining(ids(10)));
});

test("the refused completion shows why the write failed, and nothing of an exception of the source", async () => {
  const batch = await service.startBatch();
  const broken = new Error("secret contents");
  const source = function* () {
    yield* accounts(1);
    throw broken;
  };
  await expect(batch.write("groups", source())).rejects.toBe(broken);
  const refused: unknown = await batch.complete().catch((error: unknown) => error);
  expect(refused).toMatchObject({ reason: "incomplete", cause: broken });
  expect(String(refused)).toContain("groups");
  expect(String(refused)).not.toContain("secret");
  await batch.abort();
});

async function* throwing() {
  yield accounts(20);
  throw new Error("the vendor is down");
}

async function* cancelling(stop: AbortController, quietly: boolean) {
  yield accounts(20);
  stop.abort(new Error("enough"));
  if (!quietly) yield accounts(ids(20, "more"));
}
