import { type Attack, type Ending, held, refused } from "./attack.js";
import { people, person, renamed, type World } from "./world.js";

/** Ways in which the ids, or how they are judged, are not what they were. */
export const identityAttacks: readonly Attack[] = [
  renaming("ids are upper-cased", (id) => id.toUpperCase()),
  renaming("ids get a prefix", (id) => `vendor:${id}`),
  renaming("e-mail addresses take the place of ids", (_, i) => person(i).generic.email),
  renaming("numbers are formatted in another way (`1` becomes `1.0`)", (id) => `${id}.0`),
  renaming("ids have another Unicode form", (id) => id.normalize("NFD")),
  renaming("ids are no longer trimmed", (id) => `${id} `),
  renaming("all ids are equal, and so are the contents", () => "undefined", held(/40 of 40/), true),
  {
    ...renaming(
      "all ids are equal",
      () => "undefined",
      refused("INVALID_INPUT", /same id and different contents/),
    ),
    stop: "poisoned batch",
  },
  {
    name: "two systems have the same ids",
    stop: "poisoned batch",
    ending: refused("INVALID_INPUT", /accounts\[40\] \(id "né-0"\).*same id and different contents/),
    attack: ({ send }) => send([...people(), { generic: { id: "né-0", name: "of another system" } }]),
  },
  {
    name: "an id is a number",
    stop: "poisoned batch",
    ending: refused("INVALID_INPUT", /accounts\[0\] generic\.id: expected a string/),
    // What a vendor sends is not what its types say.
    attack: ({ send }) => send(JSON.parse('[{"generic":{"id":1}}]')),
  },
  {
    name: "a quarter of the records is missing",
    stop: "reported",
    ending: { kind: "reported", collection: "accounts", removed: 10 },
    attack: ({ send }) => send(people(0, 30)),
  },
  {
    name: "a bit more than a quarter of the records is missing",
    stop: "removal guard",
    ending: held(/11 of 40/),
    attack: ({ send }) => send(people(0, 29)),
  },
  {
    name: "a few more are missing every day, each day no more than a quarter",
    stop: "reported",
    ending: { kind: "reported", collection: "accounts", removed: 40 - 11 },
    attack: async ({ send }) => {
      const days = [31, 24, 19, 15, 12, 11];
      const receipts = [];
      for (const left of days) receipts.push(await send(people(0, left)));
      return receipts;
    },
  },
  {
    name: "a few more are missing every day, and `maxRemoved` is set",
    stop: "removal guard",
    ending: held(/9 of 40/),
    attack: ({ send }) => send(people(0, 31), { guard: { maxRemoved: 5 } }),
  },
  {
    name: "both records of a small collection get other ids",
    stop: "reported",
    ending: { kind: "reported", collection: "plans", removed: 2 },
    prepare: (world) => plans(world, ["p1", "p2"]),
    attack: (world) => plans(world, ["plan-1", "plan-2"]),
  },
  {
    name: "both records of a small collection are gone",
    stop: "removal guard",
    ending: held(/2 of 2 known ids of plans/),
    prepare: (world) => plans(world, ["p1", "p2"]),
    attack: (world) => plans(world, []),
  },
  {
    name: "the guard is off for another collection",
    stop: "removal guard",
    ending: held(/20 of 40/),
    attack: ({ send }) => send(people(0, 20), { guard: { collections: { licenses: false } } }),
  },
  {
    name: "the guard is off for the collection",
    stop: "reported",
    ending: { kind: "reported", collection: "accounts", removed: 20, allowedBy: "option" },
    attack: ({ send }) => send(people(0, 20), { guard: { collections: { accounts: false } } }),
  },
  {
    name: "an option of the guard is misspelled",
    stop: "option checks",
    ending: refused("INVALID_INPUT", /guard: there is no maxRemove/),
    attack: ({ send }) => send(people(0, 20), { guard: { minRemoved: 3, ...{ maxRemove: 5 } } }),
  },
  {
    name: "an option of the guard is of another type: `maxRemovedShare: true`",
    stop: "option checks",
    ending: refused("INVALID_INPUT", /guard.maxRemovedShare must be a share from 0 to 1/),
    attack: ({ send }) => {
      const guard: object = { maxRemovedShare: true };
      return send(people(0, 20), { guard });
    },
  },
];

function renaming(
  name: string,
  idOf: (id: string, i: number) => string,
  ending: Ending = held(/40 of 40/),
  equalContents = false,
): Attack {
  return {
    name,
    stop: "removal guard",
    ending,
    attack: ({ send }) =>
      send(equalContents ? people().map((_, i) => ({ generic: { id: idOf("", i) } })) : renamed(idOf)),
  };
}

function plans({ run }: World, ids: readonly string[]) {
  return run(["plans"], async (batch) => {
    const records = ids.map((id) => ({
      generic: { id, externalPlanName: "plan", details: { model: "SEAT_BASED" as const, seatBased: {} } },
    }));
    await batch.write("plans", records);
  });
}
