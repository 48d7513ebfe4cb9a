import type { Clock } from "../../core/clock.js";
import { InvalidInputError } from "../../core/errors/index.js";
import { withinGrace } from "../call.js";
import { WIRE } from "../generated/collections.js";
import { CollectionLedger } from "../ledger/collection-ledger.js";
import type { LedgerScope } from "../ledger/entry.js";
import { type Ledger, type LedgerParts, requireLedger } from "../ledger/ledger.js";

type Installation = Pick<LedgerScope, "endpoint" | "installationId">;

const SNAPSHOTS = Object.values(WIRE).filter((info) => info.model === "snapshot");

/** Whether the ledger has ids of any snapshot of an installation. Throws if its store fails. */
export async function knowsInstallation(
  ledger: LedgerParts,
  installation: Installation,
  signal?: AbortSignal,
): Promise<boolean> {
  for (const { name } of SNAPSHOTS) {
    const known = await new CollectionLedger(ledger, { ...installation, collection: name }, signal).known();
    if (known.length > 0) return true;
  }
  return false;
}

/**
 * Refuses `firstRun: true` if the ledger knows the installation. One that does not tell holds the run later.
 * @throws {InvalidInputError} it is not the first run
 */
export async function requireFirstRun(
  ledger: Ledger | "none",
  installation: Installation,
  clock: Clock,
): Promise<void> {
  const parts = requireLedger(ledger);
  if (parts === undefined) return;
  let isKnown = false;
  const look = async () => {
    isKnown = await knowsInstallation(parts, installation);
  };
  await withinGrace(clock, look).catch(() => {});
  if (!isKnown) return;
  throw new InvalidInputError(
    `firstRun must not be true: the ledger (${locationOf(ledger)}) knows earlier runs of installation ${JSON.stringify(installation.installationId)}. Leave it out, or set it from the command line: firstRun: process.argv.includes("--first-run").`,
  );
}

/** Location of a ledger, or `none`. */
export function locationOf(ledger: Ledger | "none"): string {
  return ledger === "none" ? ledger : ledger.location;
}
