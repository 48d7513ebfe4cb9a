import { type RunReceipt, SaasManagementError } from "@saas-management/sdk";
import type { TestService } from "../../../support/test-service.js";
import { POISONED, people, reaching, refused, testAttacks, vendorPage } from "./attacks.js";

const INVALID = refused("INVALID_INPUT");

testAttacks([
  {
    name: "a declared snapshot is never written",
    ending: INVALID,
    attack: (service) => service.run(["accounts"], () => {}),
  },
  {
    name: "a snapshot is written that the run does not declare",
    ending: INVALID,
    attack: (service) =>
      service.run(["accounts"], async (batch) => {
        await batch.write("accounts", people());
        // @ts-expect-error -- the types know the declaration
        await batch.write("licenses", []).catch(() => {});
      }),
  },
  {
    name: "each page is a write of its own",
    ending: INVALID,
    attack: async (service) => {
      const pages = await Promise.all([0, 1, 2, 3].map(vendorPage));
      return service.run(["accounts"], (batch) => {
        pages.forEach(async ({ users }) => {
          await batch.write("accounts", users).catch(() => {});
        });
      });
    },
  },
  {
    name: "each page is opened, pushed and sealed on its own",
    ending: INVALID,
    attack: (service) =>
      service.run(["accounts"], async (batch) => {
        for (const page of [0, 1, 2, 3]) {
          const open = batch.writer("accounts");
          await open.write((await vendorPage(page)).users);
          await open.end();
        }
      }),
  },
  {
    name: "an opened collection is not sealed",
    ending: POISONED,
    attack: (service) =>
      service.run(["accounts"], async (batch) => {
        await batch.writer("accounts").write(people(0, 20));
      }),
  },
  {
    name: "two tasks open a collection of events at the same time, and the refusal is swallowed",
    ending: POISONED,
    attack: (service) =>
      service.run(["accounts"], async (batch) => {
        await batch.write("accounts", people());
        const feed = async (id: string) => {
          const open = batch.writer("usage");
          await open.write({ id, sourceActorId: "né-1", lastActivity: "2026-01-01T00:00:00Z" });
          await open.end();
        };
        await Promise.allSettled([feed("1"), feed("2")]);
      }),
  },
  {
    name: "records are pushed after the seal, and the refusal is swallowed",
    ending: POISONED,
    attack: (service) =>
      service.run(["accounts"], async (batch) => {
        const open = batch.writer("accounts");
        await open.write(people(0, 20));
        await open.end();
        await open.write(people(20)).catch(() => {});
      }),
  },
  {
    name: "the function is a generator, which nobody reads, and declares nothing",
    ending: INVALID,
    attack: (service) =>
      service.run([], async function* (batch) {
        yield await batch.write("usage", []);
      }),
  },
  {
    name: "the function returns an array of promises, which nobody awaits",
    ending: INVALID,
    attack: (service) =>
      service.run(["accounts"], (batch) => [
        batch.write("accounts", people()),
        new Promise((resolve) => setImmediate(resolve)).then(() => batch.write("usage", []).catch(() => {})),
      ]),
  },
  {
    name: "a write is not awaited",
    ending: { kind: "whole" },
    attack: (service) => service.run(["accounts"], (batch) => void batch.write("accounts", people())),
  },
  {
    name: "the only write comes after the function returned",
    ending: INVALID,
    attack: (service) => lateWrite(service, false),
  },
  {
    name: "a second write comes after the function returned",
    ending: { kind: "whole" },
    attack: (service) => lateWrite(service, true),
  },
  {
    name: "a second write comes while the records of the first are sent",
    ending: reaching("records", POISONED),
    attack: (service) => {
      let late = () => {};
      return service.run(
        ["accounts"],
        async (batch) => {
          late = () => void batch.write("usage", []).catch(() => {});
          await batch.write("accounts", people());
        },
        { onProgress: (progress) => progress.type === "sending" && progress.records > 0 && late() },
      );
    },
  },
  {
    name: "a function with two writes is not awaited",
    ending: POISONED,
    attack: (service) =>
      service.run(["accounts"], (batch) => {
        const both = async () => {
          await batch.write("accounts", people());
          await batch.write("usage", []);
        };
        void both().catch(() => {});
      }),
  },
]);

/** A write after the end of the run, which is refused. */
async function lateWrite(service: TestService, alsoBefore: boolean): Promise<RunReceipt> {
  let late: () => Promise<unknown> = () => Promise.resolve();
  const receipt = service.run(["accounts"], async (batch) => {
    late = () => batch.write("accounts", people(0, 20));
    if (alsoBefore) await batch.write("accounts", people());
  });
  await receipt.catch(() => {});
  const refusal: unknown = await late().catch((error: unknown) => error);
  if (!(refusal instanceof SaasManagementError)) throw new Error("A write was accepted after the run.");
  return receipt;
}
