import { brokenBatchRules } from "./batch-invariants.js";
import { brokenGuardRules } from "./guard-model.js";
import { brokenProcessRules } from "./process-invariants.js";
import { brokenRecordRules } from "./record-invariants.js";
import { brokenRunRules } from "./run-invariants.js";
import type { Simulated } from "./simulate.js";

/**
 * Checks what must be true after every program, with any faults.
 * @returns the violations, each a sentence; empty if all is well
 */
export function violations(simulated: Simulated): string[] {
  const misdeeds = simulated.conducts.flatMap((conduct) => conduct.misdeeds);
  return [
    ...brokenRecordRules(simulated),
    ...brokenBatchRules(simulated),
    ...brokenProcessRules(simulated),
    ...brokenRunRules(simulated),
    ...brokenGuardRules(simulated),
    ...misdeeds,
    ...simulated.missed,
  ];
}
