/** Several connectors of one installation: a hold stands until a run of the held collections is completed. */
import { readFile } from "node:fs/promises";
import { fileLedger, type RunHistory, type RunOptions, storeLedger } from "@saas-management/sdk";
import { expect, test } from "vitest";
import { FileStore } from "../../../src/runs/ledger/file-store.js";
import { openLedger } from "../../../src/runs/ledger/ledger.js";
import { noteApproved } from "../../../src/runs/ledger/notes.js";
import { recordsOf, type Snapshot, usage } from "../../support/records.js";
import { isPutOf, watchedStore } from "../../support/stores.js";
import { heldBy, ids, testService } from "../../support/test-service.js";

const service = testService();
const DAY_MS = 24 * 60 * 60_000;

type Sizes = Partial<Record<Snapshot, readonly [from: number, to: number]>>;

/** A run of these collections, each with a range of records. */
function send(sizes: Sizes, options?: Partial<RunOptions>) {
  const names: Snapshot[] = [];
  for (const name of ["accounts", "plans", "employees"] as const)
    if (sizes[name] !== undefined) names.push(name);
  return service.run(
    names,
    async (batch) => {
      for (const name of names) {
        const [from, to] = sizes[name] ?? [0, 0];
        await batch.write(name, recordsOf(name, ids(to).slice(from)));
      }
    },
    options,
  );
}

const sendEvents = () => service.run([], (batch) => batch.write("usage", [usage("e")]));

const held = async (): Promise<RunHistory["held"]> => {
  const { installationId } = service;
  return (await service.sync.history({ installationId, ledger: fileLedger(service.directory) })).held;
};

/** What `saas-management approve` does. */
function approve(id = ""): Promise<void> {
  const { server, installationId, clock } = service;
  const scope = { endpoint: server.syncUrl, installationId };
  return noteApproved(openLedger(fileLedger(service.directory), scope, { clock, timeoutMs: 60_000 }), id);
}

const shown = async () =>
  (await held()).map(({ reasons, isApproved }) => [
    reasons.map(({ collection }) => collection).join(),
    isApproved,
  ]);

test.each([1, 2, 3, 4, 5, 6, 7, 8, 9, 10])(
  "an approved clean-up passes after %i days of changes in the source, unless it has expired",
  async (days) => {
    await send({ accounts: [0, 200] });
    const { approvalId } = await heldBy(send({ accounts: [80, 200] }));
    await approve(approvalId);
    service.clock.advance(days * DAY_MS);
    const drifted = { accounts: [80 + days, 200 + days] } as const;
    let allowed: string | undefined;
    if (days >= 7) {
      const late = await heldBy(send(drifted));
      expect(late.message).toContain("it has expired");
      allowed = late.approvalId;
    }
    const { collections } = await send(drifted, { approve: allowed });
    expect(collections.accounts?.expected).toMatchObject({ removed: 80 + days, added: days });
    expect(await held()).toEqual([]);
  },
);

test("a held clean-up that changes a little each day keeps its approval id until it differs too much", async () => {
  await send({ accounts: [0, 200] });
  const first = await heldBy(send({ accounts: [80, 200] }));
  for (let day = 1; day <= 10; day += 1) {
    service.clock.advance(DAY_MS);
    const next = await heldBy(send({ accounts: [80 + day, 200 + day] }));
    expect(next.approvalId).toBe(first.approvalId);
  }
  const other = await heldBy(send({ accounts: [150, 210] }));
  expect(other.approvalId).not.toBe(first.approvalId);
  await heldBy(send({ accounts: [90, 210] }, { approve: first.approvalId }));
});

test.each([
  ["events only", () => sendEvents()],
  ["another collection", () => send({ plans: [0, 10] })],
])("an hourly connector for %s ends neither a hold nor its approval", async (_, hourly) => {
  await send({ accounts: [0, 100] });
  await hourly();
  const { approvalId } = await heldBy(send({ accounts: [0, 20] }));
  for (let hour = 0; hour < 3; hour += 1) await hourly();
  expect(await shown()).toEqual([["accounts", false]]);
  await approve(approvalId);
  for (let hour = 0; hour < 3; hour += 1) await hourly();
  expect(await shown()).toEqual([["accounts", true]]);
  await send({ accounts: [0, 20] });
  expect(await shown()).toEqual([]);
});

const ORDERS = [
  ["accounts", "plans", "employees"],
  ["accounts", "employees", "plans"],
  ["plans", "accounts", "employees"],
  ["plans", "employees", "accounts"],
  ["employees", "accounts", "plans"],
  ["employees", "plans", "accounts"],
] as const;

test.each(ORDERS)(
  "three connectors are held at once, and decided in the order %s, %s, %s",
  async (...order) => {
    const all = ["accounts", "plans", "employees"] as const;
    const approvals: Partial<Record<Snapshot, string | undefined>> = {};
    for (const name of all) await send({ [name]: [0, 40] });
    for (const name of all) approvals[name] = (await heldBy(send({ [name]: [0, 10] }))).approvalId;
    expect(new Set(Object.values(approvals)).size).toBe(3);
    const waiting = new Set<Snapshot>(all);
    await approve(approvals[order[1]]);
    for (const name of order) {
      if (name !== order[1]) await heldBy(send({ [name]: [0, 10] }));
      await send({ [name]: [0, 10] }, { approve: approvals[name] });
      waiting.delete(name);
      expect((await shown()).map(([names]) => names).sort()).toEqual([...waiting].sort());
    }
  },
);

