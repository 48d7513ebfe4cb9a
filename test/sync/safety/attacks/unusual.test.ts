/** Attacks that no fixed limit would notice: unusually many removals, repeated pages, and one value in all records. */
import { heldBy, type TestService } from "../../../support/test-service.js";
import {
  type Account,
  type Attack,
  attack,
  COUNT,
  type Ending,
  held,
  people,
  send,
  sendNextDay,
  sendTo,
  testAttacks,
  WHOLE,
} from "./attacks.js";
import { employees, plans } from "./records.js";

const gone = (removed: number) => ({ kind: "reported", collection: "accounts", removed }) as const;
/** Sends all records, and then some of them a second time. */
const twice = (records: readonly Account[], from: number, to: number) => [
  ...records,
  ...records.slice(from, to),
];

testAttacks([
  unusual("a sixth is lost after quiet days", 8, held({ removed: 7 }), () => people(7)),
  unusual("an eighth is lost after quiet days", 8, gone(5), () => people(5)),
  unusual("a sixth is lost in the first week", 5, gone(7), () => people(7)),
  unusual("a sixth is lost, and `removed` allows more", 8, held({ removed: 7 }), () => people(7), {
    removed: { maxShare: 0.5 },
  }),
  unusual("a sixth is lost, and `removed` is off", 8, { ...gone(7), allowedBy: "option" }, () => people(7), {
    removed: false,
  }),
  attack("a sixth is lost days after a tenth left and returned", gone(7), {
    prepare: async (service) => {
      for (let day = 0; day < 10; day += 1)
        await sendNextDay(service, people(0, day === 1 ? COUNT - 4 : COUNT));
    },
    attack: (service) => sendNextDay(service, people(7)),
  }),
  attack("a page is read twice in place of the next one", held({ removed: 5, duplicates: 5 }), (service) =>
    send(service, twice(people(5), 0, 5)),
  ),
  attack(
    "a page is read twice in place of the next one, in two parts",
    held({ removed: 6, duplicates: 3 }),
    (service) => send(service, twice(people(6), 0, 3)),
  ),
  attack(
    "a removal is approved, and then a page is read twice in place of the next one",
    held({ removed: 25, duplicates: 5 }),
    async (service) => {
      const { approvalId: approve } = await heldBy(send(service, people(20)));
      return send(service, twice(people(25), 0, 5), { approve });
    },
  ),
  attack("a page is read twice, and `removed` is off", { ...gone(5), allowedBy: "option" }, (service) =>
    send(service, twice(people(5), 0, 5), { guard: { removed: false } }),
  ),
  attack(
    "each of three plans comes under a second id",
    held({ collection: "plans", rule: "added", known: 3, added: 3 }),
    {
      prepare: (service) => sendTo(service, "plans", plans("a", "b", "c")),
      attack: (service) => sendTo(service, "plans", plans("a", "b", "c", "A", "B", "C")),
    },
  ),
  attack(
    "all three employees have other names",
    held({ collection: "employees", rule: "changed", fields: ["fullName"] }),
    {
      prepare: (service) => sendTo(service, "employees", employees(0, 3)),
      attack: (service) =>
        sendTo(
          service,
          "employees",
          employees(0, 3, (i) => ({ fullName: `Other ${i}` })),
        ),
    },
  ),
  attack("two of three employees have other names", WHOLE, {
    prepare: (service) => sendTo(service, "employees", employees(0, 3)),
    attack: (service) =>
      sendTo(
        service,
        "employees",
        employees(0, 3, (i) => (i === 0 ? {} : { fullName: `Other ${i}` })),
      ),
  }),
  collapsed("all people are inactive", "active", (record) => ({ ...record, active: false })),
  collapsed("most names are undefined", "name", (record, i) =>
    i % 20 < 17 ? { ...record, name: "undefined undefined" } : record,
  ),
  collapsed("all addresses are the same", "email", (record) => ({ ...record, email: "info@example.com" })),
  collapsed("most people have one mailbox", "email", (record, i) =>
    i % 6 === 0 ? record : { ...record, email: "none@example.com" },
  ),
  attack("on the second day, everybody is active except some who were active before", WHOLE, (service) =>
    sendNextDay(
      service,
      people().map((record, i) => ({ ...record, active: i % 10 !== 1 })),
    ),
  ),
  attack("on the second day, half of the names are rewritten", WHOLE, (service) =>
    sendNextDay(
      service,
      people().map((record, i) => (i % 2 === 0 ? record : { ...record, name: `${record.name} (she/her)` })),
    ),
  ),
]);

/** Sends another snapshot after days without a change. */
function unusual(
  name: string,
  days: number,
  ending: Ending,
  records: () => readonly Account[],
  guard: NonNullable<Exclude<Parameters<typeof send>[2], undefined>["guard"]> = {},
): Attack {
  return attack(name, ending, {
    prepare: async (service: TestService) => {
      for (let day = 0; day < days; day += 1) await sendNextDay(service, people());
    },
    attack: (service) => sendNextDay(service, records(), { guard }),
  });
}

/** The attack is the second run, a day after the first. */
function collapsed(
  name: string,
  field: string,
  change: (record: Account & { readonly name: string }, i: number) => Account,
): Attack {
  return attack(
    `${name} on the second day`,
    held({ rule: "changed", fields: [field], removed: 0 }),
    (service) => sendNextDay(service, people().map(change)),
  );
}
