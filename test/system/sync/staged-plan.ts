import type { PlanOptions } from "@saas-management/sdk";
import { memoryLedger } from "../../../src/sync/ledger/memory-ledger.js";

/** The run that killed processes extract. */
export const PLAN = {
  runKey: "nightly",
  version: "1.0",
  installationId: "installation-1",
  // Nothing is committed.
  ledger: memoryLedger(),
  partitions: { accounts: ["all"] },
} as const satisfies PlanOptions;

/** Records of several messages. */
export function* stagedRecords() {
  for (let i = 0; i < 500; i += 1) yield { id: `u${i}`, name: "n".repeat(100) };
}
