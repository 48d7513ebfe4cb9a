import { join } from "node:path";
import { fileLedger } from "@saas-management/sdk";
import { heldBy, type TestService } from "../../../support/test-service.js";
import {
  type Attack,
  breakTwice,
  type Ending,
  held,
  LEASE_MS,
  people,
  send,
  sendNextDay,
  testAttacks,
} from "./attacks.js";

type Operation = "StartSyncBatch" | "SyncRecords" | "CompleteSyncBatch" | "AbortSyncBatch";

/** Where a connection breaks; the SDK sends the call again, or the run starts again. */
const LOST: readonly (readonly [what: string, operation: Operation, at: "request" | "answer"])[] = [
  ["start", "StartSyncBatch", "request"],
  ["second window", "SyncRecords", "request"],
  ["answer to the second window", "SyncRecords", "answer"],
  ["completion", "CompleteSyncBatch", "request"],
  ["answer to the completion", "CompleteSyncBatch", "answer"],
];

const LOST_ABORTS: typeof LOST = [
  ...LOST.slice(0, 3),
  ["abort", "AbortSyncBatch", "request"],
  ["answer to the abort", "AbortSyncBatch", "answer"],
];

const another = ({ directory }: TestService) => fileLedger(join(directory, "another"));

testAttacks([
  ...LOST.map(([what, ...fault]) => approvedRun(what, ...fault)),
  ...LOST.map(([what, ...fault]) => firstRun(what, ...fault)),
  ...LOST_ABORTS.map(([what, ...fault]) =>
    heldRun(
      `the ${what} of a run that has shrunk for days is lost`,
      held({ rule: "window", removed: 7 }),
      fault,
      {
        prepare: (service) => sendNextDay(service, people(0, 31)),
        count: 24,
      },
    ),
  ),
  ...LOST_ABORTS.map(([what, ...fault]) =>
    heldRun(`the ${what} of a run without a baseline is lost`, held({ rule: "no-baseline" }), fault, {
      prepare: async () => {},
      count: 20,
      ledgerOf: another,
    }),
  ),
  {
    name: "a run was held and its abort lost, and nobody aborts it",
    ending: held({ removed: 20 }),
    prepare: async (service) => {
      breakTwice(service, "AbortSyncBatch");
      await heldBy(send(service, people(0, 10)));
      service.clock.advance(LEASE_MS);
    },
    attack: (service) => send(service, people(0, 20)),
  },
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

interface HeldRun {
  readonly prepare: (service: TestService) => Promise<unknown>;
  readonly count: number;
  readonly ledgerOf?: typeof another;
}

/** A run that is held, in which something is lost. */
function heldRun(
  name: string,
  ending: Ending,
  fault: readonly [Operation, "request" | "answer"],
  { prepare, count, ledgerOf = ({ directory }) => fileLedger(directory) }: HeldRun,
): Attack {
  return {
    name,
    ending,
    prepare,
    attack: (service) => {
      lose(service, fault);
      return send(service, people(0, count), { ledger: ledgerOf(service) });
    },
    check: ({ server }) => server.faults.assertFired(),
  };
}

function lose({ server }: TestService, [on, at]: readonly [Operation, "request" | "answer"]): void {
  server.faults.add({ on, at, nth: on === "SyncRecords" ? 2 : 1, fault: "drop" });
}
