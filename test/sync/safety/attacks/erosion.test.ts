import { fileLedger, type RunOptions } from "@saas-management/sdk";
import { TestClock } from "@saas-management/sdk/testing";
import { connectorOf } from "../../../support/connector.js";
import type { TestService } from "../../../support/test-service.js";
import {
  type Attack,
  attack,
  DAY_MS,
  type Ending,
  held,
  leaveUnclear,
  people,
  renamed,
  send,
  sendTo,
  testAttacks,
} from "./attacks.js";
import { employees } from "./records.js";

const SHRUNK = held({ rule: "window", removed: 7 });
const HOUR_MS = DAY_MS / 24;

testAttacks([
  // Each of these runs is less than a quarter shorter than the one before.
  eroded("every hour", HOUR_MS),
  eroded("every week", 7 * DAY_MS),
  eroded("every quarter of a year", 91 * DAY_MS),
  attack("the records shrink on a machine whose clock is ten days behind", SHRUNK, {
    prepare: (service) => after(service, DAY_MS, 31),
    attack: (service) => sendBehind(service, 10 * DAY_MS, 24),
  }),
  attack(
    "forty records shrink to 24 over eight runs, two at a time",
    held({ rule: "window", known: 30, removed: 2 }),
    {
      prepare: async (service) => {
        for (const left of [38, 36, 34, 32, 30]) await after(service, DAY_MS, left);
      },
      attack: (service) => after(service, DAY_MS, 28),
    },
  ),
  attack("a week of small runs hides the large one before", held({ rule: "window", known: 31, removed: 2 }), {
    prepare: async (service) => {
      for (let run = 0; run < 7; run += 1) await after(service, HOUR_MS, 31);
    },
    attack: (service) => after(service, HOUR_MS, 29),
  }),
  between("a run with `guard: false` is between two shorter ones", (service) =>
    after(service, HOUR_MS, 31, { guard: false }),
  ),
  between("a run of another collection is between two shorter ones", (service) =>
    sendTo(service, "employees", employees(0, 10)),
  ),
  attack("a run that may be completed is followed by a shorter one", held({ rule: "window", sent: 36 }), {
    prepare: (service) => leaveUnclear(service, () => send(service, people(0, 50), { retryForMs: 0 })),
    attack: (service) => send(service, people(0, 36), { guard: { removed: false } }),
    heldAfterwards: true,
  }),
  attack("records are removed as others are added, and in the end fewer are left", held({ rule: "window" }), {
    prepare: async (service) => {
      await after(service, DAY_MS, 35);
    },
    attack: (service) => send(service, [...people(8, 35), ...people(50, 52)]),
  }),
  attack(
    "employees of one department after another are missing",
    held({ collection: "employees", rule: "window" }),
    {
      prepare: async (service) => {
        for (const left of [100, 90, 80]) await sendTo(service, "employees", employees(0, left));
      },
      attack: (service) => sendTo(service, "employees", employees(0, 70)),
    },
  ),
  attack(
    "`window` is off, and twelve runs are 24% shorter each",
    { kind: "reported", collection: "accounts", removed: 22, allowedBy: "option" },
    {
      attack: async (service) => {
        const receipts = [];
        for (const left of [31, 24, 18])
          receipts.push(await after(service, DAY_MS, left, { guard: { window: false } }));
        return receipts;
      },
      heldAfterwards: true,
    },
  ),
  flood("a join of two tables sends each person once per role", [
    ...people(),
    ...[1, 2, 3].flatMap((role) => renamed((id) => `${id}/${role}`)),
  ]),
  flood("a pager asks for all workspaces of the vendor", people(0, 400)),
  flood("test data is sent beside the real records", [
    ...people(),
    ...people(0, 51).map((record) => ({ ...record, id: `test-${record.id}` })),
  ]),
  flood("two systems are merged, each with prefixed ids", [
    ...people(),
    ...people(0, 60).map((record) => ({ ...record, id: `b:${record.id}` })),
  ]),
  attack(
    "two new records replace one of three, and a hundred more come",
    held({ collection: "employees", rule: "added", known: 3 }),
    {
      prepare: (service) => sendTo(service, "employees", employees(0, 3)),
      attack: (service) => sendTo(service, "employees", employees(1, 103)),
    },
  ),
  attack(
    "none of two known ids is left, and both records come with others",
    held({ collection: "employees", rule: "removed", known: 2, removed: 2 }),
    {
      prepare: (service) => sendTo(service, "employees", employees(0, 2)),
      attack: (service) => sendTo(service, "employees", employees(2, 4)),
    },
  ),
]);

function after(service: TestService, ms: number, count: number, options?: Partial<RunOptions>) {
  service.clock.advance(ms);
  return send(service, people(0, count), options);
}

/** A run on a machine whose clock is behind. */
function sendBehind(service: TestService, ms: number, count: number) {
  const clock = new TestClock({ startAt: new Date(service.clock.now() - ms) });
  return service.syncClient({ clock }).run(
    connectorOf(["accounts"], async (batch) => void (await batch.write("accounts", people(0, count)))),
    { installationId: service.installationId, ledger: fileLedger(service.directory) },
  );
}

/** The second of two runs, each about a quarter shorter than the one before. */
function eroded(name: string, everyMs: number): Attack {
  return attack(`the records shrink ${name}`, SHRUNK, {
    prepare: (service) => after(service, everyMs, 31),
    attack: (service) => after(service, everyMs, 24),
  });
}

function between(
  name: string,
  run: (service: TestService) => Promise<unknown>,
  ending: Ending = SHRUNK,
): Attack {
  return attack(name, ending, {
    prepare: async (service) => {
      await after(service, DAY_MS, 31);
      await run(service);
    },
    attack: (service) => after(service, DAY_MS, 24),
  });
}

function flood(name: string, records: readonly ReturnType<typeof people>[number][]): Attack {
  return attack(name, held({ rule: "added", known: 40, removed: 0 }), (service) => send(service, records));
}
