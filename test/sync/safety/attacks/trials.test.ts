import { join } from "node:path";
import { fileLedger, type RunOptions, type RunReceipt, type SyncBatch } from "@saas-management/sdk";
import { expect } from "vitest";
import { connectorOf } from "../../../support/connector.js";
import { startGrpcRelay } from "../../../support/grpc-relay.js";
import { heldBy, type TestService } from "../../../support/test-service.js";
import {
  type Attack,
  breakTwice,
  held,
  people,
  person,
  reaching,
  refused,
  renamed,
  send,
  sendNextDay,
  testAttacks,
} from "./attacks.js";
import { licenses } from "./records.js";

// What independent trials lost records by.
testAttacks([
  {
    name: "the ledger's directory is another one",
    ending: held({ rule: "no-baseline", known: 0, sent: 20 }),
    attack: (service) =>
      send(service, people(0, 20), { ledger: fileLedger(join(service.directory, "another")) }),
  },
  coordinator("never ran", "start", async () => {}),
  coordinator("wrote its half, and the other one never ran", "records", async (service, id) => {
    const worker = service.syncClient().openBatch(id, { takeOver: true });
    await worker.write("accounts", people(0, 20));
    worker.close();
  }),
  {
    name: "a column of the source is renamed, so that a field is empty (`mail` becomes `email`)",
    ending: held({ rule: "changed", fields: ["email"], known: 40, removed: 0 }),
    attack: (service) =>
      send(
        service,
        people().map(({ id, name, active }) => ({ id, name, active })),
      ),
  },
  {
    name: "a column of the source is renamed, so that all accounts are inactive (`status` becomes `state`)",
    ending: held({ rule: "changed", fields: ["active"], known: 40, removed: 0 }),
    prepare: async (service) => {
      for (let day = 0; day < 8; day += 1) await sendNextDay(service, people());
    },
    attack: (service) => {
      const rows: readonly { readonly state: string; readonly status?: string }[] = people().map(
        ({ active }) => ({ state: active ? "on" : "off" }),
      );
      return sendNextDay(
        service,
        rows.map(({ status }, i) => ({ ...person(i), active: status === "on" })),
      );
    },
  },
  {
    name: "each of twelve runs is 24 % shorter than the one before",
    ending: held({ rule: "window", known: 31, removed: 7 }),
    prepare: (service) => send(service, people(0, 31)),
    attack: async (service) => {
      let left = 31;
      for (let run = 2; run <= 12; run += 1) {
        left = Math.ceil(0.76 * left);
        await sendNextDay(service, people(0, left));
      }
      return [];
    },
  },
  {
    name: "twenty times the known records are sent",
    ending: held({ rule: "added", known: 40, added: 760, removed: 0 }),
    attack: (service) => send(service, people(0, 800)),
  },
  {
    name: "the records are those of another tenant",
    ending: held({ rule: "removed", known: 40, removed: 40 }),
    attack: (service) =>
      send(
        service,
        renamed((id) => `tenant-2:${id}`),
      ),
  },
  usedApproval(),
  unclearAbort(),
  unclearHandle(),
]);

/** A process that starts a batch and completes it when its workers should have written it. */
function coordinator(
  name: string,
  reached: "start" | "records",
  work: (service: TestService, id: string) => Promise<void>,
): Attack {
  return {
    name: `a process starts a batch and completes it, and its worker ${name}`,
    ending: reaching(reached, refused("INVALID_INPUT")),
    attack: async (service) => {
      const batch = await service.startBatch();
      await work(service, batch.id);
      await batch.complete();
      return [];
    },
  };
}

function usedApproval(): Attack {
  let approve: string | undefined;
  return {
    name: "an approval that was used for accounts is used again for licenses",
    ending: held({ collection: "licenses", known: 40, removed: 20 }),
    prepare: async (service) => {
      ({ approvalId: approve } = await heldBy(half(service, ["accounts", "licenses"])));
      await half(service, ["accounts"], { approve });
    },
    attack: (service) => half(service, ["licenses"], { approve }),
    heldAfterwards: true,
  };
}

function unclearHandle(): Attack {
  let batch: SyncBatch;
  return {
    name: "a handle whose completion is unclear is aborted in vain, and completed again",
    ending: refused("BATCH_STATE", { reason: "unknown", state: "unknown" }),
    prepare: async (service) => {
      batch = await service.startBatch();
      await batch.write("accounts", people());
      breakTwice(service, "CompleteSyncBatch", "answer");
      await expect(batch.complete()).rejects.toMatchObject({ code: "BATCH_OUTCOME_UNKNOWN" });
      const fault = { fault: "status", status: "PERMISSION_DENIED" } as const;
      service.server.faults.add({ on: "AbortSyncBatch", times: 9, ...fault });
      await expect(batch.abort()).rejects.toMatchObject({ code: "PERMISSION_DENIED" });
    },
    attack: async () => {
      await batch.complete();
      return [];
    },
    check: () => expect(batch.state).toBe("unknown"),
  };
}

/** Half of the records of both collections. */
function half(
  service: TestService,
  names: readonly ("accounts" | "licenses")[],
  options?: Partial<RunOptions>,
): Promise<RunReceipt> {
  return service.run(
    names,
    async (batch) => {
      if (names.includes("accounts")) await batch.write("accounts", people(0, 20));
      if (names.includes("licenses")) await batch.write("licenses", licenses(0, 20));
    },
    options,
  );
}

/** The answer to a completion is lost, and the abort is answered as if there were nothing to complete. */
function unclearAbort(): Attack {
  let run: (count: number, options?: Partial<RunOptions>) => Promise<RunReceipt>;
  return {
    name: "the answer to a completion is lost, and its abort succeeds",
    ending: held({ known: 120, removed: 80 }),
    prepare: async (service) => {
      const relay = await startGrpcRelay(service.server.syncUrl);
      const client = service.syncClient({ endpoint: relay.endpoint });
      const { installationId } = service;
      const ledger = fileLedger(service.directory);
      run = (count, options) =>
        client.run(
          connectorOf(["accounts"], async (batch) => void (await batch.write("accounts", people(0, count)))),
          { installationId, ledger, restarts: 0, ...options },
        );
      await run(40, { firstRun: true });
      breakTwice(service, "CompleteSyncBatch", "answer");
      relay.lies = { AbortSyncBatch: "done" };
      await expect(run(120, { guard: { added: false } })).rejects.toMatchObject({
        code: "BATCH_OUTCOME_UNKNOWN",
      });
      relay.lies = {};
    },
    attack: () => run(40),
    heldAfterwards: true,
  };
}
