import { SaasManagementError, type SyncReceipt } from "@saas-management/sdk/sync";
import { type Attack, held, refused } from "./attack.js";
import { type Account, people, vendorPage, type World } from "./world.js";

/** Ways in which a function writes less than its source has. */
export const declarationAttacks: readonly Attack[] = [
  {
    name: "a declared snapshot is never written",
    stop: "declaration",
    ending: refused("INVALID_INPUT", /declares the snapshots accounts, but did not write accounts/),
    attack: ({ run }) => run(["accounts"], () => {}),
  },
  {
    name: "a declared snapshot is written as [] because of `?? []`",
    stop: "removal guard",
    ending: held(/40 of 40/),
    attack: ({ send }) => {
      const cache = new Map<string, Account[]>();
      return send(cache.get("accounts") ?? []);
    },
  },
  {
    name: "a snapshot is written that the run does not declare",
    stop: "declaration",
    ending: refused("INVALID_INPUT", /licenses is a snapshot collection that the run does not declare/),
    attack: ({ run }) =>
      run(["accounts"], async (batch) => {
        await batch.write("accounts", people());
        // @ts-expect-error -- the types know the declaration
        await batch.write("licenses", []).catch(() => {});
      }),
  },
  {
    name: "each page is a write of its own: `pages.forEach(async (page) => batch.write(…))`",
    stop: "declaration",
    ending: refused("INVALID_INPUT", /accounts was written before in this run.*once, as a whole/),
    attack: async ({ run }) => {
      const pages = await Promise.all([0, 1, 2, 3].map(vendorPage));
      return run(["accounts"], (batch) => {
        pages.forEach(async ({ users }) => {
          await batch.write("accounts", users).catch(() => {});
        });
      });
    },
  },
  {
    name: "each page is opened, pushed and sealed by itself",
    stop: "declaration",
    ending: refused("INVALID_INPUT", /accounts was written before in this run/),
    attack: ({ run }) =>
      run(["accounts"], async (batch) => {
        for (const page of [0, 1, 2, 3]) {
          const open = batch.open("accounts");
          await open.push((await vendorPage(page)).users);
          await open.seal();
        }
      }),
  },
  {
    name: "an opened collection is not sealed",
    stop: "poisoned batch",
    ending: refused("BATCH_STATE", /accounts was opened and not sealed/),
    attack: ({ run }) =>
      run(["accounts"], async (batch) => {
        await batch.open("accounts").push(people(0, 20));
      }),
  },
  {
    name: "a collection of events is opened by two tasks at a time, and nobody looks at the refusal",
    stop: "poisoned batch",
    ending: refused("BATCH_STATE", /the write of usage failed \(INVALID_INPUT: usage is open already/),
    attack: ({ run }) =>
      run(["accounts"], async (batch) => {
        await batch.write("accounts", people());
        const feed = async (id: string) => {
          const open = batch.open("usage");
          await open.push({ generic: { id, sourceActorId: "né-1", lastActivity: "2026-01-01T00:00:00Z" } });
          await open.seal();
        };
        await Promise.allSettled([feed("1"), feed("2")]);
      }),
  },
  {
    name: "records are pushed after the seal, and the refusal is swallowed",
    stop: "poisoned batch",
    ending: refused("BATCH_STATE", /the write of accounts failed \(INVALID_INPUT: accounts is sealed/),
    attack: ({ run }) =>
      run(["accounts"], async (batch) => {
        const open = batch.open("accounts");
        await open.push(people(0, 20));
        await open.seal();
        await open.push(people(20)).catch(() => {});
      }),
  },
  {
    name: "the function is a generator, whose body nobody runs, and it declares nothing",
    stop: "not completed",
    ending: refused("INVALID_INPUT", /returned a generator .* which nobody reads/),
    attack: ({ run }) =>
      run([], async function* (batch) {
        yield await batch.write("usage", []);
      }),
  },
  {
    name: "the function returns a list of promises, which nobody awaits",
    stop: "not completed",
    ending: refused("INVALID_INPUT", /returned a list of promises, which nobody awaits/),
    attack: ({ run }) =>
      run(["accounts"], (batch) => [
        batch.write("accounts", people()),
        new Promise((resolve) => setImmediate(resolve)).then(() => batch.write("usage", []).catch(() => {})),
      ]),
  },
  {
    name: "a write is not awaited",
    stop: "nothing lost",
    ending: { kind: "whole" },
    attack: ({ run }) => run(["accounts"], (batch) => void batch.write("accounts", people())),
  },
  {
    name: "the only write comes after the function returned",
    stop: "declaration",
    ending: refused("INVALID_INPUT", /did not write accounts/),
    attack: ({ run }) => lateWrite(run, false),
  },
  {
    name: "a function of two writes is called and not awaited",
    stop: "poisoned batch",
    ending: refused("BATCH_STATE", /the write of usage failed/),
    attack: ({ run }) =>
      run(["accounts"], (batch) => {
        const both = async () => {
          await batch.write("accounts", people());
          await batch.write("usage", []);
        };
        void both().catch(() => {});
      }),
  },
  {
    name: "a source writes to its own batch, and nobody looks at the refusal",
    stop: "poisoned batch",
    ending: refused(
      "BATCH_STATE",
      /the write of usage failed \(INVALID_INPUT: A source called its own batch/,
    ),
    attack: ({ run }) =>
      run(["accounts"], async (batch) => {
        async function* source() {
          yield* people();
          void batch.write("usage", []);
        }
        await batch.write("accounts", source()).catch(() => {});
      }),
  },
  {
    name: "a write comes after the function returned, and another before",
    stop: "nothing lost",
    ending: { kind: "whole" },
    attack: ({ run }) => lateWrite(run, true),
  },
];

/** A write that comes when the run is over; it is refused. */
async function lateWrite(run: World["run"], alsoBefore: boolean): Promise<SyncReceipt> {
  let late: () => Promise<unknown> = () => Promise.resolve();
  const receipt = run(["accounts"], async (batch) => {
    late = () => batch.write("accounts", people(0, 20));
    if (alsoBefore) await batch.write("accounts", people());
  });
  await receipt.catch(() => {});
  const refusal: unknown = await late().catch((error: unknown) => error);
  if (!(refusal instanceof SaasManagementError)) throw new Error("a write was taken after the run was over");
  return receipt;
}
