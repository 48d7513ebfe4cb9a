import { mkdir, readdir, rename } from "node:fs/promises";
import { join } from "node:path";
import { fileLedger, type RecordOf, type RunReceipt, type SnapshotCollection } from "@saas-management/sdk";
import { heldBy, type TestService } from "../../../support/test-service.js";
import {
  type Attack,
  attack,
  DAY_MS,
  people,
  person,
  renamed,
  send,
  sendNextDay,
  sendTo,
  testAttacks,
  WHOLE,
} from "./attacks.js";
import { employees, licenses, plans } from "./records.js";

const HOUR_MS = DAY_MS / 24;

// Holding a run for no reason is an attack, too: people who must approve a run every day approve everything.
testAttacks([
  honest("five employees become nine", "employees", [employees(0, 5), employees(0, 9)]),
  honest("the first two employees become twenty", "employees", [employees(0, 2), employees(0, 20)]),
  honest(
    "a company grows from 5 to 240 in weeks",
    "employees",
    [5, 9, 17, 33, 53, 74, 103, 144, 201, 240].map((count) => employees(0, count)),
  ),
  honest("a company of a hundred buys one of forty", "employees", [employees(0, 100), employees(0, 140)]),
  honest("a collection that was empty gets 300 records", "employees", [[], employees(0, 300)]),
  honest("three employees become five", "employees", [employees(0, 3), employees(0, 5)]),
  honest("a collection is sent for the first time", "employees", [employees(0, 200)]),
  honest("a fifth of the temporary staff is away on a weekend", "employees", [
    employees(0, 100),
    employees(0, 80),
    employees(0, 80),
    employees(0, 100),
  ]),
  honest(
    "a fifth of the temporary staff gets new ids every night",
    "employees",
    Array.from({ length: 10 }, (_, night) => [
      ...employees(0, 80),
      ...employees(1000 + 20 * night, 1020 + 20 * night),
    ]),
    180,
  ),
  honest(
    "a tenth of the employees is temporary",
    "employees",
    Array.from({ length: 8 }, (_, day) => [...employees(0, 90), ...employees(1000 + day, 1010 + day)]),
    7,
  ),
  honest("one of two employees is replaced", "employees", [employees(0, 2), employees(1, 3)], 1),
  honest("two of four employees leave", "employees", [employees(0, 4), employees(0, 2)], 2),
  honest("the only plan gets another id", "plans", [plans("p-2025"), plans("p-2026")], 1),
  honest("a quarter of the employees is laid off", "employees", [employees(0, 100), employees(0, 75)], 25),
  honest(
    "two layoffs of 14% are nine days apart",
    "employees",
    [employees(0, 100), ...Array.from({ length: 9 }, () => employees(0, 86)), employees(0, 74)],
    26,
  ),
  honest("a field that two records had is renamed", "employees", [
    employees(0, 60, (i) => (i < 2 ? { costCenter: "c-1" } : {})),
    employees(0, 60, (i) => (i < 2 ? { division: "c-1" } : {})),
  ]),
  honest("a quarter of the e-mail addresses is missing", "employees", [
    employees(0, 40),
    employees(0, 40, (i) => (i < 10 ? { email: undefined } : {})),
  ]),
  honest("24 employees join, and their e-mail addresses are not known yet", "employees", [
    employees(0, 60),
    employees(0, 84, (i) => (i < 60 ? {} : { email: undefined })),
  ]),
  honest("a quarter of the employees leaves", "employees", [employees(0, 40), employees(0, 30)], 10),
  honest("records get a field that none of them had", "employees", [
    employees(0, 40),
    employees(0, 40, (i) => ({ jobTitle: `title ${i}`, hasMailbox: i > 5 })),
  ]),
  honest("all e-mail addresses move to another domain", "employees", [
    employees(0, 40),
    employees(0, 40, (i) => ({ email: `e${i}@new.example` })),
  ]),
  honest("half of the seats becomes free of charge", "licenses", [
    licenses(0, 40),
    licenses(0, 40, (i) => ({ billable: i % 2 === 0 })),
  ]),
  honest(
    "half of the managers leave before others come",
    "employees",
    [employees(0, 60), employees(5, 60)],
    5,
  ),
  honest("three fifths of the departments change", "employees", [
    ...Array.from({ length: 9 }, () => employees(0, 60)),
    employees(0, 60, (i) => (i < 36 ? { departmentPath: ["company", `unit ${i % 6}`] } : {})),
  ]),
  honest("the records come in another order", "licenses", [licenses(0, 40), licenses(0, 40).reverse()]),
  honest("all records come twice", "licenses", [licenses(0, 40), [...licenses(0, 40), ...licenses(0, 40)]]),
  honest(
    "somebody joins and somebody leaves every hour",
    "employees",
    Array.from({ length: 12 }, (_, hour) => employees(hour, 60 + hour)),
    11,
    HOUR_MS,
  ),
  honest("a job was down for a quarter", "employees", [employees(0, 60), employees(15, 84)], 15, 91 * DAY_MS),
  attack("a collection is left out for a week", WHOLE, {
    prepare: (service) => sendTo(service, "licenses", licenses(0, 40)),
    attack: async (service) => {
      for (let day = 0; day < 7; day += 1) await sendNextDay(service, people());
      return sendTo(service, "licenses", licenses(0, 45));
    },
  }),
  attack("the ledger moves to another machine", WHOLE, {
    attack: async (service) => {
      const moved = join(service.directory, "moved");
      const names = await readdir(service.directory);
      await mkdir(moved);
      for (const name of names) await rename(join(service.directory, name), join(moved, name));
      return send(service, people(0, 45), { ledger: fileLedger(moved) });
    },
    heldAfterwards: true,
  }),
  attack(
    "a clean-up was approved, and an honest run follows",
    { kind: "reported", collection: "employees", removed: 42, allowedBy: "approval" },
    {
      prepare: (service) => sendTo(service, "employees", employees(0, 60)),
      attack: async (service) => {
        const { approvalId: approve } = await heldBy(sendTo(service, "employees", employees(0, 20)));
        const cleaned = await sendTo(service, "employees", employees(0, 20), { approve });
        service.clock.advance(DAY_MS);
        return [cleaned, await sendTo(service, "employees", [...employees(2, 20), ...employees(60, 63)])];
      },
    },
  ),
  attack("a clean-up was approved, and what it removed comes back", WHOLE, {
    prepare: (service) => sendTo(service, "employees", employees(0, 60)),
    attack: async (service) => {
      const { approvalId: approve } = await heldBy(sendTo(service, "employees", employees(0, 40)));
      await sendTo(service, "employees", employees(0, 40), { approve });
      return sendTo(service, "employees", employees(0, 60));
    },
  }),
  attack("a run is held, and the next one is whole again", WHOLE, async (service) => {
    await heldBy(send(service, people(0, 10)));
    await heldBy(
      send(
        service,
        renamed((id) => `x-${id}`),
      ),
    );
    return sendNextDay(service, people());
  }),
  attack("a person is replaced under the same id", WHOLE, (service) =>
    send(service, [{ ...person(0), name: "Somebody", email: "else@example.com" }, ...people(1)]),
  ),
]);

/** Daily runs of one collection that no run has sent before. */
function honest<C extends SnapshotCollection>(
  name: string,
  collection: C,
  runs: readonly (readonly RecordOf<C>[])[],
  removed = 0,
  everyMs = DAY_MS,
): Attack {
  return attack(
    name,
    removed === 0 ? WHOLE : { kind: "reported", collection, removed },
    async (service: TestService) => {
      const receipts: RunReceipt[] = [];
      for (const records of runs) {
        receipts.push(await sendTo(service, collection, records));
        service.clock.advance(everyMs);
      }
      return receipts;
    },
  );
}
