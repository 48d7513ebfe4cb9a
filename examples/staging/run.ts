import { join } from "node:path";
import { fileLedger, fileStaging, SaasManagementClient } from "@saas-management/sdk";

/** Ranges of ids: a user never moves from one to another, and each id is in one of them. */
export const RANGES = ["a-d", "e-h", "i-l", "m-p", "q-t", "u-z"] as const;

export function isRange(name: string): name is (typeof RANGES)[number] {
  return RANGES.some((range) => range === name);
}

/** Opens today's run: every process that calls this gets the same one. */
export async function openRun() {
  const state = process.env["ACME_STATE"] ?? ".";
  const ledger = fileLedger(join(state, "ledger"));
  const client = SaasManagementClient.fromEnv({ sync: { ledger } });
  const run = await client.sync.stage(fileStaging(join(state, "staging")), {
    runKey: `users of ${new Date().toISOString().slice(0, 10)}`,
    version: "acme-connector 1.0",
    partitions: { accounts: RANGES },
  });
  return { client, run };
}
