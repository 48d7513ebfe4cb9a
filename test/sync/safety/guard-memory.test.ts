/** What runs add to a collection's history, and what they don't. */
import {
  fileLedger,
  type GuardOptions,
  type Ledger,
  type RecordOf,
  type RunOptions,
  type SnapshotCollection,
} from "@saas-management/sdk";
import { memoryLedger } from "@saas-management/sdk/testing";
import { expect, test } from "vitest";
import { CollectionLedger } from "../../../src/runs/ledger/collection-ledger.js";
import { openLedger } from "../../../src/runs/ledger/ledger.js";
import type { PastSnapshots } from "../../../src/runs/ledger/past.js";
import { connectorOf } from "../../support/connector.js";
import { pastsOf } from "../../support/ledgers.js";
import { recordsOf } from "../../support/records.js";
import { heldBy, ids, testService } from "../../support/test-service.js";

const service = testService();
const HOUR_MS = 3_600_000;

function people(count: number, more: Partial<RecordOf<"accounts">> = {}): RecordOf<"accounts">[] {
  return ids(count).map((id) => ({
    id,
    name: `name ${id}`,
    email: `${id}@example.com`,
    active: true,
    ...more,
  }));
}

function send(records: readonly RecordOf<"accounts">[], options: Partial<RunOptions> = {}) {
  return service.run(["accounts"], (batch) => batch.write("accounts", records), options);
}

interface Remembered {
  readonly collection?: SnapshotCollection;
  readonly ledger?: Ledger;
}

function rememberedOf({ collection = "accounts", ledger = fileLedger(service.directory) }: Remembered = {}) {
  const { server, installationId } = service;
  const opened = openLedger(ledger, { endpoint: new URL(server.syncUrl).origin, installationId });
  return pastsOf(new CollectionLedger(opened, collection));
}

const sizes = (pasts: PastSnapshots) =>
  pasts.map(({ sent, superseded = false }) => (superseded ? `${sent} before` : sent));

async function rulesOf(run: Promise<unknown>) {
  const { reasons, approvalId } = await heldBy(run);
  const rules = reasons.map(({ rule, fields = [] }) => [rule, ...fields.map(({ name }) => name)].join(" "));
  return { rules, approve: approvalId };
}

const guardsThatAreOff: (GuardOptions | false)[] = [
  false,
  { offUntil: "2999-01-01" },
  { collections: { accounts: false } },
];

test.each(guardsThatAreOff)("a run with guard %j is remembered but not judged", async (guard) => {
  await send(people(40));
  const receipt = await send(people(20, { email: "" }), { guard });
  const isOn = guard !== false && guard.collections !== undefined;
  expect(receipt.guard).toBe(isOn ? "on" : "off");
  expect(`${receipt}`.split("\n")[0]).toContain(isOn ? "; guard: on." : "; guard: off.");
  expect(receipt.collections.accounts?.expected).toMatchObject({ baseline: "completed", removed: 20 });
  expect(sizes(await rememberedOf())).toEqual([40, 20]);
  // The next run is compared with both snapshots.
  expect((await rulesOf(send(people(20, { email: "", active: false })))).rules).toEqual([
    "window",
    "changed active",
  ]);
  expect((await rulesOf(send(people(14)))).rules).toEqual(["removed"]);
  expect((await send(people(40), { guard: { added: false } })).guard).toBe("on");
});

test("runs that are held, aborted, previewed or refused add nothing to the history", async () => {
  await send(people(40));
  const before = await rememberedOf();
  await heldBy(send(people(3)));
  await heldBy(send(people(40, { active: false })));
  const failing = service.run(["accounts"], async (batch) => {
    await batch.write("accounts", people(45));
    throw new Error("of the source");
  });
  await expect(failing).rejects.toThrow("of the source");
  service.server.faults.add({ on: "CompleteSyncBatch", fault: "status", status: "PERMISSION_DENIED" });
  await expect(send(people(45))).rejects.toMatchObject({ code: "PERMISSION_DENIED" });
  const { installationId, sync } = service;
  const connector = connectorOf(["accounts"], (batch) => batch.write("accounts", people(45)));
  await sync.preview(connector, { installationId, ledger: fileLedger(service.directory) });
  expect(await rememberedOf()).toEqual(before);
  await send(people(41));
  expect(sizes(await rememberedOf())).toEqual([40, 41]);
});

