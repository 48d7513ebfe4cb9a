import { type RunReceipt, SaasManagementError } from "@saas-management/sdk";
import type { TestService } from "../../../support/test-service.js";
import { attack, INVALID, POISONED, people, reaching, testAttacks, vendorPage, WHOLE } from "./attacks.js";

testAttacks([
  attack("a declared snapshot is never written", INVALID, (service) => service.run(["accounts"], () => {})),
  attack("a snapshot is written that the run does not declare", INVALID, (service) =>
    service.run(["accounts"], async (batch) => {
      await batch.write("accounts", people());
      // @ts-expect-error -- the types know the declaration
      await batch.write("licenses", []).catch(() => {});
    }),
  ),
  attack("each page is a write of its own", INVALID, async (service) => {
    const pages = await Promise.all([0, 1, 2, 3].map(vendorPage));
    return service.run(["accounts"], (batch) => {
      pages.forEach(async ({ users }) => {
        await batch.write("accounts", users).catch(() => {});
      });
    });
  }),
  attack("each page is opened, pushed and sealed on its own", INVALID, (service) =>
    service.run(["accounts"], async (batch) => {
      for (const page of [0, 1, 2, 3]) {
        const open = batch.writer("accounts");
        await open.write((await vendorPage(page)).users);
        await open.end();
      }
    }),
  ),
  attack("an opened collection is not sealed", POISONED, (service) =>
    service.run(["accounts"], async (batch) => {
      await batch.writer("accounts").write(people(0, 20));
    }),
  ),
  attack(
    "two tasks open a collection of events at the same time, and the refusal is swallowed",
    POISONED,
    (service) =>
      service.run(["accounts"], async (batch) => {
        await batch.write("accounts", people());
        const feed = async (id: string) => {
          const open = batch.writer("usage");
          await open.write({ id, sourceActorId: "né-1", lastActivity: "2026-01-01T00:00:00Z" });
          await open.end();
        };
        await Promise.allSettled([feed("1"), feed("2")]);
      }),
  ),
  attack("records are pushed after the seal, and the refusal is swallowed", POISONED, (service) =>
    service.run(["accounts"], async (batch) => {
      const open = batch.writer("accounts");
      await open.write(people(0, 20));
      await open.end();
      await open.write(people(20)).catch(() => {});
    }),
  ),
  attack("the function is a generator, which nobody reads, and declares nothing", INVALID, (service) =>
    service.run([], async function* (batch) {
      yield await batch.write("usage", []);
    }),
  ),
  attack("the function returns an array of promises, which nobody awaits", INVALID, (service) =>
    service.run(["accounts"], (batch) => [
      batch.write("accounts", people()),
      new Promise((resolve) => setImmediate(resolve)).then(() => batch.write("usage", []).catch(() => {})),
    ]),
  ),
  attack("a write is not awaited", WHOLE, (service) =>
    service.run(["accounts"], (batch) => void batch.write("accounts", people())),
  ),
  attack("the only write comes after the function returned", INVALID, (service) => lateWrite(service, false)),
  attack("a second write comes after the function returned", WHOLE, (service) => lateWrite(service, true)),
  attack(
    "a second write comes while the records of the first are sent",
    reaching("records", POISONED),
    (service) => {
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
  ),
  attack("a function with two writes is not awaited", POISONED, (service) =>
    service.run(["accounts"], (batch) => {
      const both = async () => {
        await batch.write("accounts", people());
        await batch.write("usage", []);
      };
      void both().catch(() => {});
    }),
  ),
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
