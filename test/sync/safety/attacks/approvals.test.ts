import { type RunOptions, type RunReceipt, storeLedger } from "@saas-management/sdk";
import { expect } from "vitest";
import { FileStore } from "../../../../src/runs/ledger/file-store.js";
import { editFile, resealed } from "../../../support/ledger-values.js";
import { failingStore, isPutOf } from "../../../support/stores.js";
import { heldBy, type TestService } from "../../../support/test-service.js";
import {
  type Account,
  type Attack,
  attack,
  DAY_MS,
  type Ending,
  held,
  LEASE_MS,
  leaveUnclear,
  people,
  send,
  sendNextDay,
  testAttacks,
  WHOLE,
} from "./attacks.js";
import { employees, licenses } from "./records.js";

type Shown = Partial<{
  readonly accounts: readonly Account[];
  readonly licenses: ReturnType<typeof licenses>;
  readonly employees: ReturnType<typeof employees>;
}>;

const free = () => ({ billable: false });

const RETURNING = { guard: { added: false } } as const;

testAttacks([
  // An approval covers what was shown, and nothing else.
  approved(
    "a lost field was approved, and a second one is lost",
    held({ rule: "changed", fields: ["name"] }),
    {
      shown: { accounts: people().map(({ email: _, ...rest }) => rest) },
      sent: { accounts: people().map(({ id, active }) => ({ id, active })) },
    },
  ),
  approved(
    "fourteen lost values were approved, and all are lost",
    held({ rule: "changed", fields: ["email"] }),
    {
      shown: { accounts: withEmailsFrom(14) },
      sent: { accounts: withEmailsFrom(40) },
    },
  ),
  approved("fourteen lost values were approved, and one more is lost", WHOLE, {
    shown: { accounts: withEmailsFrom(14) },
    sent: { accounts: withEmailsFrom(15) },
  }),
  approved("the removal of all was approved, and records of another tenant come", held({ rule: "removed" }), {
    shown: { accounts: [] },
    sent: { accounts: people(50, 80) },
  }),
  approved("a lost field was approved, and records are lost, too", held({ rule: "removed", removed: 20 }), {
    shown: { accounts: people().map(({ email: _, ...rest }) => rest) },
    sent: { accounts: people(0, 20).map(({ email: _, ...rest }) => rest) },
  }),
  approved("removals were approved, and a field is lost, too", held({ rule: "changed", fields: ["email"] }), {
    shown: { accounts: people(0, 20) },
    sent: { accounts: people(0, 20).map(({ email: _, ...rest }) => rest) },
  }),
  approved(
    "removals were approved, and a boolean is flipped in another collection",
    held({ rule: "changed" }),
    {
      shown: { accounts: people(0, 20) },
      sent: { accounts: people(0, 20), licenses: licenses(0, 40, free) },
    },
  ),
  approved("removals were approved, and other ones follow", held({ rule: "removed", removed: 20 }), {
    shown: { accounts: people(0, 20) },
    sent: { accounts: people(20) },
  }),
  approved("sixty new records were approved, and two hundred come", held({ rule: "added", added: 200 }), {
    shown: { accounts: people(0, 100) },
    sent: { accounts: people(0, 240) },
  }),
  approved("sixty new records were approved, and one more comes", WHOLE, {
    shown: { accounts: people(0, 100) },
    sent: { accounts: people(0, 101) },
  }),
  approved("removals were approved, and half of the rest goes", held({ rule: "removed", removed: 30 }), {
    shown: { accounts: people(0, 20) },
    sent: { accounts: people(0, 10) },
  }),
  approved("sixty new records were approved, and sixty others come", held({ rule: "added", added: 60 }), {
    shown: { accounts: people(0, 100) },
    sent: { accounts: [...people(), ...people(100, 160)] },
  }),
  approved("sixty new records were approved, but only 55 come", WHOLE, {
    shown: { accounts: people(0, 100) },
    sent: { accounts: people(0, 95) },
  }),
  approved("new records were approved, and known ones are missing", held({ rule: "removed", removed: 20 }), {
    shown: { accounts: people(0, 100) },
    sent: { accounts: people(20, 100) },
  }),
  approved(
    "removals of two collections were approved, and a third one is cut",
    held({ collection: "employees" }),
    {
      shown: { accounts: people(0, 20), licenses: licenses(0, 20), employees: employees(0, 10) },
      sent: { accounts: people(0, 20), licenses: licenses(0, 20), employees: employees(0, 5) },
    },
  ),
  approved("removals were approved, and only some of them come", reported("accounts", 15, "approval"), {
    shown: { accounts: people(0, 20) },
    sent: { accounts: people(0, 25) },
  }),
  attack(
    "removals that took two runs were approved, and more are removed",
    reported("accounts", 8, "approval"),
    {
      prepare: (service) => sendNextDay(service, people(0, 31)),
      attack: async (service) => {
        const { approvalId: approve } = await heldBy(sendNextDay(service, people(0, 24)));
        return send(service, people(0, 23), { approve });
      },
    },
  ),
  spent("an approval stays in the configuration, and the records come and go", async (service, approve) => {
    await send(service, people(), { approve, ...RETURNING });
  }),
  spent("a used approval stays in the configuration, and more records go", async () => {}),
  attack("an approval is made up", held({ rule: "removed" }), {
    prepare: (service) => heldBy(send(service, people(0, 20))),
    attack: (service) => send(service, people(0, 20), { approve: "yes" }),
  }),
  attack("an approval is of another installation", held({ rule: "removed" }), {
    prepare: async (service) => {
      const installationId = service.server.createInstallation();
      await send(service, people(), { installationId });
      ({ approvalId: leftover } = await heldBy(send(service, people(0, 20), { installationId })));
    },
    attack: (service) => send(service, people(0, 20), { approve: leftover }),
  }),
  attack(
    "an approved clean-up of accounts is followed by slow losses of licenses",
    held({ collection: "licenses", rule: "window", known: 31, removed: 3 }),
    {
      prepare: async (service) => {
        await write(service, { licenses: licenses(0, 31) });
        const { approvalId: approve } = await heldBy(write(service, { accounts: people(0, 20) }));
        await write(service, { accounts: people(0, 20) }, { approve });
      },
      attack: (service) => write(service, { licenses: licenses(0, 28) }),
      heldAfterwards: true,
    },
  ),
  attack("an approval is used by two processes at the same time", held({ rule: "removed", known: 40 }), {
    prepare: async (service) => {
      const { approvalId: approve } = await heldBy(send(service, people(0, 20)));
      const both = [1, 2].map(() => send(service, people(0, 20), { approve, waitForLockMs: LEASE_MS }));
      service.clock.advance(60_000);
      await Promise.allSettled(both);
      await send(service, people(), RETURNING);
      leftover = approve;
    },
    attack: (service) => send(service, people(0, 20), { approve: leftover }),
  }),
  attack(
    "an approval is used in a run whose answer is lost, and the records come back before the next",
    held({ rule: "removed" }),
    {
      prepare: async (service) => {
        const { approvalId: approve } = await heldBy(send(service, people(0, 20)));
        service.server.faults.add({ on: "CompleteSyncBatch", fault: "drop", at: "answer" });
        await send(service, people(0, 20), { approve });
        await send(service, people(), RETURNING);
        leftover = approve;
      },
      attack: (service) => send(service, people(0, 20), { approve: leftover }),
    },
  ),
  attack(
    "an approved run may be completed, and the next one removes other records",
    held({ rule: "removed", removed: 20 }),
    {
      prepare: async (service) => {
        const { approvalId: approve } = await heldBy(send(service, people(0, 20)));
        await leaveUnclear(service, () => send(service, people(0, 20), { approve, retryForMs: 0 }));
        leftover = approve;
      },
      attack: (service) => send(service, people(20), { approve: leftover }),
      heldAfterwards: true,
    },
  ),
  attack(
    "an approved run may be completed, its records come back, and the approval is given again",
    held({ rule: "removed", removed: 20 }),
    {
      prepare: async (service) => {
        const { approvalId: approve } = await heldBy(send(service, people(0, 20)));
        await leaveUnclear(service, () => send(service, people(0, 20), { approve, retryForMs: 0 }));
        await send(service, people(), RETURNING);
        leftover = approve;
      },
      attack: (service) => send(service, people(0, 20), { approve: leftover }),
    },
  ),
  attack(
    "the ledger cannot note at the end that an approval was used, and the next run uses it, too",
    held({ rule: "removed", removed: 20 }),
    {
      prepare: async (service) => {
        ({ approvalId: leftover } = await heldBy(send(service, people(0, 20))));
        let puts = 0;
        const store = failingStore(
          new FileStore(service.directory),
          // The first state, which notes that the approval is used, is stored; the next ones are not.
          (call) => (isPutOf("state")(call) && ++puts > 1) || call.method === "delete",
          new Error("EIO"),
        );
        await send(service, people(0, 20), { approve: leftover, ledger: storeLedger(store) });
        await send(service, people(), RETURNING);
      },
      attack: (service) => send(service, people(0, 20), { approve: leftover }),
    },
  ),
  attack(
    "a lost field was approved, and slow losses of records go on",
    held({ rule: "window", known: 31, removed: 7 }),
    {
      prepare: async (service) => {
        await send(service, people(0, 32));
        const { approvalId: approve } = await heldBy(send(service, withoutEmail(31)));
        await send(service, withoutEmail(31), { approve });
      },
      attack: (service) => send(service, withoutEmail(24)),
      heldAfterwards: true,
    },
  ),
  edited("the ids of a held run are damaged", (text) => text.replace("né-19\n", "né-39\n")),
  edited("a held run belongs to another collection", (text) =>
    resealed(text.replace("/accounts.", "/employees.")),
  ),
  attack(
    "an approval is given when the clock of the machine was set back by a month",
    held({ rule: "removed", removed: 20 }),
    {
      prepare: async (service) => {
        ({ approvalId: leftover } = await heldBy(send(service, people(0, 20))));
        service.clock.advance(8 * DAY_MS);
      },
      attack: (service) => send(service, people(0, 20), { approve: leftover }),
    },
  ),
]);

