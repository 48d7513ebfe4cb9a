import { readFile, rm, truncate, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { memoryLedger } from "@saas-management/sdk/sync";
import { describe, expect, it } from "vitest";
import { heldBy, ids, records, useSafetyHarness } from "../../support/safety-harness.js";

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

  it("keeps its id where the next run is held for the same, and is good for seven days from then", async () => {
    await harness.accounts(ids(10));
    const first = await heldBy(harness.accounts(ids(4)));
    harness.server.clock.advance(6 * DAY_MS);
    const second = await heldBy(harness.accounts(ids(4)));
    expect(second.approvalId).toBe(first.approvalId);
    harness.server.clock.advance(6 * DAY_MS);
    await harness.accounts(ids(4), { approveRemovals: first.approvalId });
    expect(harness.present()).toEqual(ids(4));
  });

  it("gets another id where the next run is held for something else", async () => {
    await harness.accounts(ids(10));
    const first = await heldBy(harness.accounts(ids(4)));
    for (const others of [ids(3), ids(5), [...ids(3), "u7"]]) {
      const next = await heldBy(harness.accounts(others));
      expect(next.approvalId).not.toBe(first.approvalId);
    }
    const late = await heldBy(harness.accounts(ids(4), { approveRemovals: first.approvalId }));
    expect(late.message).toContain("it is not the one that waits");
  });

  describe("of one collection, where another is held later,", () => {
    const both = (accounts: number, groups: number, approveRemovals?: string) =>
      harness.run(
        ["accounts", "groups"],
        async (batch) => {
          await batch.write("accounts", records(ids(accounts)));
          await batch.write("groups", records(ids(groups)));
        },
        { approveRemovals },
      );

    it("goes on under the new id", async () => {
      await both(10, 10);
      const first = await heldBy(both(5, 10));
      const second = await heldBy(both(5, 5, first.approvalId));
      expect(second.collections.map(({ collection }) => collection)).toEqual(["groups"]);
      expect(second.approvalId).not.toBe(first.approvalId);
      expect(second.message).toContain("That covers accounts too, as approveRemovals did.");
      const { collections } = await both(5, 5, second.approvalId);
      expect(collections).toMatchObject({ accounts: { removed: 5 }, groups: { removed: 5 } });
    });

    it("covers that one alone where it was not given yet", async () => {
      await both(10, 10);
      const first = await heldBy(both(5, 10));
      const second = await heldBy(both(5, 5));
      expect(second.approvalId).not.toBe(first.approvalId);
      const third = await heldBy(both(5, 5, first.approvalId));
      expect(third.collections).toHaveLength(2);
      await both(5, 5, second.approvalId);
    });
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

describe("an approval of a new baseline", () => {
  const COMPLETED = /accounts\.completed\.gz$/;
  const damage = async () => truncate(await harness.file(COMPLETED), 60);
  const lose = async () => rm(dirname(await harness.file(COMPLETED)), { recursive: true });
  const leaveDamaged = async () => {
    const path = join(dirname(await harness.file(COMPLETED)), "accounts.9-abcdefabcdef.pending.gz");
    await writeFile(path, "damaged", { mode: 0o600 });
  };

  const guard = { requireBaseline: true };
  const cases = [
    ["a damaged ledger", "unreadable-ledger", damage],
    ["a lost ledger", "no-baseline", lose],
    ["a ledger that is damaged in part", "unreadable-ledger", leaveDamaged],
  ] as const;

  describe.each(cases)("in place of %s", (_, reason, spoil) => {
    const heldRun = async () => {
      await harness.accounts(ids(40));
      await spoil();
      return heldBy(harness.accounts(ids(40), { guard }));
    };

    it("lists the ids that it takes", async () => {
      const { collections, message } = await heldRun();
      expect(collections).toMatchObject([{ reason, sent: 40 }]);
      const listedIn = collections[0]?.listedIn ?? "";
      expect(message).toContain(
        `the 40 ids of this run as the new baseline, which are listed in ${listedIn}`,
      );
      expect((await readFile(listedIn, "utf8")).split("\n").slice(1, -2)).toEqual(ids(40));
    });

    it.each([
      ["a truncated list", ids(2)],
      ["nothing", []],
      ["other ids", ids(40, "other")],
    ])("does not cover %s", async (_, sent) => {
      const { approvalId } = await heldRun();
      const held = await heldBy(harness.accounts(sent, { guard, approveRemovals: approvalId }));
      expect(held.message).toContain(
        "approveRemovals does not cover accounts: too many of the records are missing that the held run had",
      );
      expect(harness.present()).toEqual(expect.arrayContaining(ids(40)));
    });

    it("covers what the guard would let pass after the held run", async () => {
      const { approvalId } = await heldRun();
      const sent = [...ids(38), ...ids(90, "new")];
      await harness.accounts(sent, { guard, approveRemovals: approvalId });
      expect((await harness.accounts(sent, { guard })).collections.accounts).toMatchObject({
        baseline: "ledger",
        known: 128,
      });
    });
  });

  it("tells what is known of the files that can be read", async () => {
    await harness.accounts(ids(40));
    await leaveDamaged();
    const { collections, message } = await heldBy(harness.accounts(ids(2)));
    expect(collections).toMatchObject([{ reason: "unreadable-ledger", known: 40, kept: 2, removed: 38 }]);
    expect(message).toContain("of what can be read, 38 of 40 known ids would be removed");
  });

  it("does not let many ids of the held run hide that all are gone which can be read", async () => {
    await harness.accounts(ids(10));
    await leaveDamaged();
    const { approvalId } = await heldBy(harness.accounts([...ids(10), ...ids(90, "new")]));
    const held = await heldBy(harness.accounts(ids(90, "new"), { approveRemovals: approvalId }));
    expect(held.message).toContain("too many of the records are missing");
    expect(harness.present()).toEqual(expect.arrayContaining(ids(10)));
  });

  it("is kept by a ledger of the user's own too", async () => {
    const ledger = memoryLedger();
    const { approvalId } = await heldBy(harness.accounts(ids(40), { guard, ledger }));
    const options = { guard, ledger, approveRemovals: approvalId };
    await harness.accounts(ids(40), options);
    const second = memoryLedger();
    const again = await heldBy(harness.accounts(ids(40), { guard, ledger: second }));
    await heldBy(harness.accounts(ids(2), { guard, ledger: second, approveRemovals: again.approvalId }));
    expect(harness.present()).toEqual(ids(40).sort());
  });
});
