import { writeFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { heldBy, ids, useSafetyHarness } from "../../support/safety-harness.js";

const harness = useSafetyHarness();
const DAY_MS = 24 * 60 * 60 * 1000;

describe("an approval", () => {
  it("lets the same run through, once", async () => {
    await harness.accounts(ids(10));
    const { approvalId } = await heldBy(harness.accounts(ids(4)));
    const { collections } = await harness.accounts(ids(4), { approveRemovals: approvalId });
    expect(collections.accounts).toMatchObject({ known: 10, gone: 6, removed: 6 });
    expect(harness.present()).toEqual(ids(4));
    // A run that is not held needs none, and one that was used up may stay in the configuration.
    await harness.accounts(ids(4), { approveRemovals: approvalId });
    const again = await heldBy(harness.accounts([], { approveRemovals: approvalId }));
    expect(again.message).toContain("approveRemovals does not cover accounts: no approval waits for it");
    expect(again.approvalId).not.toBe(approvalId);
  });

  it("covers fewer removals than were approved of, and no others", async () => {
    await harness.accounts(ids(10));
    const { approvalId } = await heldBy(harness.accounts(ids(4)));
    const others = await heldBy(harness.accounts(ids(10).slice(3), { approveRemovals: approvalId }));
    expect(others.message).toContain("other records would be removed than those that were approved of");
    const second = await heldBy(harness.accounts(ids(4)));
    await harness.accounts(ids(5), { approveRemovals: second.approvalId });
    expect(harness.present()).toEqual(ids(5));
  });

  it("is good for seven days", async () => {
    await harness.accounts(ids(10));
    const error = await heldBy(harness.accounts(ids(4)));
    expect(error.approvalExpiresAt?.getTime()).toBeGreaterThan(harness.server.clock.now() + 6.9 * DAY_MS);
    harness.server.clock.advance(7 * DAY_MS);
    const late = await heldBy(harness.accounts(ids(4), { approveRemovals: error.approvalId }));
    expect(late.message).toContain("it expired");
  });

  it("that is made up covers nothing", async () => {
    await harness.accounts(ids(10));
    await heldBy(harness.accounts(ids(4)));
    const error = await heldBy(harness.accounts(ids(4), { approveRemovals: "yes" }));
    expect(error.message).toContain("it is not the one that waits");
    expect(harness.present()).toEqual(ids(10));
  });

  it("of another installation covers nothing", async () => {
    const installationId = harness.server.createInstallation();
    await harness.accounts(ids(10));
    await harness.accounts(ids(10), { installationId });
    const { approvalId } = await heldBy(harness.accounts(ids(4)));
    const error = await heldBy(harness.accounts(ids(4), { installationId, approveRemovals: approvalId }));
    expect(error.message).toContain("no approval waits for it");
  });

  it("whose list was changed covers nothing", async () => {
    await harness.accounts(ids(10));
    const { approvalId, collections } = await heldBy(harness.accounts(ids(8), { guard: { maxRemoved: 1 } }));
    await writeFile(collections[0]?.listedIn ?? "", "u4\nu5\n", { flag: "a" });
    const error = await heldBy(harness.accounts(ids(4), { approveRemovals: approvalId }));
    expect(error.message).toContain("what was approved of cannot be read");
  });

  it("of which a run made no use stays good", async () => {
    await harness.accounts(ids(10));
    const { approvalId } = await heldBy(harness.accounts(ids(4)));
    await harness.accounts(ids(10));
    await harness.accounts(ids(4), { approveRemovals: approvalId });
    expect(harness.present()).toEqual(ids(4));
  });

  it("that a failed run had been given stays good", async () => {
    await harness.accounts(ids(10));
    const { approvalId } = await heldBy(harness.accounts(ids(4)));
    harness.server.faults.add({
      api: "sync",
      operation: "CompleteSyncBatch",
      kind: { type: "grpc-status", code: 7 },
    });
    const refused = harness.accounts(ids(4), { approveRemovals: approvalId });
    await expect(refused).rejects.toMatchObject({ code: "PERMISSION_DENIED" });
    await harness.accounts(ids(4), { approveRemovals: approvalId });
    expect(harness.present()).toEqual(ids(4));
  });
});
