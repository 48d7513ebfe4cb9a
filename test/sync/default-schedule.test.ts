import { memoryLedger } from "@saas-management/sdk/testing";
import { expect, test } from "vitest";
import { accounts } from "../support/accounts.js";
import { testService } from "../support/test-service.js";

const service = testService();

test.each(Array.from({ length: 20 }, (_, index) => index + 1))(
  "a run outlives the default fault schedule of seed %i without waiting for a lock",
  async (seed) => {
    service.server.faults.schedule({ seed });
    const client = service.syncClient({ retry: { retries: 4, minDelayMs: 1, maxDelayMs: 1 } });
    const receipt = await client.run(
      { snapshots: ["accounts"], run: (batch) => batch.write("accounts", accounts(3)) },
      { installationId: service.installationId, ledger: memoryLedger(), firstRun: true, waitForLockMs: 0 },
    );
    expect(receipt.waitedForLockMs).toBe(0);
    expect(receipt.collections.accounts?.stats.accepted).toBe(3);
  },
);
