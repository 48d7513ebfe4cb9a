import { readFile } from "node:fs/promises";
import {
  idsOfLines,
  type Ledger,
  type LedgerScope,
  linesOfIds,
  memoryLedger,
  type PendingApproval,
  previewSync,
  type SyncProgress,
} from "@saas-management/sdk/sync";
import { describe, expect, it } from "vitest";
import { heldBy, ids, records, useSafetyHarness } from "../../support/safety-harness.js";

const harness = useSafetyHarness();

describe("the removal guard", () => {
  it("lets a first run through and says that there was no baseline", async () => {
    const { collections } = await harness.accounts(ids(10));
    expect(collections.accounts).toMatchObject({
      baseline: "none",
      known: 0,
      new: 10,
      kept: 0,
      gone: 0,
      goneShare: 0,
      newShare: 1,
      duplicates: 0,
      added: 10,
    });
  });

  it("lets a removal below the threshold through, and reports it", async () => {
    await harness.accounts(ids(10));
    const { collections } = await harness.accounts(ids(8));
    expect(collections.accounts).toMatchObject({
      baseline: "ledger",
      known: 10,
      new: 0,
      kept: 8,
      gone: 2,
      goneShare: 0.2,
      removed: 2,
    });
    expect(harness.present()).toEqual(ids(8));
  });

  it("holds a run that would remove more than a quarter, and nothing is removed", async () => {
    await harness.accounts(ids(10));
    const error = await heldBy(harness.accounts([...ids(6), "new"]));
    expect(error).toMatchObject({
      code: "REMOVAL_GUARD",
      retryable: false,
      approvalId: expect.stringMatching(/^[\da-f-]{36}$/),
      collections: [
        {
          collection: "accounts",
          reason: "removals",
          known: 10,
          sent: 7,
          added: 1,
          kept: 6,
          removed: 4,
          removedShare: 0.4,
          firstRemoved: ["u6", "u7", "u8", "u9"],
        },
      ],
    });
    expect(error.message).toContain("4 of 10 known ids of accounts would be removed (40 %");
    expect(error.message).toContain("added or updated are visible already (1 ids are new)");
    expect(error.message).toContain("stay until a later snapshot takes them in or removes them");
    expect(error.message).toContain(`approveRemovals: "${error.approvalId}"`);
    expect(harness.present()).toEqual(["new", ...ids(10)].sort());
    expect(harness.states()).toEqual(["completed", "aborted"]);
  });

  it("is not misled by a held run: the next one is compared with the last completed snapshot", async () => {
    await harness.accounts(ids(10));
    await heldBy(harness.accounts(ids(4)));
    const error = await heldBy(harness.accounts(ids(4)));
    expect(error.collections[0]).toMatchObject({ known: 10, removed: 6 });
    expect((await harness.accounts(ids(9))).collections.accounts).toMatchObject({ known: 10, gone: 1 });
  });

  it("holds a collection that would go from some records to none, however few there were", async () => {
    await harness.accounts(["u0"]);
    const error = await heldBy(harness.accounts([]));
    expect(error.collections[0]).toMatchObject({ known: 1, sent: 0, removed: 1 });
    expect(harness.present()).toEqual(["u0"]);
  });

  it("holds a changed derivation of ids, although the count is the same", async () => {
    await harness.accounts(ids(10));
    const error = await heldBy(harness.accounts(ids(10, "user-")));
    expect(error.collections[0]).toMatchObject({ known: 10, sent: 10, added: 10, kept: 0, removed: 10 });
  });

  it("never holds because of new ids alone, and reports their share", async () => {
    await harness.accounts(ids(1));
    const { collections } = await harness.accounts(ids(100));
    expect(collections.accounts).toMatchObject({ known: 1, new: 99, newShare: 0.99, gone: 0 });
  });

  it("takes ids for what they are: any text, of any length", async () => {
    const odd = [
      "\ufeffu",
      "a\nb",
      "a\\nb",
      "\\",
      "\\end {}",
      "ü€😀",
      "x".repeat(70_000),
      "\r",
      " ",
      "\\head {}",
    ];
    await harness.accounts(odd);
    expect((await harness.accounts(odd)).collections.accounts).toMatchObject({
      known: 10,
      kept: 10,
      gone: 0,
    });
    const error = await heldBy(harness.accounts([]));
    expect(error.collections[0]?.firstRemoved).toEqual(odd);
    expect(idsOfLines(linesOfIds(odd))).toEqual(odd);
  });

  it("names at most 20 ids, and the file with all of them", async () => {
    await harness.accounts(ids(3000));
    const error = await heldBy(harness.accounts(ids(100)));
    const [held] = error.collections;
    expect(held?.firstRemoved).toEqual(ids(120).slice(100));
    const lines = (await readFile(held?.listedIn ?? "", "utf8")).trimEnd().split("\n");
    expect(lines.slice(1, -1)).toEqual(ids(3000).slice(100));
    expect(error.message).toContain(`all are listed in ${held?.listedIn}`);
  });

  it("tells what it found by a progress event with numbers only", async () => {
    await harness.accounts(ids(4));
    const seen: SyncProgress[] = [];
    await heldBy(harness.accounts([], { onProgress: (progress) => seen.push(progress) }));
    expect(seen.filter(({ type }) => type === "removals-checked")).toEqual([
      {
        type: "removals-checked",
        collection: "accounts",
        held: true,
        baseline: "ledger",
        known: 4,
        new: 0,
        kept: 0,
        gone: 4,
        goneShare: 1,
        newShare: 0,
        duplicates: 0,
      },
    ]);
  });

  it("judges each collection by itself, and tells of all that are held", async () => {
    const both = (accounts: number, groups: number) =>
      harness.run(["accounts", "groups"], async (batch) => {
        await batch.write("accounts", records(ids(accounts)));
        await batch.write(
          "groups",
          ids(groups).map((id) => ({ generic: { id, name: id } })),
        );
      });
    await both(10, 10);
    const one = await heldBy(both(10, 2));
    expect(one.collections.map(({ collection }) => collection)).toEqual(["groups"]);
    const two = await heldBy(both(2, 2));
    expect(two.collections.map(({ collection }) => collection)).toEqual(["accounts", "groups"]);
  });

  it("takes a ledger of the user's own", async () => {
    const ledger = memoryLedger();
    await harness.accounts(ids(4), { ledger });
    const error = await heldBy(harness.accounts([], { ledger }));
    expect(error.collections[0]?.listedIn).toBeUndefined();
    const receipt = await harness.accounts([], { ledger, approveRemovals: error.approvalId });
    expect(receipt.collections.accounts?.removed).toBe(4);
  });

  it("takes a ledger that is a class, whose keyOf uses its own fields", async () => {
    class Keyed implements Ledger {
      readonly #below = memoryLedger();
      readonly #secret = "pepper ";
      keyOf(_scope: LedgerScope, id: Uint8Array): Uint8Array {
        return Buffer.concat([Buffer.from(this.#secret), id]);
      }
      known(scope: LedgerScope) {
        return this.#below.known(scope);
      }
      draft(scope: LedgerScope, batchId: string) {
        return this.#below.draft(scope, batchId);
      }
      hold(scope: LedgerScope, approval: PendingApproval) {
        return this.#below.hold(scope, approval);
      }
      held(scope: LedgerScope) {
        return this.#below.held(scope);
      }
      release(scope: LedgerScope) {
        return this.#below.release(scope);
      }
    }
    const ledger = new Keyed();
    await harness.accounts(ids(4), { ledger });
    const error = await heldBy(harness.accounts([], { ledger }));
    expect(error.collections[0]?.firstRemoved).toEqual(ids(4).map((id) => `pepper ${id}`));
    const { syncUrl: endpoint, installationId } = harness.server;
    const { collections } = await previewSync(
      { endpoint, installationId, snapshots: ["accounts"], ledger },
      (batch) => batch.write("accounts", records(ids(4))),
    );
    expect(collections.accounts?.changes).toMatchObject({ known: 4, kept: 4 });
  });

  it("names no directory where a ledger of the user's own fails", async () => {
    const ledger = { ...memoryLedger(), draft: () => Promise.reject(new Error("away")) };
    const error: unknown = await harness.accounts(ids(4), { ledger }).catch((error: unknown) => error);
    expect(error).toMatchObject({
      code: "INVALID_CONFIGURATION",
      message: expect.stringMatching(/The error's cause says why; of a fileLedger look at/),
    });
  });

  it("takes a collection that is declared twice for one", async () => {
    const ledger = memoryLedger();
    const drafted: string[] = [];
    const counting: Ledger = {
      ...ledger,
      draft: (scope, batchId) => {
        drafted.push(scope.collection);
        return ledger.draft(scope, batchId);
      },
    };
    const twice = ["accounts", "accounts"] as const;
    await harness.run(twice, (batch) => batch.write("accounts", records(ids(3))), { ledger: counting });
    expect(drafted).toEqual(["accounts"]);
    const nothing = harness.run(twice, () => {}, { ledger: counting });
    await expect(nothing).rejects.toThrow("declares the snapshots accounts, but did not write accounts");
  });

  it("compares nothing where the run was told to keep no ledger", async () => {
    await harness.accounts(ids(4), { ledger: "none" });
    const { collections } = await harness.accounts([], { ledger: "none" });
    expect(collections.accounts).toMatchObject({ baseline: "off", removed: 4 });
    expect(await harness.files()).toEqual([]);
  });

  it("offers no approval where there is no ledger, and says what to do instead", async () => {
    let answer = 20;
    const run = harness.run(
      ["accounts"],
      async (batch) => {
        for (let nth = 1; nth <= 2 && answer === 20; nth += 1)
          harness.server.faults.add({
            api: "sync",
            operation: "CompleteSyncBatch",
            nth,
            kind: { type: "drop" },
          });
        await batch.write("accounts", records(ids(answer)));
        answer = 4;
      },
      { ledger: "none" },
    );
    const error = await heldBy(run);
    expect(error.approvalId).toBeUndefined();
    expect(error.message).toContain(
      'Nothing can be approved of with ledger: "none". Run again when the source is',
    );
    expect(error.message).not.toContain("cannot be written");
  });

  it.each([undefined, "", "nome", {}, "/tmp/ledger"])("refuses %j in place of a ledger", async (ledger) => {
    const options: object = { installationId: "i", snapshots: ["accounts"], ledger };
    const run = Reflect.apply(harness.client.run, harness.client, [options, () => {}]);
    await expect(run).rejects.toThrow(/ledger must be fileLedger\(directory\), another ledger, or "none"/);
  });
});

describe("the guard's options", () => {
  const cases = [
    [{ maxRemovedShare: 0.5 }, 10, 5, "passes"],
    [{ maxRemovedShare: 0.5 }, 10, 4, "is held"],
    [{ minRemoved: 8 }, 10, 3, "passes"],
    [{ minRemoved: 7 }, 10, 3, "is held"],
    [{ minRemoved: 1 }, 2, 1, "is held"],
    [{}, 4, 2, "passes"],
    [{}, 12, 9, "passes"],
    [{}, 11, 8, "is held"],
    [{ maxRemoved: 1 }, 100, 98, "is held"],
    [{ maxRemoved: 2 }, 100, 98, "passes"],
    [{ maxRemoved: 0 }, 100, 99, "is held"],
    [{ collections: { accounts: false } }, 10, 0, "passes"],
    [{ collections: { accounts: { maxRemovedShare: 0.7 } } }, 10, 4, "passes"],
    [{ maxRemovedShare: 1, collections: { accounts: { maxRemoved: 3 } } }, 10, 6, "is held"],
    [{ collections: { plans: false } }, 10, 0, "is held"],
    [false, 10, 0, "passes"],
  ] as const;
  it.each(cases)("%j: from %i to %i %s", async (guard, from, to, expected) => {
    await harness.accounts(ids(from));
    const run = harness.accounts(ids(to), { guard });
    if (expected === "is held") await heldBy(run);
    else await run;
    expect(harness.present()).toHaveLength(expected === "is held" ? from : to);
  });

  it("requireBaseline holds a collection of which the ledger knows nothing, until that is approved of", async () => {
    const guard = { requireBaseline: true };
    const error = await heldBy(harness.accounts(ids(4), { guard }));
    expect(error.collections[0]).toMatchObject({ reason: "no-baseline", known: 0, sent: 4 });
    expect(harness.states()).toEqual(["aborted"]);
    await harness.accounts(ids(4), { guard, approveRemovals: error.approvalId });
    await harness.accounts(ids(4), { guard });
  });

  it.each([
    [{ guard: { maxRemovedShare: 25 } }, /guard.maxRemovedShare must be a share from 0 to 1/],
    [{ guard: { minRemoved: 0 } }, /guard.minRemoved/],
    [{ guard: { maxRemoved: -1 } }, /guard.maxRemoved/],
    [{ guard: { collections: { accounts: { maxRemovedShare: Number.NaN } } } }, /guard.collections.accounts/],
    [{ guard: { maxRemoved: 5, ...{ maxRemovedRatio: 0.5 } } }, /guard: there is no maxRemove/],
    [{ guard: { collections: { plans: false as const, ...{ acounts: false } } } }, /there is no acounts/],
    [{ approveRemovals: "" }, /approveRemovals/],
  ])("refuses %j", async (wrong, message) => {
    await expect(harness.accounts([], wrong)).rejects.toThrow(message);
    expect(harness.states()).toEqual([]);
  });

  const share = /guard.maxRemovedShare must be a share from 0 to 1/;
  it.each<[string, object, RegExp]>([
    ["guard: null", { guard: null }, /guard must be an object, or false/],
    ["guard: true", { guard: true }, /guard must be an object, or false/],
    ["guard: 0", { guard: 0 }, /guard must be an object, or false/],
    ["guard: Map", { guard: new Map([["maxRemoved", 0]]) }, /guard must be an object, or false/],
    ["maxRemovedShare: true", { guard: { maxRemovedShare: true } }, share],
    ['maxRemovedShare: "1"', { guard: { maxRemovedShare: "1" } }, share],
    ["maxRemovedShare: [1]", { guard: { maxRemovedShare: [1] } }, share],
    ["maxRemovedShare: null", { guard: { maxRemovedShare: null } }, share],
    ["minRemoved: true", { guard: { minRemoved: true } }, /guard.minRemoved/],
    ['maxRemoved: "5"', { guard: { maxRemoved: "5" } }, /guard.maxRemoved must/],
    ["requireBaseline: null", { guard: { requireBaseline: null } }, /guard.requireBaseline must be true or/],
    ["requireBaseline: 0", { guard: { requireBaseline: 0 } }, /guard.requireBaseline must be true or/],
    ["requireBaseline: string", { guard: { requireBaseline: "false" } }, /guard.requireBaseline must be/],
    ["collections: null", { guard: { collections: null } }, /guard.collections must be an object/],
    ["collections: []", { guard: { collections: [] } }, /guard.collections must be an object/],
    [
      "collections: Map",
      { guard: { collections: new Map([["accounts", { maxRemoved: 0 }]]) } },
      /guard.collections must be an object/,
    ],
    ["accounts: null", { guard: { collections: { accounts: null } } }, /guard.collections.accounts must be/],
    ["accounts: true", { guard: { collections: { accounts: true } } }, /guard.collections.accounts must be/],
    ['signals: "yes"', { signals: "yes" }, /signals must be true or false/],
    ["signals: 1", { signals: 1 }, /signals must be true or false/],
  ])("refuses what its type does not allow: %s", async (_, wrong, message) => {
    const { installationId } = harness.server;
    const options = { installationId, snapshots: ["accounts"], ledger: memoryLedger(), ...wrong };
    const run = Reflect.apply(harness.client.run, harness.client, [options, () => {}]);
    await expect(run).rejects.toMatchObject({
      code: "INVALID_INPUT",
      message: expect.stringMatching(message),
    });
    expect(harness.states()).toEqual([]);
  });
});