/** All accounts; the first ones have no e-mail address. */
function withEmailsFrom(first: number) {
  return people().map(({ email, ...rest }, i) => (i < first ? rest : { ...rest, email }));
}

const withoutEmail = (count: number) => people(0, count).map(({ email: _, ...rest }) => rest);
/** Approves a held run after somebody has edited the ledger entries that it left. */
function edited(name: string, change: (text: string) => string): Attack {
  return attack(name, held({ rule: "removed", removed: 20 }), {
    prepare: async (service) => {
      ({ approvalId: leftover } = await heldBy(send(service, people(0, 20))));
      await editFile(await service.file(/\.held$/), change);
    },
    attack: async (service) => {
      const { error } = await heldBy(send(service, people(0, 20), { approve: leftover }));
      expect(error.message).toContain("the held run cannot be read");
      throw error;
    },
    heldAfterwards: true,
  });
}

/** The approval that an attack gets during its preparation. */
let leftover: string | undefined;

interface Approved {
  readonly shown: Shown;
  readonly sent: Shown;
}

function reported(collection: "accounts", removed: number, allowedBy: "approval"): Ending {
  return { kind: "reported", collection, removed, allowedBy };
}

/** Approves a held run; the next run then sends something else. */
function approved(name: string, ending: Ending, { shown, sent }: Approved): Attack {
  return attack(name, ending, {
    prepare: async (service) => {
      await write(service, { employees: employees(0, 10) });
      leftover = (await heldBy(write(service, shown))).approvalId;
    },
    attack: (service) => write(service, sent, { approve: leftover }),
    heldAfterwards: ending.kind === "whole",
  });
}

/** Uses an approval, and also passes it to every later run. */
function spent(
  name: string,
  between: (service: TestService, approve: string | undefined) => Promise<void>,
): Attack {
  return attack(name, held({ rule: "removed" }), {
    prepare: async (service) => {
      const { approvalId: approve } = await heldBy(send(service, people(0, 20)));
      await send(service, people(0, 20), { approve });
      await between(service, approve);
      leftover = approve;
    },
    attack: (service) => send(service, people(0, 10), { approve: leftover }),
    heldAfterwards: true,
  });
}

function write(service: TestService, shown: Shown, options?: Partial<RunOptions>): Promise<RunReceipt> {
  const names = (["accounts", "licenses", "employees"] as const).filter((name) => shown[name] !== undefined);
  return service.run(
    names,
    async (batch) => {
      if (shown.accounts) await batch.write("accounts", shown.accounts);
      if (shown.licenses) await batch.write("licenses", shown.licenses);
      if (shown.employees) await batch.write("employees", shown.employees);
    },
    options,
  );
}
