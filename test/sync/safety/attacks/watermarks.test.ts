import { rm } from "node:fs/promises";
import { join } from "node:path";
import {
  fileLedger,
  type RunContext,
  type RunOptions,
  type RunReceipt,
  storeLedger,
} from "@saas-management/sdk";
import { expect } from "vitest";
import { FileStore } from "../../../../src/runs/ledger/file-store.js";
import { failingStore, isState } from "../../../support/stores.js";
import { heldBy, type TestService } from "../../../support/test-service.js";
import {
  type Account,
  type Attack,
  attack,
  breakTwice,
  type Ending,
  held,
  INVALID,
  LEASE_MS,
  leaveUnclear,
  overtaken,
  ownException,
  POISONED,
  people,
  reaching,
  refused,
  send as sendAccounts,
  testAttacks,
  timeLimit,
  WHOLE,
} from "./attacks.js";

// A feed of 30 events: the run before the attack sent 10, the attack sees 20, and the run after it sees all 30.
testAttacks([
  feed("is held", held({ removed: 20 }), (service) => send(service, 20, { accounts: people(0, 20) })),
  feed("fails after it has advanced", ownException("the vendor is down"), (service) =>
    send(service, 20, {
      after: () => {
        throw new Error("the vendor is down");
      },
    }),
  ),
  feed("is refused its completion", reaching("records", refused("PERMISSION_DENIED")), (service) => {
    service.server.faults.add({ on: "CompleteSyncBatch", fault: "status", status: "PERMISSION_DENIED" });
    return send(service, 20);
  }),
  feed("is refused its events", reaching("records", refused("SYNC_PROTOCOL")), (service) => {
    service.server.faults.add({ on: "SyncRecords", fault: "status", status: "INVALID_ARGUMENT" });
    return send(service, 20);
  }),
  feed("swallows an invalid event", POISONED, (service) => send(service, 20, { swallow: true, id: "" })),
  feed("cannot send its events", reaching("records", refused("TRANSPORT_FAILED")), (service) => {
    breakTwice(service, "SyncRecords");
    return send(service, 20, {}, { retryForMs: 0 });
  }),
  feed("advances before it writes, and the write fails", INVALID, (service) =>
    send(service, 20, { early: true, id: "" }),
  ),
  feed("is stopped by its signal", { kind: "refused", error: { why: "shutdown" } }, (service) => {
    const stop = new AbortController();
    return send(service, 20, { after: () => stop.abort({ why: "shutdown" }) }, { signal: stop.signal });
  }),
  feed("takes too long", { kind: "refused", error: { name: "TimeoutError" } }, (service) => {
    const signal = timeLimit(service);
    return send(service, 20, { after: () => service.clock.advance(60_000) }, { signal });
  }),
  feed("sends again after some of its events were accepted", WHOLE, async (service) => {
    breakTwice(service, "SyncRecords", "request", 2);
    const receipt = await send(service, 20);
    const { accepted, alreadyAccepted } = receipt.collections.usage?.stats ?? {};
    expect({ restarts: 1, accepted, alreadyAccepted }).toEqual({
      restarts: 1,
      accepted: 1,
      alreadyAccepted: 9,
    });
    return receipt;
  }),
  feed("does not hear that its events were accepted, and sends again", WHOLE, (service) => {
    breakTwice(service, "SyncRecords", "answer");
    return send(service, 20);
  }),
  feed("does not hear of its completion until it asks again", WHOLE, (service) => {
    service.server.faults.add({ on: "CompleteSyncBatch", fault: "drop", at: "answer" });
    return send(service, 20);
  }),
  feed("cannot store its watermark", WHOLE, (service) => {
    const isPut = ({ method, key }: { readonly method: string; readonly key: string }) =>
      method === "putIfAbsent" && isState(key);
    const store = failingStore(new FileStore(service.directory), isPut, new Error("the disk is full"));
    return send(service, 20, {}, { ledger: storeLedger(store) });
  }),
  feed("is that of another installation", WHOLE, (service) =>
    send(service, 20, {}, { installationId: service.server.createInstallation(), firstRun: true }),
  ),
  feed("has another ledger", WHOLE, (service) =>
    send(service, 20, {}, { ledger: fileLedger(join(service.directory, "another")), firstRun: true }),
  ),
  feed("has the guard off", WHOLE, (service) => send(service, 20, {}, { guard: false })),
  feed("advances again after its end", WHOLE, async (service) => {
    let late = () => {};
    const receipt = await send(service, 20, {
      after: ({ advance }) => {
        late = () => advance("usage", "30");
      },
    });
    try {
      late();
    } catch {}
    return receipt;
  }),
  feed("was held, and another one completes its first half", WHOLE, async (service) => {
    await heldBy(send(service, 20, { accounts: people(0, 20) }));
    return send(service, 15);
  }),
  attack("a run of a feed is overtaken by another run", refused("RUN_OUTDATED"), {
    ...overtaken(
      (service) => sendAccounts(service, people()),
      (service, others) => send(service, 20, { after: others }),
    ),
    check: sendRest,
  }),
  attack("the run may be completed, and the watermark is that of the run before", WHOLE, {
    prepare: async (service) => {
      await send(service, 10);
      await leaveUnclear(service, () => send(service, 20, {}, { retryForMs: 0 }));
    },
    attack: (service) => send(service, 30),
    check: expectAll,
  }),
  attack("the file of the last state is gone", WHOLE, {
    prepare: async (service) => {
      await send(service, 20);
      for (const path of await service.files()) if (path.endsWith("state.00000002")) await rm(path);
    },
    attack: (service) => send(service, 30),
  }),
]);

