/** Large changes made on purpose: the guard asks once, people join before the answer, and the next day is quiet. */
import type { RecordOf, SnapshotCollection } from "@saas-management/sdk";
import { heldBy } from "../../../support/test-service.js";
import { type Attack, DAY_MS, sendTo, testAttacks } from "./attacks.js";
import { employees, licenses, plans } from "./records.js";

const other = (i: number) => ({ fullName: `Mustermensch, ${i}` });
const renumbered = (i: number) => ({ costCenter: `new ${i % 4}` });
const reorganised = (count: number) => (i: number) =>
  i < count ? { departmentPath: ["company", `unit ${i % 6}`] } : {};
const attributes = { phone: "+49 30 1" };

testAttacks([
  asked("people come for a season", "employees", [employees(0, 60), employees(0, 95)]),
  asked("a company buys another one", "employees", [employees(0, 100), employees(0, 180)]),
  asked("five employees become forty", "employees", [employees(0, 5), employees(0, 40)]),
  asked("three employees become six", "employees", [employees(0, 3), employees(0, 6)]),
  asked("a pilot of ten becomes everybody", "employees", [employees(0, 10), employees(0, 90)]),
  asked("a third is laid off", "employees", [employees(0, 90), employees(0, 60)]),
  asked("unused licenses are given back", "licenses", [licenses(0, 40), licenses(0, 20)]),
  asked("a trial ends", "licenses", [licenses(0, 40), licenses(0, 1)]),
  asked("a vendor gives all licenses new ids", "licenses", [licenses(0, 40), licenses(1000, 1040)]),
  asked("four of six plans are replaced", "plans", [
    plans("a", "b", "c", "d", "e", "f"),
    plans("e", "f", "g", "h", "i", "j"),
  ]),
  asked("leased staff is exchanged at once", "employees", [
    employees(0, 50),
    [...employees(20, 50), ...employees(100, 120)],
  ]),
  asked("addresses are deleted for the sake of privacy", "employees", [
    employees(0, 60),
    employees(0, 60, () => ({ email: undefined })),
  ]),
  asked("phones are deleted", "employees", [employees(0, 60, () => ({ attributes })), employees(0, 60)]),
  asked("names are written surname first", "employees", [employees(0, 60), employees(0, 60, other)], 8),
  asked(
    "cost centres are renumbered",
    "employees",
    [employees(0, 60, (i) => ({ costCenter: `${i % 4}` })), employees(0, 60, renumbered)],
    8,
  ),
  asked(
    "a department takes in all others",
    "employees",
    [employees(0, 60), employees(0, 60, () => ({ departmentPath: ["company", "department 0"] }))],
    8,
  ),
  asked("most departments change", "employees", [employees(0, 60), employees(0, 60, reorganised(38))], 8),
  asked("everybody gets a mailbox", "employees", [
    employees(0, 40, () => ({ hasMailbox: false })),
    employees(0, 40, () => ({ hasMailbox: true })),
  ]),
  asked("all licenses belong to a pool", "licenses", [
    licenses(0, 40),
    licenses(0, 40, () => ({ sourceAccountId: "pool" })),
  ]),
  asked("a site closes after quiet days", "employees", [employees(0, 60), employees(10, 60)], 9),
  asked("half of the people move to another company", "employees", [employees(0, 60), employees(30, 60)]),
]);

/** @param days Number of quiet days before the change. */
function asked<C extends SnapshotCollection>(
  name: string,
  collection: C,
  [before, after]: readonly [readonly RecordOf<C>[], readonly RecordOf<C>[]],
  days = 2,
): Attack {
  const idOf = (record: object) => `${Reflect.get(record, "id") ?? Reflect.get(record, "sourceId")}`;
  const kept = new Set(after.map(idOf));
  const removed = before.filter((record) => !kept.has(idOf(record))).length;
  /** People who joined in the meantime: copies of the last record under new ids. */
  const joined = (count: number) =>
    after.slice(-1).flatMap((record): RecordOf<C>[] =>
      Array.from({ length: count }, (_, i) => {
        const field = collection === "licenses" ? "sourceId" : "id";
        return { ...record, [field]: `joined-${i}` };
      }),
    );
  return {
    name,
    ending:
      removed === 0 ? { kind: "whole" } : { kind: "reported", collection, removed, allowedBy: "approval" },
    prepare: async (service) => {
      for (let day = 0; day < days; day += 1) {
        service.clock.advance(DAY_MS);
        await sendTo(service, collection, before);
      }
      service.clock.advance(DAY_MS);
    },
    attack: async (service) => {
      const { approvalId: approve } = await heldBy(sendTo(service, collection, after));
      const receipts = [];
      for (const [count, options] of [
        [1, { approve }],
        [2, {}],
      ] as const) {
        service.clock.advance(DAY_MS);
        receipts.push(await sendTo(service, collection, [...after, ...joined(count)], options));
      }
      return receipts;
    },
  };
}
