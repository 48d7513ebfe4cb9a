import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import {
  fileLedger,
  idsOfLines,
  type LedgerDraft,
  linesOfIds,
  memoryLedger,
  SyncClient,
} from "@saas-management/sdk/sync";
import { beforeEach, describe, expect, it } from "vitest";
import { quietLogger } from "../../support/quiet-logger.js";
import { heldBy, ids, records, useSafetyHarness } from "../../support/safety-harness.js";

let warnings: string[];
beforeEach(() => {
  warnings = [];
});
const harness = useSafetyHarness({ logger: quietLogger({ warn: (text) => void warnings.push(text) }) });
/** The operation fails so often that its retry is used up too. */
const breakOnce = (
  operation: "SyncRecords" | "CompleteSyncBatch" | "AbortSyncBatch",
  at: "request" | "answer",
) => {
  for (let nth = 1; nth <= 2; nth += 1)
    harness.server.faults.add({ api: "sync", operation, nth, kind: { type: "drop", at } });
};

describe("one id twice in a snapshot", () => {
  it("with different contents is refused: they are two things", async () => {
    const run = harness.run(["accounts"], async (batch) => {
      const hr = { generic: { id: "u1", name: "of HR" } };
      await batch.write("accounts", [
        hr,
        ...records(ids(1)),
        { generic: { id: "u1", name: "of the vendor" } },
      ]);
    });
    await expect(run).rejects.toMatchObject({
      code: "INVALID_INPUT",
      issues: [
        {
          collection: "accounts",
          index: 2,
          id: "u1",
          expected: expect.stringContaining("the record at index 0 has the same id and different contents"),
        },
      ],
    });
    expect(harness.states()).toEqual(["aborted"]);
  });

  it("with the same contents is counted, also without a ledger", async () => {
    for (const ledger of [memoryLedger(), "none" as const]) {
      const { collections } = await harness.accounts(["u0", "u1", "u0", "u0"], { ledger });
      expect(collections.accounts).toMatchObject({ sent: 4, duplicates: 2 });
    }
  });

  it("is nobody's business with neither a guard nor a ledger", async () => {
    const off = { ledger: "none", guard: false } as const;
    const { collections } = await harness.accounts(["u0", "u1", "u0"], off);
    expect(collections.accounts).toMatchObject({ sent: 3, added: 2 });
    expect(collections.accounts).not.toHaveProperty("duplicates");
    expect(collections.accounts).not.toHaveProperty("baseline");
  });
});

describe("a restart", () => {
  it("that sends far fewer ids than an earlier attempt of the run is held", async () => {
    let answer = ids(20);
    const run = harness.run(["accounts", "groups"], async (batch) => {
      await batch.write("accounts", records(answer));
      // The vendor's second answer is a part of the first one.
      if (answer.length === 20) breakOnce("SyncRecords", "request");
      answer = ids(5);
      await batch.write("groups", []);
    });
    const error = await heldBy(run);
    expect(error.collections[0]).toMatchObject({ collection: "accounts", known: 20, sent: 5, removed: 15 });
    expect(error.message).toContain("15 of them sent by an earlier attempt of this run");
    expect(harness.states()).toEqual(["aborted", "aborted"]);
  });

  /** A run whose first attempt sends `first` and is lost before it is completed. */
  const restarted = (first: readonly string[], second: readonly string[]) => {
    let answer = first;
    return harness.run(["accounts", "groups"], async (batch) => {
      await batch.write("accounts", records(answer));
      if (answer === first) breakOnce("SyncRecords", "request");
      answer = second;
      await batch.write("groups", []);
    });
  };

  it("counts the ids that its own first attempt had sent as new still", async () => {
    const first = await restarted(ids(11), ids(10));
    expect(first).toMatchObject({
      restarts: 1,
      collections: { accounts: { baseline: "none", known: 0, new: 10, newShare: 1, kept: 0 } },
    });
    const second = await restarted(ids(16), ids(15));
    expect(second).toMatchObject({
      restarts: 1,
      collections: { accounts: { baseline: "ledger", known: 10, new: 5, kept: 10, gone: 0 } },
    });
  });

  it("says of which of its removals there is a list", async () => {
    await harness.accounts(ids(10));
    const error = await heldBy(restarted(ids(60), ids(8)));
    const [held] = error.collections;
    expect(held).toMatchObject({ known: 60, removed: 52, kept: 8, added: 0, firstRemoved: ["u8", "u9"] });
    expect(error.message).toContain("52 of 60 known ids of accounts would be removed");
    expect(error.message).toContain(`those of the ledger are listed in ${held?.listedIn}`);
    const lines = (await readFile(held?.listedIn ?? "", "utf8")).split("\n");
    expect(lines.slice(1, -2)).toEqual(["u8", "u9"]);
  });

  it("names no list where only its own first attempt had sent what would be removed", async () => {
    const error = await heldBy(restarted(ids(60), ids(8)));
    expect(error.collections[0]).toMatchObject({ known: 60, removed: 52, added: 8, listedIn: undefined });
    expect(error.message).not.toContain("listed in");
  });

  it("that sends the same again goes through, also without a ledger", async () => {
    for (const ledger of [memoryLedger(), "none" as const]) {
      let attempts = 0;
      const receipt = await harness.run(
        ["accounts"],
        async (batch) => {
          attempts += 1;
          if (attempts === 1) breakOnce("SyncRecords", "request");
          await batch.write("accounts", records(ids(20)));
        },
        { ledger },
      );
      expect(receipt).toMatchObject({ restarts: 1, collections: { accounts: { gone: 0 } } });
      harness.server.faults.clear();
    }
  });
});

