import type { SyncBatch } from "@saas-management/sdk";
import { expect } from "vitest";
import type { TestService } from "../../../support/test-service.js";
import {
  type Attack,
  breakTwice,
  type Ending,
  held,
  people,
  reaching,
  refused,
  send,
  testAttacks,
} from "./attacks.js";

const INCOMPLETE = refused("BATCH_STATE", { reason: "incomplete" });
/** It needs `unverified: true`. */
const UNVERIFIED = refused("INVALID_INPUT");

testAttacks([
  batch("nothing was written", reaching("start", UNVERIFIED), async (handle, service) => {
    await send(service, people(), { waitForLockMs: 0 }).catch(() => {});
    await handle.complete();
  }),
  batch("a window is lost, and it is completed", INCOMPLETE, async (handle, service) => {
    // Halves of it are lost, too.
    service.server.faults.add({ on: "SyncRecords", fault: "drop", at: "answer", times: 99 });
    await handle.write("accounts", people()).catch(() => {});
    await handle.complete();
  }),
  batch(
    "its abort is refused, and it is completed",
    { kind: "refused", error: { name: expect.any(String) } },
    async (handle, service) => {
      await handle.write("accounts", people());
      service.server.faults.add({
        on: "AbortSyncBatch",
        times: 9,
        fault: "status",
        status: "PERMISSION_DENIED",
      });
      await handle.abort().catch(() => {});
      expect(handle.state).not.toBe("aborted");
      await handle.complete();
    },
  ),
  unclearHandle(),
  {
    name: "a batch by hand has added records, and a run of the source is cut",
    ending: held({ known: 40, removed: 20 }),
    prepare: async (service) => {
      const handle = await service.startBatch();
      await handle.write("accounts", people(0, 100));
      await handle.complete();
    },
    attack: (service) => send(service, people(0, 20)),
  },
]);

/** What happens with a batch that was started by hand. */
function batch(
  name: string,
  ending: Ending,
  use: (handle: SyncBatch, service: TestService) => Promise<unknown>,
): Attack {
  return {
    name: `a batch is started, and ${name}`,
    ending: ending.kind === "refused" ? { reached: "records", ...ending } : ending,
    attack: async (service) => {
      await use(await service.startBatch(), service);
      return [];
    },
  };
}

function unclearHandle(): Attack {
  let handle: SyncBatch;
  return {
    name: "a handle whose completion is unclear is aborted in vain, and completed again",
    ending: refused("BATCH_STATE", { reason: "unknown", state: "unknown" }),
    prepare: async (service) => {
      handle = await service.startBatch();
      await handle.write("accounts", people());
      breakTwice(service, "CompleteSyncBatch", "answer");
      await expect(handle.complete()).rejects.toMatchObject({ code: "BATCH_OUTCOME_UNKNOWN" });
      const fault = { fault: "status", status: "PERMISSION_DENIED" } as const;
      service.server.faults.add({ on: "AbortSyncBatch", times: 9, ...fault });
      await expect(handle.abort()).rejects.toMatchObject({ code: "PERMISSION_DENIED" });
    },
    attack: async () => {
      await handle.complete();
      return [];
    },
  };
}
