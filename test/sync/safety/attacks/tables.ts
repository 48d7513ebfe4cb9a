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

/** All attacks, by what they are about, as docs/snapshot-safety.md lists them. */
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

/** The attacks as a table in Markdown. */
export function attacksAsMarkdown(): string {
  const tables = Object.entries(ATTACK_TABLES).map(([title, attacks]) => {
    const rows = attacks.map(({ name, stop }) => `| ${name} | ${stop} |`);
    return [`| ${title} | is stopped by |`, "|---|---|", ...rows].join("\n");
  });
  return `${tables.join("\n\n")}\n`;
}