test("one id covers all collections of a held run, and completing one of them leaves the others held", async () => {
  await send({ accounts: [0, 40], plans: [0, 40], employees: [0, 40] });
  const { approvalId } = await heldBy(send({ accounts: [0, 10], plans: [0, 10], employees: [0, 40] }));
  expect(await shown()).toEqual([["accounts,plans", false]]);
  await send({ accounts: [0, 40] });
  expect(await shown()).toEqual([["plans", false]]);
  const text = String((await held())[0]);
  expect(text).not.toContain("- accounts:");
  expect(text).toContain("- plans:");
  await send({ plans: [0, 10] }, { approve: approvalId });
  expect(await shown()).toEqual([]);
});

test("an approval of only one of a run's two collections is kept while the other collection is held", async () => {
  await send({ accounts: [0, 40], plans: [0, 40] });
  const first = await heldBy(send({ accounts: [0, 10], plans: [0, 40] }));
  const both = { accounts: [0, 10], plans: [0, 10] } as const;
  const second = await heldBy(send(both, { approve: first.approvalId }));
  expect(await shown()).toEqual([
    ["accounts", true],
    ["plans", false],
  ]);
  await send(both, { approve: second.approvalId });
  expect(service.present()).toEqual(ids(10));
});

/** A completed run of 41 accounts whose ledger entry waits until it is released. */
async function lateRun() {
  let reached = () => {};
  let letGo = () => {};
  const isReached = new Promise<void>((resolve) => {
    reached = resolve;
  });
  const isFree = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  const store = watchedStore(new FileStore(service.directory), async (call, go) => {
    if (isPutOf("state")(call)) {
      reached();
      await isFree;
    }
    return go();
  });
  const run = send({ accounts: [0, 41] }, { ledger: storeLedger(store) });
  await isReached;
  const note = () => {
    letGo();
    return run;
  };
  return { note };
}

test.each([
  ["a hold", false, false],
  ["an approved hold", true, false],
  ["a hold that resembles an earlier one", false, true],
  ["an approved hold that resembles an earlier one", true, true],
])("does not end %s when an earlier run's ledger entry comes late", async (_, isApproved, isAgain) => {
  await send({ accounts: [0, 40] });
  if (isAgain) await heldBy(send({ accounts: [0, 10] }));
  const { note } = await lateRun();
  const { approvalId } = await heldBy(send({ accounts: [0, 10] }));
  if (isApproved) await approve(approvalId);
  const { surprises } = await note();
  expect(surprises).toEqual([]);
  expect(await shown()).toEqual([["accounts", isApproved]]);
  await send({ accounts: [0, 10] }, isApproved ? {} : { approve: approvalId });
  expect(service.present()).toEqual(ids(10));
  expect(await held()).toEqual([]);
});

test("a late ledger entry discards neither a later completed run nor holds of other collections", async () => {
  await send({ accounts: [0, 40], plans: [0, 40] });
  const { note } = await lateRun();
  const { approvalId } = await heldBy(send({ plans: [0, 10] }));
  await send({ accounts: [0, 42] });
  await note();
  expect(await shown()).toEqual([["plans", false]]);
  // This run is compared with the later completed run, so it removes u41.
  const { collections } = await send({ accounts: [0, 41] });
  expect(collections.accounts?.expected).toMatchObject({ removed: 1 });
  await send({ plans: [0, 10] }, { approve: approvalId });
});

test("the lists of what a completed run removed and added are kept as long as its receipt", async () => {
  await send({ accounts: [0, 10] });
  const { collections } = await send({ accounts: [1, 12] });
  const { removals = "", additions = "" } = collections.accounts?.listedIn ?? {};
  expect((await readFile(removals, "utf8")).split("\n").slice(1, -2)).toEqual(["u0"]);
  expect((await readFile(additions, "utf8")).split("\n").slice(1, -2)).toEqual(["u10", "u11"]);
  for (let run = 0; run < 29; run += 1) await send({ accounts: [1, 12] });
  const lists = async () => (await service.files()).filter((path) => path.endsWith(".txt"));
  expect(await lists()).toEqual([additions, removals]);
  await send({ accounts: [1, 12] });
  expect(await lists()).toEqual([]);
});

test("with hashIds, a run keeps no lists", async () => {
  const ledger = fileLedger(service.directory, { hashIds: true });
  await send({ accounts: [0, 10] }, { ledger });
  const { collections } = await send({ accounts: [1, 12] }, { ledger });
  expect(collections.accounts?.listedIn).toBeUndefined();
  const { reasons, approvalId } = await heldBy(send({ accounts: [1, 3] }, { ledger }));
  expect(reasons[0]?.listedIn).toBeUndefined();
  expect((await service.files()).filter((path) => path.endsWith(".txt"))).toEqual([]);
  await send({ accounts: [1, 3] }, { ledger, approve: approvalId });
});
