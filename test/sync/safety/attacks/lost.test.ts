import { join } from "node:path";
import { fileLedger } from "@saas-management/sdk";
import { heldBy, type TestService } from "../../../support/test-service.js";
import { type Attack, people, send, testAttacks } from "./attacks.js";

type Operation = "StartSyncBatch" | "SyncRecords" | "CompleteSyncBatch";

/** Where a connection breaks; the SDK sends the call again, or the run sends all of it again. */
const LOST: readonly (readonly [what: string, operation: Operation, at: "request" | "answer"])[] = [
  ["start", "StartSyncBatch", "request"],
  ["second window", "SyncRecords", "request"],
  ["answer to the second window", "SyncRecords", "answer"],
  ["completion", "CompleteSyncBatch", "request"],
  ["answer to the completion", "CompleteSyncBatch", "answer"],
];

const another = ({ directory }: TestService) => fileLedger(join(directory, "another"));

testAttacks([
  ...LOST.map(([what, ...fault]) => approvedRun(what, ...fault)),
  ...LOST.map(([what, ...fault]) => firstRun(what, ...fault)),
]);

/** An approved run, in which something is lost; the approval is used up all the same. */
function approvedRun(what: string, ...fault: readonly [Operation, "request" | "answer"]): Attack {
  let approve: string | undefined;
  return {
    name: `the ${what} of an approved run is lost`,
    ending: {
      kind: "reported",
      collection: "accounts",
      removed: 20,
      allowedBy: "approval",
      uncounted: what === "answer to the completion",
    },
    prepare: async (service) => {
      ({ approvalId: approve } = await heldBy(send(service, people(0, 20))));
    },
    attack: (service) => {
      lose(service, fault);
      return send(service, people(0, 20), { approve });
    },
    check: async (service) => {
      service.server.faults.assertFired();
      await heldBy(send(service, people(0, 10), { approve }));
    },
    heldAfterwards: true,
  };
}

/** A first run, in which something is lost; it is the first one all the same. */
function firstRun(what: string, ...fault: readonly [Operation, "request" | "answer"]): Attack {
  return {
    name: `the ${what} of a first run is lost`,
    ending: { kind: "whole" },
    attack: (service) => {
      lose(service, fault);
      return send(service, people(), { ledger: another(service), firstRun: true });
    },
    check: async (service) => {
      service.server.faults.assertFired();
      await heldBy(send(service, people(0, 20), { ledger: another(service) }));
      await send(service, people(), { ledger: another(service) });
    },
  };
}

function lose({ server }: TestService, [on, at]: readonly [Operation, "request" | "answer"]): void {
  server.faults.add({ on, at, nth: on === "SyncRecords" ? 2 : 1, fault: "drop" });
}
