/** Findings about a snapshot that cannot be compared: it is not known what completing it would remove. */
import { type HeldReason, SaasManagementError } from "../../core/errors/index.js";
import { count } from "../report-text.js";
import type { Comparison } from "./comparison.js";
import type { Finding } from "./verdict.js";

/** Whether a rule waits for the end of the run, which shows all collections, and is approved by the ids that were sent. */
export function isAboutBaseline({ rule }: Pick<HeldReason, "rule">): boolean {
  return rule === "no-baseline" || rule === "unreadable-ledger";
}

export function unknownInstallation({ sent }: Comparison): Finding {
  return { rule: "no-baseline", text: `it is not known what would be removed; ${approving(sent)}` };
}

export function unreadableLedger({ gone, known, sent }: Comparison, problem: unknown): Finding {
  const why = problem instanceof SaasManagementError ? ` (${problem.message})` : "";
  const readable =
    known === 0 ? "" : `; ${count(gone)} of the ${count(known)} ids that can be read would be removed`;
  return {
    rule: "unreadable-ledger",
    text: `the ledger cannot be read${why}${readable}; ${approving(sent)}`,
  };
}

function approving(sent: number): string {
  return `an approval makes the ${count(sent)} ids of this run the new baseline`;
}
