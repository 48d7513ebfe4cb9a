import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { fileLedger, type Ledger, type RunOptions } from "@saas-management/sdk";
import { memoryLedger } from "@saas-management/sdk/testing";
import { expect } from "vitest";
import { connectorOf } from "../../../support/connector.js";
import { heldBy, type TestService } from "../../../support/test-service.js";
import {
  type Attack,
  attack,
  type Ending,
  held,
  leaveUnclear,
  people,
  send,
  testAttacks,
} from "./attacks.js";

const NO_BASELINE = held({ rule: "no-baseline", known: 0, sent: 20 });
const another = ({ directory }: TestService) => fileLedger(join(directory, "another"));

testAttacks([
  lost("only the journal of the ledger is left", async (service) => {
    for (const path of await service.files()) await rm(path);
  }),
  withLedger("the ledger is in the memory of each process", () => memoryLedger()),
  withLedger(
    "the path of the ledger is relative, and the job has another working directory",
    async ({ directory }) => {
      const before = process.cwd();
      await mkdir(join(directory, "job"));
      process.chdir(join(directory, "job"));
      try {
        return fileLedger("ledger");
      } finally {
        process.chdir(before);
      }
    },
  ),
  attack("the service has another host name", NO_BASELINE, (service) => {
    const endpoint = service.server.syncUrl.replace("127.0.0.1", "localhost");
    return service.syncClient({ endpoint }).run(
      connectorOf(["accounts"], async (batch) => void (await batch.write("accounts", people(0, 20)))),
      { installationId: service.installationId, ledger: fileLedger(service.directory) },
    );
  }),
  attack("the installation id is that of another installation", NO_BASELINE, (service) =>
    send(service, people(0, 20), { installationId: service.server.createInstallation(), firstRun: false }),
  ),
  attack(
    "`firstRun: true` is set after a completion whose answer was lost",
    held({ rule: "removed", baseline: "unclear", sent: 20 }),
    {
      prepare: async (service) => {
        const first = { ledger: another(service), firstRun: true, retryForMs: 0 };
        await leaveUnclear(service, () => send(service, people(), first));
      },
      attack: (service) => send(service, people(0, 20), { ledger: another(service), firstRun: true }),
    },
  ),
  attack(
    "the ledger is lost, and the run that is held for it is approved",
    { kind: "warned", removed: 20 },
    (service) => approvedFirstRun(service, 20, 20),
  ),
  attack(
    "a first run is approved, and the next one is much shorter",
    held({ rule: "no-baseline", sent: 9 }),
    (service) => approvedFirstRun(service, 20, 9),
  ),
  afterFirst("a first run fails, and the second one finds nothing", NO_BASELINE, async (service, options) => {
    const failing = async function* () {
      yield people(0, 20);
      throw new Error("the vendor is down");
    };
    await expect(send(service, failing(), options)).rejects.toThrow("the vendor is down");
  }),
  afterFirst("a first run is refused by the service", NO_BASELINE, async (service, options) => {
    service.server.faults.add({ on: "CompleteSyncBatch", fault: "status", status: "PERMISSION_DENIED" });
    await expect(send(service, people(), options)).rejects.toMatchObject({ code: "PERMISSION_DENIED" });
  }),
  afterFirst("the first run was that of another installation", NO_BASELINE, async (service, options) => {
    await send(service, people(), { ...options, installationId: service.server.createInstallation() });
  }),
  afterFirst("a first run is previewed only", NO_BASELINE, async (service, options) => {
    await service.sync.preview(
      connectorOf(["accounts"], async (batch) => void (await batch.write("accounts", people()))),
      { installationId: service.installationId, ...options },
    );
  }),
  afterFirst(
    "a first run had a list that was cut",
    held({ known: 40, removed: 20 }),
    async (service, options) => {
      await send(service, people(), options);
    },
  ),
]);

function withLedger(name: string, ledgerOf: (service: TestService) => Ledger | Promise<Ledger>): Attack {
  return attack(name, NO_BASELINE, async (service) =>
    send(service, people(0, 20), { ledger: await ledgerOf(service) }),
  );
}

function lost(name: string, prepare: (service: TestService) => Promise<unknown>): Attack {
  return attack(name, NO_BASELINE, {
    prepare,
    attack: (service) => send(service, people(0, 20)),
    heldAfterwards: true,
  });
}

/** Sends half of the records, after `first` has attempted a first run with another ledger. */
function afterFirst(
  name: string,
  ending: Ending,
  first: (service: TestService, options: Partial<RunOptions> & { readonly ledger: Ledger }) => Promise<void>,
): Attack {
  return attack(name, ending, {
    prepare: (service) => first(service, { ledger: another(service), firstRun: true }),
    attack: (service) => send(service, people(0, 20), { ledger: another(service) }),
  });
}

/** Holds a run that has no baseline, and sends another one with its approval. */
async function approvedFirstRun(service: TestService, shown: number, sent: number) {
  const ledger = another(service);
  const { approvalId: approve } = await heldBy(send(service, people(0, shown), { ledger }));
  return send(service, people(0, sent), { ledger, approve });
}