test("runs are compared with an unclear snapshot, which is not part of the history", async () => {
  await send(people(40));
  const drop = { fault: "drop", at: "request" } as const;
  for (const on of ["CompleteSyncBatch", "AbortSyncBatch"] as const)
    service.server.faults.add({ on, times: 2, ...drop });
  const unclear = send(people(60), { guard: false, retryForMs: 0 });
  await expect(unclear).rejects.toMatchObject({ code: "BATCH_OUTCOME_UNKNOWN" });
  expect(sizes(await rememberedOf())).toEqual([40]);
  expect((await rulesOf(send(people(40)))).rules).toEqual(["removed"]);
  await send(people(60));
  expect(sizes(await rememberedOf())).toEqual([40, 60]);
});

test("an approval discards the earlier history", async () => {
  await send(people(40));
  const { rules, approve } = await rulesOf(send(people(20, { email: "", active: false })));
  expect(rules).toEqual(["removed", "changed email active"]);
  await send(people(20, { email: "", active: false }), { approve });
  expect(sizes(await rememberedOf())).toEqual(["40 before", 20]);
  await send(people(20, { email: "", active: false }));
  await send(people(20, { email: "", active: true }));
  await send(people(16, { email: "", active: true }));
  expect((await rulesOf(send(people(13, { email: "", active: true })))).rules).toEqual(["window"]);
});

test("an approval of one collection keeps the history of another one", async () => {
  const both = (users: number, staff: number, approve?: string) =>
    service.run(
      ["accounts", "employees"],
      async (batch) => {
        await batch.write("accounts", people(users));
        await batch.write("employees", recordsOf("employees", ids(staff)));
      },
      { approve },
    );
  await both(40, 40);
  const { approve } = await rulesOf(both(20, 31));
  await both(20, 31, approve);
  expect(sizes(await rememberedOf())).toEqual(["40 before", 20]);
  expect(sizes(await rememberedOf({ collection: "employees" }))).toEqual([40, 31]);
  expect((await rulesOf(both(20, 25))).rules).toEqual(["window"]);
});

test("remembers at most 16 snapshots of at most 1 KiB each and a sample of 5 KiB, over 60 days of two runs a day", async () => {
  const ledger = memoryLedger();
  const { clock } = service;
  for (let i = 0; i < 120; i += 1) {
    const employees = ids(44 + (i % 7)).map((id) => ({
      id,
      fullName: `name ${id}`,
      firstName: "f",
      lastName: "l",
      email: `${id}@example.com`,
      active: i % 2 === 0,
      deleted: false,
      avatarUrl: "https://example.com/a",
      orgUnit: "unit",
      jobTitle: "title",
      country: "CH",
      division: "division",
      costCenter: "centre",
      userType: "type",
      managerId: "u0",
      hasMailbox: true,
    }));
    const options = { ledger, firstRun: i === 0, guard: { changed: false } } as const;
    await service.run(["employees"], (batch) => batch.write("employees", employees), options);
    clock.advance(12 * HOUR_MS);
    if (i % 20 !== 19) continue;
    const pasts = await rememberedOf({ ledger, collection: "employees" });
    expect(pasts.length).toBeGreaterThanOrEqual(11);
    expect(pasts.length).toBeLessThanOrEqual(16);
    for (const past of pasts.slice(0, -1)) expect(JSON.stringify(past).length).toBeLessThanOrEqual(1024);
    expect(JSON.stringify(pasts.at(-1)).length).toBeLessThanOrEqual(6 * 1024);
  }
});
