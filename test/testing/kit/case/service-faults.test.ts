import { afterAll, beforeAll, expect, test } from "vitest";
import type { CaseResult } from "../../../../src/testing/kit/case/setup.js";
import { openStage, type Stage } from "../../../../src/testing/kit/case/stage.js";
import { SERVICE_FAULTS } from "../../../../src/testing/kit/faults/service/service-faults.js";
import { byToken } from "../recordings/by-token.js";
import { pagedUsers } from "./connectors.js";

const recording = { exchanges: byToken(), startedAt: "2026-03-01T06:00:00Z" };
const yesterday = { records: { accounts: [{ id: "u-1a" }, { id: "u-2a" }, { id: "gone" }] } };

let stage: Stage;
let clean: CaseResult;
beforeAll(async () => {
  stage = await openStage();
  clean = await stage.run(pagedUsers, { recording, yesterday });
});
afterAll(() => stage[Symbol.asyncDispose]());

/** What a connector without mistakes makes of each; all others complete. */
const ENDS: Readonly<Record<string, CaseResult["outcome"]>> = {
  "service-lost-answer-of-start": "refused",
  "service-silent-at-start": "refused",
  "service-key-revoked-at-start": "refused",
  "service-key-revoked-at-write": "refused",
  "service-key-revoked-at-complete": "refused",
  "service-lost-answer-of-abort": "refused",
  "service-down": "refused",
  "service-permission-denied": "refused",
  "service-refuses-records": "refused",
  "service-lock-stolen-at-write": "refused",
  "service-early-answer": "refused",
  "service-lock-held": "refused",
  "service-lock-held-all-the-time": "refused",
  "ledger-unreadable": "held",
  "ledger-unwritable": "refused",
};

test.for(SERVICE_FAULTS.map((service) => [service.name, service] as const))(
  "%s strikes and harms no connector without mistakes",
  async ([name, service]) => {
    const result = await stage.run(pagedUsers, { recording, yesterday, service });
    expect(result.fired).toBeGreaterThan(0);
    expect(result.unhandled).toEqual([]);
    expect(result.outcome).toBe(ENDS[name] ?? "completed");
    if (result.outcome !== "completed")
      expect(result.effect.snapshots.accounts.filter(({ removed }) => removed)).toEqual([]);
    const last = result.outcome === "completed" ? result : await result.nextNight();
    expect(last.outcome).toBe("completed");
    expect(last.effect.snapshots).toEqual(clean.effect.snapshots);
  },
);

test("waits for the lock of another batch, in virtual time", async () => {
  const service = SERVICE_FAULTS.find(({ name }) => name === "service-lock-released");
  const { receipt, seen } = await stage.run(pagedUsers, { recording, yesterday, service });
  expect(seen).toContain("waited for the lock");
  expect(receipt?.waitedForLockMs).toBeGreaterThan(4 * 60_000);
});

test("starts the batch again after its lease has expired", async () => {
  const service = SERVICE_FAULTS.find(({ name }) => name === "service-lease-expired-at-write");
  const { receipt, seen } = await stage.run(pagedUsers, { recording, yesterday, service });
  expect(seen).toContain("restarted");
  expect(receipt?.restarts).toBe(1);
});
