import type { Clock } from "../../core/clock.js";
import { InvalidInputError } from "../../core/errors/index.js";
import { withinGrace } from "../call.js";
import type { InstallationScope } from "../ledger/entry.js";
import { knowsInstallation } from "../ledger/installation.js";
import { type Ledger, requireLedger } from "../ledger/ledger.js";

/**
 * Refuses `firstRun: true` if the ledger knows the installation. One that does not tell holds the run later.
 * @throws {InvalidInputError} it is not the first run
 */
export async function requireFirstRun(
  ledger: Ledger | "none",
  scope: InstallationScope,
  clock: Clock,
): Promise<void> {
  const parts = requireLedger(ledger);
  if (parts === undefined) return;
  let isKnown = false;
  const look = async () => {
    isKnown = await knowsInstallation(parts, scope);
  };
  await withinGrace(clock, look).catch(() => {});
  if (!isKnown) return;
  throw new InvalidInputError(
    `firstRun must not be true: the ledger (${locationOf(ledger)}) knows earlier runs of installation ${JSON.stringify(scope.installationId)}. Leave it out, or set it from the command line: firstRun: process.argv.includes("--first-run").`,
  );
}

/** Location of a ledger, or `none`. */
export function locationOf(ledger: Ledger | "none"): string {
  return ledger === "none" ? ledger : ledger.location;
}