describe("a completion", () => {
  it("whose answer was lost, but which was done, becomes the baseline", async () => {
    await harness.run(["accounts"], async (batch) => {
      await batch.write("accounts", records(ids(10)));
      breakOnce("CompleteSyncBatch", "answer");
    });
    expect((await harness.accounts(ids(10))).collections.accounts).toMatchObject({
      baseline: "ledger",
      kept: 10,
    });
  });

  it("of which nobody knows whether it was done leaves the next run guarded against both", async () => {
    await harness.accounts(ids(10));
    const unknown = harness.run(
      ["accounts"],
      async (batch) => {
        await batch.write("accounts", records([...ids(10), ...ids(10, "new")]));
        breakOnce("CompleteSyncBatch", "answer");
        breakOnce("AbortSyncBatch", "request");
      },
      { restarts: 0 },
    );
    await expect(unknown).rejects.toMatchObject({ code: "BATCH_OUTCOME_UNKNOWN" });
    const error = await heldBy(harness.accounts(ids(10)));
    expect(error.collections[0]).toMatchObject({ known: 20, removed: 10 });
    const { collections } = await harness.accounts([...ids(10), ...ids(10, "new")]);
    expect(collections.accounts).toMatchObject({ baseline: "unclear", known: 20, gone: 0 });
  });

  it("of which nobody knows whether it was done stays so where the run is ended before it begins anew", async () => {
    const ledger = memoryLedger();
    await harness.accounts(ids(10), { ledger });
    const stop = new AbortController();
    // The directory of its journal cannot be made: each attempt says so when it has its batch, and then begins.
    const file = join(harness.directory, "file");
    await writeFile(file, "");
    let batches = 0;
    const logger = {
      debug: () => {},
      info: () => {},
      error: () => {},
      warn: (message: string) => {
        if (!message.includes("could not be written down")) return;
        batches += 1;
        if (batches === 2) stop.abort();
      },
    };
    const { syncUrl, apiKey, clock, installationId } = harness.server;
    const retry = { retries: 1, minDelayMs: 1, maxDelayMs: 1 };
    await using client = new SyncClient({ endpoint: syncUrl, apiKey, clock, logger, retry });
    const journaled = { ...ledger, directory: file };
    const run = client.run(
      {
        installationId,
        snapshots: ["accounts"],
        ledger: journaled,
        signal: stop.signal,
      },
      async (batch) => {
        await batch.write("accounts", records([...ids(10), ...ids(10, "new")]));
        breakOnce("CompleteSyncBatch", "answer");
        breakOnce("AbortSyncBatch", "request");
      },
    );
    await expect(run).rejects.toBeDefined();
    expect(batches).toBe(2);
    harness.server.faults.clear();
    const { collections } = await harness.accounts([...ids(10), ...ids(10, "new")], { ledger });
    expect(collections.accounts).toMatchObject({ baseline: "unclear", known: 20 });
  });

  it("is not asked for where the ledger cannot keep the ids", async () => {
    const ledger = memoryLedger();
    const full = new Error("ENOSPC");
    const broken = {
      ...ledger,
      draft: async (...args: Parameters<typeof ledger.draft>) => ({
        ...(await ledger.draft(...args)),
        save: () => Promise.reject(full),
      }),
    };
    await expect(harness.accounts(ids(3), { ledger: broken })).rejects.toMatchObject({
      code: "INVALID_CONFIGURATION",
      cause: full,
      message: expect.stringContaining("could not take down the ids of accounts, so nothing was completed"),
    });
    expect(harness.states()).toEqual(["aborted"]);
  });

  it("is not asked for where the ledger takes ids in asynchronously, and fails", async () => {
    const ledger = memoryLedger();
    const gone = new Error("the database is away");
    const saved: string[] = [];
    const broken = {
      ...ledger,
      draft: async (...args: Parameters<typeof ledger.draft>): Promise<LedgerDraft> => ({
        ...(await ledger.draft(...args)),
        write: async () => {
          throw gone;
        },
        save: async () => void saved.push("accounts"),
      }),
    };
    await expect(harness.accounts(ids(3), { ledger: broken })).rejects.toMatchObject({
      code: "INVALID_CONFIGURATION",
      cause: gone,
      message: expect.stringContaining("could not take down the ids of accounts, so nothing was completed"),
    });
    expect(saved).toEqual([]);
    expect(harness.states()).toEqual(["aborted"]);
    expect(harness.server.inspect(harness.server.installationId).lock).toBeNull();
  });

  it("is asked for when a ledger that takes ids in asynchronously has them all", async () => {
    const ledger = memoryLedger();
    const slow = {
      ...ledger,
      draft: async (...args: Parameters<typeof ledger.draft>): Promise<LedgerDraft> => {
        const draft = await ledger.draft(...args);
        return {
          ...draft,
          write: async (lines) => {
            for (let turn = 0; turn < 100; turn += 1) await new Promise((resolve) => setImmediate(resolve));
            draft.write(lines);
          },
        };
      },
    };
    await harness.accounts(ids(3), { ledger: slow });
    const { collections } = await harness.accounts(ids(3), { ledger });
    expect(collections.accounts).toMatchObject({ baseline: "ledger", kept: 3 });
  });

  it("that the ledger cannot note is done nevertheless, and the next run is guarded against both", async () => {
    const ledger = memoryLedger();
    const broken = {
      ...ledger,
      draft: async (...args: Parameters<typeof ledger.draft>) => ({
        ...(await ledger.draft(...args)),
        promote: () => Promise.reject(new Error("EIO")),
      }),
    };
    await harness.accounts(ids(10), { ledger });
    await harness.accounts([...ids(10), ...ids(10, "new")], { ledger: broken });
    expect((await harness.accounts(ids(20), { ledger, guard: false })).collections.accounts).toMatchObject({
      baseline: "unclear",
      known: 20,
    });
  });

  it.each(["fileLedger", "memoryLedger"])(
    "that %s notes late does not touch what a later batch keeps, nor come after it",
    async (kind) => {
      const ledger = kind === "fileLedger" ? fileLedger(harness.directory) : memoryLedger();
      const { installationId } = harness.server;
      const scope = { endpoint: "https://sync.example.com", installationId, collection: "accounts" } as const;
      const draft = async (batchId: string, id: string) => {
        const drafted = await ledger.draft(scope, batchId);
        drafted.write(linesOfIds([id]));
        await drafted.save();
        return drafted;
      };
      const known = async () => {
        const found: string[] = [];
        for (const { state, lines } of await ledger.known(scope))
          for await (const piece of lines()) found.push(`${state} ${idsOfLines(piece).join()}`);
        return found.sort();
      };
      const early = await draft("b1", "u1");
      const later = await draft("b2", "u2");
      await early.promote();
      expect(await known()).toEqual(["completed u1", "unclear u2"]);
      const last = await draft("b3", "u3");
      await last.promote();
      await later.promote();
      expect(await known()).toEqual(["completed u3"]);
    },
  );

  it("of a ledger that fails while it is read is held", async () => {
    const ledger = { ...memoryLedger(), known: () => Promise.reject(new Error("the database is away")) };
    const error = await heldBy(harness.accounts(ids(3), { ledger }));
    expect(error.collections[0]?.reason).toBe("unreadable-ledger");
    expect(error.message).not.toContain("the database is away");
    const { collections } = await harness.accounts(ids(3), { ledger, guard: false });
    expect(collections.accounts?.baseline).toBe("unreadable");
  });

  it("is held, and says nothing of the batch that it cannot know: somebody else may have completed it", async () => {
    const ledger = memoryLedger();
    await harness.accounts(ids(10), { ledger });
    const foreign = {
      ...ledger,
      hold: async (...args: Parameters<typeof ledger.hold>) => {
        const batchId = harness.server.inspect(harness.server.installationId).lock?.batchId ?? "";
        await harness.client.openBatch(batchId).complete({ unverified: true });
        return ledger.hold(...args);
      },
    };
    const error = await heldBy(harness.accounts(ids(2), { ledger: foreign }));
    expect(harness.present()).toEqual(ids(2));
    expect(error.message).not.toMatch(/nothing was|was not completed|was aborted/);
    expect(error.message).toMatch(/^The run was held, and has removed nothing: 8 of 10 /);
    expect(error.message).toContain("It did not complete its batch.");
    expect(warnings).toContainEqual(expect.stringContaining("which this run did not do"));
  });

  it("finds a baseline gone with the directory, which requireBaseline tells", async () => {
    await harness.accounts(ids(10));
    await rm(harness.directory, { recursive: true });
    const error = await heldBy(harness.accounts(ids(1), { guard: { requireBaseline: true } }));
    expect(error.collections[0]?.reason).toBe("no-baseline");
    expect(harness.present()).toEqual(ids(10));
  });
});

