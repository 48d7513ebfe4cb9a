import { join } from "node:path";
import { fileLedger, type RunOptions, type RunReceipt } from "@saas-management/sdk";
import { expect } from "vitest";
import { connectorOf } from "../../../support/connector.js";
import { startGrpcRelay } from "../../../support/grpc-relay.js";
import { heldBy, type TestService } from "../../../support/test-service.js";
import {
  type Attack,
  attack,
  behind,
  breakTwice,
  DAY_MS,
  type Ending,
  held,
  LEASE_MS,
  leaveUnclear,
  people,
  reaching,
  refused,
  send,
  sendNextDay,
  testAttacks,
} from "./attacks.js";

const another = ({ directory }: TestService) => fileLedger(join(directory, "another"));

/** The approval that both hosts use. */
let approved: string | undefined;

testAttacks([
  attack("two unclear runs are larger than the completed one", held({ known: 80, removed: 40 }), {
    prepare: async (service) => {
      await unclear(service, people(0, 65));
      await unclear(service, [...people(0, 60), ...people(65, 80)]);
    },
    attack: (service) => send(service, people()),
    heldAfterwards: true,
  }),
  attack("an unclear run was completed, and `removed.max` is set", held({ known: 44, removed: 4 }), {
    prepare: (service) => unclear(service, people(0, 44)),
    attack: (service) => send(service, people(), { guard: { removed: { max: 3 } } }),
    heldAfterwards: true,
  }),
  attack(
    "two hosts have a ledger each, and the one that slept for a week is cut",
    held({ known: 40, removed: 20 }),
    {
      prepare: async (service) => {
        await send(service, people(), { ledger: another(service), firstRun: true });
        for (let day = 0; day < 7; day += 1) await sendNextDay(service, people(0, 41 + day));
      },
      attack: (service) => send(service, people(0, 20), { ledger: another(service) }),
    },
  ),
  attack(
    "two hosts have a ledger each, and one does not know what the other added",
    { kind: "warned", removed: 20 },
    {
      prepare: async (service) => {
        await send(service, people(), { ledger: another(service), firstRun: true });
        await send(service, people(0, 60));
      },
      attack: (service) => send(service, people(), { ledger: another(service) }),
    },
  ),
  attack(
    "a host waits for another one, which uses the approval that both have",
    reaching("start", refused("RUN_OUTDATED")),
    {
      ...behind(
        async (service) => {
          ({ approvalId: approved } = await heldBy(send(service, people(0, 20))));
          await send(service, [...people(0, 20), ...people(50, 57)], { approve: approved });
        },
        (service, options) => send(service, people(0, 20), { ...options, approve: approved }),
      ),
      heldAfterwards: true,
    },
  ),
  attack("the guard is off until a date that has passed", held({ removed: 20 }), (service) =>
    send(service, people(0, 20), { guard: { offUntil: new Date(service.clock.now() - 1) } }),
  ),
  attack(
    "the guard is off until a date that is to come",
    { kind: "reported", collection: "accounts", removed: 20, allowedBy: "option" },
    {
      attack: (service) =>
        send(service, people(0, 20), { guard: { offUntil: new Date(service.clock.now() + DAY_MS) } }),
      heldAfterwards: true,
    },
  ),
  relayed(
    "a proxy answers a completion itself, and the next run is cut",
    held({ known: 80, removed: 40 }),
    async (run, lie) => {
      await run(40);
      lie({ CompleteSyncBatch: "done" });
      await run(80, { retryForMs: 0 }).catch(() => {});
      lie({});
    },
  ),
  relayed(
    "the answer to a completion is lost, and a proxy answers the abort itself",
    held({ known: 90, removed: 50 }),
    async (run, lie, service) => {
      await run(40);
      breakTwice(service, "CompleteSyncBatch", "answer");
      lie({ AbortSyncBatch: "done" });
      await expect(run(90, { retryForMs: 0 })).rejects.toMatchObject({ code: "BATCH_OUTCOME_UNKNOWN" });
      lie({});
    },
  ),
  relayed("a proxy sends every completion twice", held({ known: 85, removed: 45 }), async (run, lie) => {
    await run(40);
    lie({ CompleteSyncBatch: "twice" });
    await run(85).catch(() => {});
    lie({});
  }),
]);

function unclear(service: TestService, records: Parameters<typeof send>[1]): Promise<void> {
  return leaveUnclear(service, () => send(service, records, { retryForMs: 0, guard: { added: false } }));
}

/** An attack whose runs go through a proxy of their own; the last run has 40 records. */
function relayed(
  name: string,
  ending: Ending,
  before: (
    run: (count: number, options?: Partial<RunOptions>) => Promise<RunReceipt>,
    lie: (lies: Awaited<ReturnType<typeof startGrpcRelay>>["lies"]) => void,
    service: TestService,
  ) => Promise<void>,
): Attack {
  let run: (count: number, options?: Partial<RunOptions>) => Promise<RunReceipt>;
  return attack(name, ending, {
    prepare: async (service) => {
      const relay = await startGrpcRelay(service.server.syncUrl);
      const client = service.syncClient({ endpoint: relay.endpoint });
      const { installationId } = service;
      const ledger = fileLedger(service.directory);
      let firstRun = true;
      run = async (count, more) => {
        const guard = { added: false } as const;
        const options = { installationId, ledger, firstRun, guard, ...more };
        firstRun = false;
        return client.run(
          connectorOf(["accounts"], (batch) => batch.write("accounts", people(0, count))),
          options,
        );
      };
      const lie: Parameters<typeof before>[1] = (lies) => {
        relay.lies = lies;
      };
      await before(run, lie, service);
      service.clock.advance(LEASE_MS);
    },
    attack: () => run(40),
    heldAfterwards: true,
  });
}