/** A run of the feed that ends in the given way; the next run then sends the rest. No event is left out. */
function feed(name: string, ending: Ending, next: Attack["attack"]): Attack {
  return attack(`a run of a feed ${name}`, ending, {
    prepare: (service) => send(service, 10),
    attack: next,
    check: sendRest,
  });
}

async function sendRest(service: TestService): Promise<void> {
  service.server.faults.clear();
  service.clock.advance(LEASE_MS);
  await send(service, 30);
  expectAll(service);
}

function expectAll(service: TestService): void {
  const sent = service.inspect().snapshots.usage.map(({ id }) => id);
  expect(new Set(sent)).toEqual(new Set(events(0, 30).map(({ id }) => id)));
}

interface Feed {
  readonly accounts?: readonly Account[];
  /** Ignores that the write of events failed. */
  readonly swallow?: boolean;
  /** Advances before the write. */
  readonly early?: boolean;
  /** Id of all events. */
  readonly id?: string;
  /** Called between the events and the accounts. */
  readonly after?: (context: RunContext) => unknown;
}

/** Sends the events since the watermark. */
function send(
  service: TestService,
  upTo: number,
  { accounts = people(), swallow = false, early = false, id, after }: Feed = {},
  options?: Partial<RunOptions>,
): Promise<RunReceipt> {
  return service.run(
    ["accounts"],
    async (batch, context) => {
      const { watermark, advance } = context;
      if (early) advance("usage", String(upTo));
      const fresh = events(Number(watermark("usage") ?? 0), upTo).map((event) => ({
        ...event,
        id: id ?? event.id,
      }));
      const written = batch.write("usage", fresh);
      await (swallow ? written.catch(() => {}) : written);
      advance("usage", String(upTo));
      await after?.(context);
      await batch.write("accounts", accounts);
    },
    options,
  );
}

function events(from: number, to: number) {
  return Array.from({ length: Math.max(0, to - from) }, (_, i) => ({
    id: `u-${from + i}`,
    sourceActorId: "né-1",
    lastActivity: "2026-01-01T00:00:00Z",
  }));
}