describe("a batch that somebody else completed", () => {
  const complete = (batchId: string) => harness.client.openBatch(batchId).complete({ unverified: true });
  const told = expect.stringContaining("the batch was completed, which this run did not do");

  it("is no success of a run whose source then throws, and the next one is compared with what was before", async () => {
    await harness.accounts(ids(10));
    const broken = new Error("vendor API answered 500");
    const run = harness.run(["accounts"], async (batch) => {
      const writer = batch.open("accounts");
      await writer.push(records(ids(5)));
      await complete(batch.id);
      throw broken;
    });
    await expect(run).rejects.toBe(broken);
    expect(warnings).toContainEqual(told);
    expect(harness.states()).toEqual(["completed", "completed"]);
    const error = await heldBy(harness.accounts(ids(5)));
    expect(error.collections[0]).toMatchObject({ known: 10, removed: 5 });
  });

  it("is no success of a run that has yet to complete it, and the next one is guarded against both", async () => {
    await harness.accounts(ids(10));
    const run = harness.run(["accounts"], async (batch) => {
      await batch.write("accounts", records([...ids(10), ...ids(10, "new")]));
      await complete(batch.id);
    });
    await expect(run).rejects.toMatchObject({ code: "BATCH_STATE", reason: "completed" });
    expect(warnings).toContainEqual(told);
    const error = await heldBy(harness.accounts(ids(10)));
    expect(error.collections[0]).toMatchObject({ known: 20, removed: 10 });
  });

  it("uses up no approval", async () => {
    await harness.accounts(ids(10));
    const { approvalId: approveRemovals } = await heldBy(harness.accounts([]));
    const run = harness.run(
      ["accounts"],
      async (batch) => {
        await batch.write("accounts", []);
        await complete(batch.id);
      },
      { approveRemovals },
    );
    await expect(run).rejects.toMatchObject({ code: "BATCH_STATE", reason: "completed" });
    const { collections } = await harness.accounts([], { approveRemovals });
    expect(collections.accounts).toMatchObject({ baseline: "unclear", gone: 10 });
  });
});

