import { inBamboo, inMicrosoft } from "../../../support/records.js";
import { heldBy } from "../../../support/test-service.js";
import {
  type Attack,
  attack,
  type Ending,
  held,
  people,
  person,
  send,
  sendNextDay,
  sendTo,
  testAttacks,
  WHOLE,
} from "./attacks.js";
import { employees, licenses } from "./records.js";

/** A record in a form that a source might yield and that the types may refuse. */
type Loose = Readonly<Record<string, unknown>> & { readonly id: string };

const emptied = (...fields: readonly string[]) => held({ rule: "changed", fields, known: 40, removed: 0 });

const free = () => ({ billable: false });

testAttacks([
  mapped("name and address are missing in all records", emptied("name", "email"), ({ id }) => ({
    id,
  })),
  mapped("a boolean is missing in all records", emptied("active"), ({ active: _, ...rest }) => rest),
  mapped("a field is missing in every second record", emptied("email"), ({ email, ...rest }, i) =>
    i % 2 === 0 ? { ...rest, email } : rest,
  ),
  mapped("a field is missing in eleven of forty records", emptied("email"), ({ email, ...rest }, i) =>
    i < 29 ? { ...rest, email } : rest,
  ),
  lost("a list is empty", ["departmentPath"], employees(0, 30), () => ({
    departmentPath: [],
  })),
  lost(
    "a map that all records had is empty",
    ["attributes"],
    employees(0, 30, () => ({ attributes: { site: "x" } })),
    () => ({ attributes: {} }),
  ),
  lost("five of sixteen values are lost", ["costCenter"], employees(0, 60, costCenters(16)), costCenters(11)),
  attack("a field loses a fifth of its values every day", held({ rule: "changed", fields: ["email"] }), {
    prepare: async (service) => {
      for (const left of [32, 26]) await sendNextDay(service, withEmails(left));
    },
    attack: (service) => sendNextDay(service, withEmails(19)),
  }),
  attack(
    "a field is lost in the run in which many people join",
    held({ rule: "changed", fields: ["email"] }),
    (service) =>
      send(service, [...withEmails(20), ...people(100, 148).map(({ id, name }) => ({ id, name }))]),
  ),
  attack(
    "a field is lost in the run in which a fifth of the records is removed",
    held({ rule: "changed", fields: ["email"], removed: 8 }),
    (service) => send(service, withEmails(16).slice(0, 32)),
  ),
  attack(
    "a field was lost while the guard was off, and a second one is lost",
    held({ rule: "changed", fields: ["name"] }),
    {
      prepare: (service) => send(service, withEmails(0), { guard: false }),
      attack: (service) =>
        send(
          service,
          people().map(({ id, active }) => ({ id, active })),
        ),
    },
  ),
  attack("the records have another model", held({ rule: "changed", fields: ["email"] }), {
    prepare: (service) => sendTo(service, "employees", employees(0, 30)),
    attack: (service) => sendTo(service, "employees", employees(0, 30).map(inMicrosoft)),
  }),
  attack("a field of a variant is lost", held({ rule: "changed", fields: ["bambooHr.workEmail"] }), {
    prepare: (service) => sendTo(service, "employees", bamboo(30)),
    attack: (service) => sendTo(service, "employees", bamboo(3)),
  }),
  billable(
    "a boolean is flipped in most records",
    licenses(0, 40, (i) => ({ billable: i % 20 === 0 })),
  ),
  {
    ...billable("a boolean is flipped a second time after it was held", licenses(0, 40, free)),
    prepare: (service) => heldBy(sendTo(service, "licenses", licenses(0, 40, free))),
  },
  billable("a boolean is flipped, and many join", [...licenses(0, 40, free), ...licenses(40, 60)]),
  attack("an approved change of a boolean is taken back", WHOLE, async (service) => {
    const { approvalId: approve } = await heldBy(sendTo(service, "licenses", licenses(0, 40, free)));
    await sendTo(service, "licenses", licenses(0, 40, free), { approve });
    return sendTo(service, "licenses", licenses(0, 40));
  }),
  mapped(
    "the records are those of other people",
    held({ rule: "changed", known: 40, removed: 0 }),
    ({ id }, i) => ({
      ...person(1000 + i),
      id,
    }),
  ),
  mapped("ids are those of the row below", held({ rule: "changed" }), ({ id }, i) => ({
    ...person(i + 1),
    id,
  })),
  mapped(
    "nearly all names and addresses are those of other people",
    held({ rule: "changed" }),
    (record, i) => (i % 20 === 0 ? record : { ...person(500 + i), id: record.id }),
  ),
  attack(
    "two collections lose a field at the same time",
    held({ collection: "licenses", rule: "changed", fields: ["billable"] }),
    (service) =>
      service.run(["accounts", "licenses"], async (batch) => {
        await batch.write("accounts", people());
        await batch.write("licenses", licenses(0, 40, free));
      }),
  ),
  attack("the rule about removals is off, and a field is lost", emptied("email"), (service) =>
    send(service, withEmails(0), { guard: { removed: false } }),
  ),
  attack("a field is lost, and its rule is off", WHOLE, (service) =>
    send(service, withEmails(0), { guard: { changed: false } }),
  ),
  attack("a boolean is flipped, and its rule is off for the collection", WHOLE, (service) =>
    sendTo(service, "licenses", licenses(0, 40, free), {
      guard: { collections: { licenses: { changed: false } } },
    }),
  ),
]);

/** All accounts, changed. */
function mapped(
  name: string,
  ending: Ending,
  change: (record: ReturnType<typeof person>, i: number) => Loose,
): Attack {
  return attack(name, ending, (service) => send(service, JSON.parse(JSON.stringify(people().map(change)))));
}

type Employee = ReturnType<typeof employees>[number];

/** Changes some fields of the same employees. */
function lost(
  name: string,
  fields: readonly string[],
  before: readonly Employee[],
  change: (i: number) => object,
): Attack {
  return attack(name, held({ rule: "changed", fields }), {
    prepare: (service) => sendTo(service, "employees", before),
    attack: (service) => sendTo(service, "employees", employees(0, before.length, change)),
  });
}

function billable(name: string, sent: ReturnType<typeof licenses>): Attack {
  return attack(name, held({ rule: "changed", fields: ["billable"] }), (service) =>
    sendTo(service, "licenses", sent),
  );
}

/** All accounts; the first `count` have an e-mail address. */
function withEmails(count: number) {
  return people().map(({ email, ...rest }, i) => (i < count ? { ...rest, email } : rest));
}

function costCenters(count: number) {
  return (i: number) => (i < count ? { costCenter: `c-${i}` } : {});
}

/** Employees from BambooHR; the first `emails` have an e-mail address. */
function bamboo(emails: number) {
  return Array.from({ length: 30 }, (_, i) =>
    inBamboo({ id: `b-${i}`, fullName: `employee ${i}`, ...(i < emails && { email: `b${i}@example.com` }) }),
  );
}
