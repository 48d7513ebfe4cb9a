import { expect } from "vitest";
import type { TestService } from "../../../support/test-service.js";
import { type Attack, held, people, person, refused, renamed, send, testAttacks } from "./attacks.js";

const renamings: readonly (readonly [name: string, idOf: (id: string, i: number) => string])[] = [
  ["ids are upper-cased", (id) => id.toUpperCase()],
  ["ids get a prefix", (id) => `vendor:${id}`],
  ["e-mail addresses replace ids", (_, i) => person(i).email],
  ["numbers are formatted differently (`1` becomes `1.0`)", (id) => `${id}.0`],
  ["ids have another Unicode form", (id) => id.normalize("NFD")],
  ["ids are no longer trimmed", (id) => `${id} `],
];

const plans = (service: TestService, ids: readonly string[]) =>
  service.run(["plans"], async (batch) => {
    const records = ids.map((id) => ({
      id,
      externalPlanName: "plan",
      details: { model: "SEAT_BASED" as const, seatBased: {} },
    }));
    await batch.write("plans", records);
  });

testAttacks([
  ...renamings.map(
    ([name, idOf]): Attack => ({
      name,
      ending: held({ known: 40, sent: 40, removed: 40 }),
      attack: (service) => send(service, renamed(idOf)),
    }),
  ),
  {
    name: "all ids are equal, and so are the contents",
    ending: held({ known: 40, sent: 1, removed: 40 }),
    attack: (service) =>
      send(
        service,
        people().map(() => ({ id: "undefined" })),
      ),
  },
  {
    name: "all ids are equal",
    ending: refused("INVALID_INPUT"),
    attack: (service) =>
      send(
        service,
        renamed(() => "undefined"),
      ),
  },
  {
    name: "two systems have the same id",
    ending: refused("INVALID_INPUT", { issues: [expect.objectContaining({ index: 40, id: "né-0" })] }),
    attack: (service) => send(service, [...people(), { id: "né-0", name: "of another system" }]),
  },
  {
    name: "an id is a number",
    ending: refused("INVALID_INPUT", { issues: [expect.objectContaining({ index: 0 })] }),
    attack: (service) => send(service, JSON.parse('[{"id":1}]')),
  },
  {
    name: "a quarter of the records is missing",
    ending: { kind: "reported", collection: "accounts", removed: 10 },
    attack: (service) => send(service, people(0, 30)),
  },
  {
    name: "a little more than a quarter of the records is missing",
    ending: held({ known: 40, removed: 11 }),
    attack: (service) => send(service, people(0, 29)),
  },
  {
    name: "up to a quarter is missing every day",
    ending: held({ rule: "window", known: 31, removed: 7 }),
    prepare: (service) => send(service, people(0, 31)),
    heldAfterwards: true,
    attack: async (service) => {
      const receipts = [];
      for (const left of [24, 19, 15]) receipts.push(await send(service, people(0, left)));
      return receipts;
    },
  },
  {
    name: "a few are missing, and `removed.max` is set",
    ending: held({ known: 40, removed: 9 }),
    attack: (service) => send(service, people(0, 31), { guard: { removed: { max: 5 } } }),
  },
  {
    name: "both records of a small collection get other ids",
    ending: held({ collection: "plans", rule: "removed", known: 2, sent: 2, removed: 2 }),
    prepare: (service) => plans(service, ["p1", "p2"]),
    attack: (service) => plans(service, ["plan-1", "plan-2"]),
  },
  {
    name: "both records of a small collection are missing",
    ending: held({ collection: "plans", known: 2, removed: 2 }),
    prepare: (service) => plans(service, ["p1", "p2"]),
    attack: (service) => plans(service, []),
  },
  {
    name: "the guard is off for another collection",
    ending: held({ known: 40, removed: 20 }),
    attack: (service) => send(service, people(0, 20), { guard: { collections: { licenses: false } } }),
  },
  {
    name: "the guard is off for the collection",
    ending: { kind: "reported", collection: "accounts", removed: 20, allowedBy: "option" },
    attack: (service) => send(service, people(0, 20), { guard: { collections: { accounts: false } } }),
  },
  {
    name: "an option of the guard is misspelled",
    ending: refused("INVALID_INPUT"),
    attack: (service) => send(service, people(0, 20), { guard: { removed: { min: 3, ...{ maxx: 5 } } } }),
  },
]);
