/** However a connector writes, and whatever it does with the error: a held snapshot ends the run. */
import type { RunBatch, RunOptions } from "@saas-management/sdk";
import { expect, test } from "vitest";
import { accounts, heldBy, ids, testService } from "../../support/test-service.js";

const service = testService();
type Both = RunBatch<"accounts" | "groups">;
type Write = (batch: Both, attempt: number) => unknown;

/** A run whose groups, if they are sent, are ten new ones; it must not get that far. */
async function run(write: Write, options: Partial<RunOptions> = {}) {
  await service.run(["accounts", "groups"], async (batch) => {
    await batch.write("accounts", accounts(10));
    await batch.write("groups", accounts(10));
  });
  let held = 0;
  const onHeld = () => {
    held += 1;
  };
  const connect = (batch: Both, { attempt }: { readonly attempt: number }) => write(batch, attempt);
  const all = { onHeld, ...options };
  const { reasons, approvalId } = await heldBy(service.run(["accounts", "groups"], connect, all));
  expect(reasons.map(({ collection, rule }) => [collection, rule])).toEqual([["accounts", "removed"]]);
  expect(approvalId).toBeDefined();
  expect(held).toBe(1);
  expect(service.present()).toEqual(ids(10));
  expect(service.states().at(-1)).toBe("aborted");
  expect(service.inspect().snapshots.groups).toHaveLength(10);
}

const newGroups = () => accounts(ids(10, "new"));
const ignore = () => {};

const ways: readonly (readonly [string, Write])[] = [
  [
    "catches every rejection and returns",
    async (batch) => {
      await batch.write("accounts", accounts(4)).catch(ignore);
      await batch.write("groups", newGroups()).catch(ignore);
    },
  ],
  [
    "awaits nothing and returns",
    (batch) => {
      void batch.write("accounts", accounts(4)).catch(ignore);
      void batch.write("groups", newGroups()).catch(ignore);
      return Promise.resolve();
    },
  ],
  [
    "writes all at once",
    (batch) => Promise.allSettled([batch.write("accounts", accounts(4)), batch.write("groups", newGroups())]),
  ],
  [
    "goes on with a writer",
    async (batch) => {
      await batch.write("accounts", accounts(4)).catch(ignore);
      const writer = batch.writer("groups");
      await writer.write(newGroups()).catch(ignore);
      await writer.end().catch(ignore);
    },
  ],
  [
    "ends a writer and ignores it",
    async (batch) => {
      const writer = batch.writer("accounts");
      await writer.write(accounts(4));
      await writer.end().catch(ignore);
      await batch.write("groups", newGroups()).catch(ignore);
    },
  ],
  [
    "does not await the end of a writer",
    async (batch) => {
      await batch.write("groups", accounts(10));
      const writer = batch.writer("accounts");
      await writer.write(accounts(4));
      void writer.end().catch(ignore);
    },
  ],
  [
    "has another writer open",
    async (batch) => {
      const groups = batch.writer("groups");
      const writer = batch.writer("accounts");
      await writer.write(accounts(4));
      await writer.end().catch(ignore);
      await groups.write(newGroups()).catch(ignore);
      await groups.end().catch(ignore);
    },
  ],
  [
    "throws an error of its own",
    (batch) =>
      batch.write("accounts", accounts(4)).catch(() => {
        throw new TypeError("of the connector");
      }),
  ],
  [
    "writes the collection again in full",
    async (batch) => {
      await batch.write("accounts", accounts(4)).catch(ignore);
      await batch.write("accounts", accounts(10)).catch(ignore);
      await batch.write("groups", accounts(10)).catch(ignore);
    },
  ],
  [
    "sends pages until a source that never ends",
    async (batch) => {
      await batch.write("accounts", accounts(4)).catch(ignore);
      await batch
        .write(
          "groups",
          (async function* () {
            yield newGroups();
            await new Promise(ignore);
          })(),
        )
        .catch(ignore);
    },
  ],
];

test.each(ways)("a connector is held that %s", (_, write) => run(write));

const outage = (batch: Both) => {
  const kind = { fault: "status", status: "UNAVAILABLE" } as const;
  service.server.faults.add({ on: "SyncRecords", times: 2, ...kind });
  return batch.write("groups", accounts(10));
};

test("a restart is held that sends less than the first attempt", async () => {
  const attempts: number[] = [];
  await run(async (batch, attempt) => {
    attempts.push(attempt);
    await batch.write("accounts", accounts(attempt === 1 ? 10 : 4));
    await outage(batch);
  });
  expect(attempts).toEqual([1, 2]);
});

test("a held attempt is not started again, whatever fails with it", async () => {
  const attempts: number[] = [];
  const drop = { fault: "status", status: "UNAVAILABLE" } as const;
  service.server.faults.add({ on: "AbortSyncBatch", times: 1, ...drop });
  await run(async (batch, attempt) => {
    attempts.push(attempt);
    await batch.write("accounts", accounts(4)).catch(() => outage(batch).catch(ignore));
  });
  expect(attempts).toEqual([1]);
});

test("a restart forgets that the first attempt was approved", async () => {
  const seen: string[] = [];
  await service.run(["accounts", "groups"], async (batch) => {
    await batch.write("accounts", accounts(10));
    await batch.write("groups", accounts(10));
  });
  const short = (approve?: string, restartWith = 4) =>
    service.run(
      ["accounts", "groups"],
      async (batch, { attempt }) => {
        seen.push(`${attempt}`);
        await batch.write("accounts", accounts(attempt === 1 ? 4 : restartWith));
        await (attempt === 1 && approve !== undefined ? outage(batch) : batch.write("groups", accounts(10)));
      },
      { approve },
    );
  const { approvalId } = await heldBy(short());
  const fewer = await heldBy(short(approvalId, 3));
  expect(fewer.message).toContain("it would remove other records than the approved ones");
  const { approvalId: again } = await heldBy(short());
  const { restarts, collections } = await short(again);
  expect(restarts).toBe(1);
  expect(collections.accounts?.expected).toMatchObject({ removed: 6 });
  expect(seen).toEqual(["1", "1", "2", "1", "1", "2"]);
});
