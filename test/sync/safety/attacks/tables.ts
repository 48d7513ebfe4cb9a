import { approvalAttacks } from "./approvals.js";
import type { Attack } from "./attack.js";
import { declarationAttacks } from "./declarations.js";
import { fileAttacks } from "./files.js";
import { identityAttacks } from "./identities.js";
import { ledgerAttacks } from "./ledgers.js";
import { pageAttacks } from "./pages.js";
import { processAttacks } from "./processes.js";
import { serviceAttacks } from "./service.js";
import { sourceAttacks } from "./sources.js";

/** All attacks, by what they are about. */
export const ATTACK_TABLES: Readonly<Record<string, readonly Attack[]>> = {
  "The source": sourceAttacks,
  "The function": declarationAttacks,
  "Pages of a vendor": pageAttacks,
  Files: fileAttacks,
  "Ids and options": identityAttacks,
  "The service and the lock": serviceAttacks,
  "The ledger": ledgerAttacks,
  Approvals: approvalAttacks,
  Processes: processAttacks,
};