describe("expectedCount", () => {
  it.each([2, 4])("of %i refuses a source with 3 records, and says both", async (expectedCount) => {
    const run = harness.run(["accounts"], async (batch) => {
      await batch.write("accounts", records(ids(3)), { expectedCount });
    });
    await expect(run).rejects.toMatchObject({
      code: "INVALID_INPUT",
      message: expect.stringContaining(`accounts had 3 records, and expectedCount says ${expectedCount}`),
    });
    expect(harness.states()).toEqual(["aborted"]);
  });

  it("lets the right number pass, on a write, on open and on seal", async () => {
    await harness.run(["accounts", "groups", "plans"], async (batch) => {
      await batch.write("accounts", records(ids(3)), { expectedCount: 3 });
      await batch.open("groups", { expectedCount: 0 }).seal();
      await batch.open("plans").seal({ expectedCount: 0 });
    });
    expect(harness.states()).toEqual(["completed"]);
  });

  it("refuses on seal too, also on a batch of one's own", async () => {
    const { installationId } = harness.server;
    const batch = await harness.client.startBatch({ installationId });
    const open = batch.open("accounts");
    await open.push(records(ids(2)));
    await expect(open.seal({ expectedCount: 3 })).rejects.toThrow(/had 2 records, and expectedCount says 3/);
    await expect(batch.complete()).rejects.toMatchObject({
      code: "BATCH_STATE",
      reason: "incomplete",
      message: expect.stringContaining(
        "the write of accounts failed (INVALID_INPUT: The source of accounts had 2",
      ),
    });
    await batch.abort();
  });
});

describe("the refusal to complete names the collection and why", () => {
  it("where a source threw", async () => {
    const broken = new Error("secret contents");
    const { installationId } = harness.server;
    const batch = await harness.client.startBatch({ installationId });
    const source = function* () {
      yield* records(ids(1));
      throw broken;
    };
    await expect(batch.write("groups", source())).rejects.toBe(broken);
    const refused = await batch.complete().catch((error: unknown) => error);
    expect(refused).toMatchObject({ reason: "incomplete", cause: broken });
    expect(String(refused)).toContain("the write of groups failed, so the batch's snapshots are not whole");
    expect(String(refused)).not.toContain("secret");
    await batch.abort();
  });

  it("where a collection was not sealed", async () => {
    const run = harness.run(["accounts"], async (batch) => {
      await batch.open("accounts").push(records(ids(1)));
    });
    await expect(run).rejects.toThrow(/accounts was opened and not sealed/);
  });
});
