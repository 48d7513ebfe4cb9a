import { type BatchStateReason, SaasManagementError, type SyncBatch } from "@saas-management/sdk/sync";
import { describe, expect, it } from "vitest";
import { ids, records, useSafetyHarness } from "../../support/safety-harness.js";

const LEASE_MS = 15 * 60_000;
const harness = useSafetyHarness({ messageBytes: 300, windowBytes: 600 });
const fail = (kind: { type: "grpc-status"; code: number } | { type: "drop"; at: "answer" }) =>
  harness.server.faults.add({ api: "sync", operation: "SyncRecords", nth: 2, times: 2, kind });

interface Rule {
  readonly when: string;
  readonly write: (batch: SyncBatch) => Promise<unknown>;
  /** What the refused completion says of the write. */
  readonly why: RegExp;
  readonly reason?: BatchStateReason;
}

const RULES: readonly Rule[] = [
  {
    when: "its source throws",
    write: (batch) => batch.write("accounts", throwing()),
    why: /the write of accounts failed, so/,
  },
  {
    when: "it is cancelled",
    write: (batch) => {
      const stop = new AbortController();
      return batch.write("accounts", cancelling(stop, false), { signal: stop.signal });
    },
    why: /the write of accounts failed, so/,
  },
  {
    when: "its source ends quietly after its signal fired",
    write: (batch) => {
      const stop = new AbortController();
      return batch.write("accounts", cancelling(stop, true), { signal: stop.signal });
    },
    why: /the write of accounts failed, so/,
  },
  {
    when: "its source ends quietly after the lease was lost",
    write: (batch) =>
      batch.write(
        "accounts",
        (async function* () {
          yield records(ids(20));
          harness.server.clock.advance(LEASE_MS);
        })(),
      ),
    why: /lease of 15 minutes/,
    reason: "expired",
  },
  {
    when: "a record is invalid",
    write: (batch) => batch.write("accounts", [...records(ids(20)), { generic: { id: "" } }]),
    why: /the write of accounts failed \(INVALID_INPUT: accounts\[20\] .*\), so/,
  },
  {
    when: "a record is too large",
    write: (batch) =>
      batch.write("accounts", [...records(ids(20)), { generic: { id: "big", name: "n".repeat(2 ** 24) } }]),
    why: /the write of accounts failed \(INVALID_INPUT: accounts\[20\] \(id "big"\).*16777215 bytes/,
  },
  {
    when: "a window is rejected",
    write: (batch) => {
      fail({ type: "grpc-status", code: 3 });
      return batch.write("accounts", records(ids(40)));
    },
    why: /the write of accounts failed \(SYNC_PROTOCOL: /,
  },
  {
    when: "the fate of a window is unknown",
    write: (batch) => {
      fail({ type: "drop", at: "answer" });
      return batch.write("accounts", records(ids(40)));
    },
    why: /the write of accounts failed \(TRANSPORT_FAILED: /,
  },
  {
    when: "the vendor's total differs",
    write: (batch) => batch.write("accounts", records(ids(20)), { expectedCount: 21 }),
    why: /the write of accounts failed \(INVALID_INPUT: The source of accounts had 20 records/,
  },
  {
    when: "its array is filled while it is written",
    write: (batch) => {
      const list = records(ids(20));
      const written = batch.write("accounts", list);
      list.push(...records(ids(20, "late")));
      return written;
    },
    why: /the write of accounts failed \(INVALID_INPUT: The source is an array that had 20 entries/,
  },
  {
    when: "records are pushed after the seal",
    write: async (batch) => {
      const open = batch.open("accounts");
      await open.push(records(ids(20)));
      await open.seal();
      await open.push(records(ids(1, "late")));
    },
    why: /the write of accounts failed \(INVALID_INPUT: accounts is sealed, and records came after that/,
  },
];

describe("a write poisons its batch when", () => {
  it.each(RULES.map((rule) => [rule.when, rule] as const))("%s", async (_, rule) => {
    const { installationId } = harness.server;
    await harness.accounts(ids(10), { ledger: "none" });
    const batch = await harness.client.startBatch({ installationId });
    await batch.write("groups", []);
    await expect(rule.write(batch)).rejects.toBeDefined();
    // What was written after that does not make up for it.
    await batch.write("accounts", records(ids(40))).catch(() => {});

    const refusal: unknown = await batch.complete().catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(SaasManagementError);
    expect(refusal).toMatchObject({
      code: "BATCH_STATE",
      reason: rule.reason ?? "incomplete",
      message: expect.stringMatching(rule.why),
    });
    const { batches } = harness.server.inspect(installationId);
    expect(batches.map(({ state }) => state)).toEqual(["completed", rule.reason ?? "active"]);
    expect(harness.present()).toEqual(expect.arrayContaining(ids(10)));
  });
});

async function* throwing() {
  yield records(ids(20));
  throw new Error("the vendor is down");
}

async function* cancelling(stop: AbortController, quietly: boolean) {
  yield records(ids(20));
  stop.abort(new Error("enough"));
  if (!quietly) yield records(ids(20, "more"));
}
