import { type HeldReason, type HeldReport, RunHeldError } from "../../core/errors/index.js";
import { truncateId } from "../encoding/record-id.js";
import type { ListedIn } from "../ledger/collection-ledger.js";
import { withText } from "../report-text.js";
import { isAboutBaseline, type SnapshotJudgement } from "./snapshot.js";

interface OfferedApproval {
  readonly id: string;
  readonly expiresAt: number;
}

export interface HeldJudgement extends SnapshotJudgement {
  readonly listedIn?: ListedIn | undefined;
  /** Why the given approval does not cover it. */
  readonly approvalProblem: string | undefined;
}

export type NoOffer = "no-ledger" | "not-stored";

const NO_OFFER: Readonly<Record<NoOffer, string>> = {
  "no-ledger":
    'Removals cannot be approved with ledger: "none". Run again when the source is complete, or use fileLedger(directory).',
  "not-stored":
    "The ledger could not store an approval; see the log. For a fileLedger, check its directory and the free disk space.",
};

const NOT_FIRST =
  "If it is not the first run, this is not the ledger of the last one (another directory or user, or a container without a volume), and completing would remove every record that this run lacks.";

export interface HeldScope {
  readonly installationId: string;
  /** Location of the ledger, or `none`. */
  readonly ledger: string;
}

export function heldReport(
  { installationId, ledger }: HeldScope,
  held: readonly HeldJudgement[],
  approval: HeldReport["approval"],
  lines: readonly string[],
): HeldReport {
  return withText({ installationId, ledger, reasons: held.flatMap(reasonsOf), approval }, () => lines);
}

/**
 * Creates the error of a held run.
 * @param renewed Collections that are not held because they were approved; the new offer covers them too.
 */
export function heldError(
  scope: HeldScope,
  held: readonly HeldJudgement[],
  offer: OfferedApproval | NoOffer,
  renewed: readonly string[] = [],
): RunHeldError {
  const approval =
    typeof offer === "string" ? undefined : { id: offer.id, expiresAt: new Date(offer.expiresAt) };
  const isFirst = held.every(isFirstRun);
  const start = isFirst
    ? `The guard held this run; nothing was sent. ${describeFirstRun(scope)}`
    : `The guard held this run; nothing was sent (ledger: ${scope.ledger}):`;
  const found = held.flatMap(describeHeld);
  const sentences = [
    ...held.flatMap(describeApproval),
    isFirst
      ? NOT_FIRST
      : "A source that is filtered, truncated, partly paged or of another tenant, or whose columns were renamed, looks like this: check the source first.",
    typeof offer === "string"
      ? NO_OFFER[offer]
      : `If the change is right, run again with approve: ${JSON.stringify(offer.id)} before ${approval?.expiresAt.toISOString()}.`,
    renewed.length === 0 ? "" : `This covers ${renewed.join(", ")} too, which was approved before.`,
  ].filter((sentence) => sentence !== "");
  return new RunHeldError(`${start} ${found.join("; ")}. ${sentences.join(" ")}`, {
    report: heldReport(scope, held, approval, [start, ...found.map((reason) => `- ${reason}`), ...sentences]),
    cause: held.find(({ problem }) => problem !== undefined)?.problem,
  });
}

/** What to do if the run that is held is the first one. */
function describeFirstRun({ installationId, ledger }: HeldScope): string {
  return `If this is the first run of installation ${JSON.stringify(installationId)} with the ledger ${ledger}, run once with firstRun: true:`;
}

function describeApproval({ collection, approvalProblem }: HeldJudgement): string[] {
  return approvalProblem === undefined ? [] : [`approve does not cover ${collection}: ${approvalProblem}.`];
}

function describeHeld(judgement: HeldJudgement): string[] {
  return reasonsOf(judgement).map(({ message }) => message);
}

/** Says that a run would be held, and why. */
export function describePreview(scope: HeldScope, held: readonly HeldJudgement[]): string {
  const isFirst = held.every(isFirstRun);
  const start = isFirst
    ? `The guard would hold this run. ${describeFirstRun(scope)}`
    : "The guard would hold this run:";
  const found = `${held.flatMap(describeHeld).join("; ")}.`;
  return [start, found, ...held.flatMap(describeApproval), ...(isFirst ? [NOT_FIRST] : [])].join(" ");
}

function isFirstRun({ findings }: SnapshotJudgement): boolean {
  return findings.some(({ rule }) => rule === "no-baseline");
}

function reasonsOf({ collection, findings, figures, compared, listedIn }: HeldJudgement): HeldReason[] {
  return findings.map(({ rule, fields, text }) => {
    const isAboutIds = rule === "removed" || rule === "window" || isAboutBaseline({ rule });
    const path = isAboutIds ? listedIn?.removals : rule === "added" ? listedIn?.additions : undefined;
    return {
      collection,
      rule,
      diff: figures,
      ...(fields === undefined ? {} : { fields }),
      message: `${collection}: ${text}${path === undefined ? "" : `, listed in ${path}`}`,
      examples: isAboutIds ? compared.firstGone.map(truncateId) : [],
      ...(path === undefined ? {} : { listedIn: path }),
    };
  });
}
