import {
  type HeldReason,
  type HeldReport,
  RunHeldError,
  SaasManagementError,
} from "../../core/errors/index.js";
import { truncateId } from "../encoding/record-id.js";
import type { HoldReason } from "../ledger/entry.js";
import { count, withText } from "../report-text.js";
import type { SnapshotJudgement } from "./snapshot.js";

export interface Offer {
  readonly id: string;
  readonly expiresAt: number;
}

export interface HeldJudgement extends SnapshotJudgement {
  readonly collection: string;
  readonly held: HoldReason;
  readonly listedIn: string | undefined;
  readonly approvalProblem: string | undefined;
}

export type NoOffer = "no-ledger" | "not-stored";

const NO_OFFER: Readonly<Record<NoOffer, string>> = {
  "no-ledger":
    'Removals cannot be approved with ledger: "none". Run again when the source is complete, or use fileLedger(directory).',
  "not-stored":
    "The ledger could not store an approval; see the log. For a fileLedger, check its directory and the free disk space.",
};

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
  return withText({ installationId, ledger, reasons: held.map(reasonOf), approval }, () => lines);
}

/**
 * Creates the error of a held run. It says only what this run did with the batch: another process may complete it.
 * @param renewed Collections that are not held because they were approved; the new offer covers them too.
 */
export function heldError(
  scope: HeldScope,
  held: readonly HeldJudgement[],
  offer: Offer | NoOffer,
  renewed: readonly string[] = [],
): RunHeldError {
  const added = held.reduce((sum, { compared }) => sum + compared.new, 0);
  const approval =
    typeof offer === "string" ? undefined : { id: offer.id, expiresAt: new Date(offer.expiresAt) };
  const start = "The guard held this run; no records were removed:";
  const found = held.map(describeHeld);
  const sentences = [
    ...held.flatMap(({ collection, approvalProblem }) =>
      approvalProblem === undefined ? [] : [`approve does not cover ${collection}: ${approvalProblem}.`],
    ),
    held.some(({ held: reason }) => reason === "no-baseline") ? describeFirstRun(scope) : "",
    "The run did not complete its batch.",
    added === 0
      ? ""
      : `Records that it added or updated are already visible (new ids: ${count(added)}) until a later snapshot keeps or removes them.`,
    "A filtered, truncated or partly paged source looks like this: check the source first.",
    typeof offer === "string"
      ? NO_OFFER[offer]
      : `If it is right, run again with approve: ${JSON.stringify(offer.id)} before ${approval?.expiresAt.toISOString()}.`,
    renewed.length === 0 ? "" : `This covers ${renewed.join(", ")} too, which was approved before.`,
  ].filter((sentence) => sentence !== "");
  return new RunHeldError(`${start} ${found.join("; ")}. ${sentences.join(" ")}`, {
    report: heldReport(scope, held, approval, [start, ...found.map((reason) => `- ${reason}`), ...sentences]),
    cause: held.find(({ problem }) => problem !== undefined)?.problem,
  });
}

function describeFirstRun({ installationId, ledger }: HeldScope): string {
  return `The ledger (${ledger}) knows nothing of installation ${JSON.stringify(installationId)}. If this is its first run with this ledger, run once with firstRun: true. If it is not, this is not the ledger of the last run: another directory or user, or a container without a volume. Then completing would remove every record that this run lacks.`;
}

/** Describes why a snapshot is held, without a period. */
export function describeHeld(judgement: HeldJudgement): string {
  return judgement.held === "removals" ? describeRemovals(judgement) : describeNoBaseline(judgement);
}

function describeNoBaseline({ collection, held, compared, listedIn, problem }: HeldJudgement): string {
  const listed = listedIn === undefined ? "" : `, listed in ${listedIn}`;
  const approving = `(an approval makes the ${count(compared.sent)} ids of this run the new baseline${listed})`;
  if (held === "no-baseline") return `what would be removed of ${collection} is not known ${approving}`;
  const why = problem instanceof SaasManagementError ? ` (${problem.message})` : "";
  const { gone, known } = compared;
  const readable =
    known === 0 ? "" : `; ${count(gone)} of the ${count(known)} ids that can be read would be removed`;
  return `the ledger of ${collection} cannot be read${why}${readable} ${approving}`;
}

function describeRemovals({ collection, compared, listedIn }: HeldJudgement): string {
  const { sets, all } = compared;
  const details = [`${Math.round((all.gone / all.known) * 1000) / 10} %`];
  const completed = sets.find(({ origin }) => origin === "completed");
  if (sets.length > 1 && completed !== undefined) {
    const { gone, known } = completed;
    details.push(`including ${count(gone)} of the ${count(known)} of the last completed snapshot`);
  }
  const goneSinceAttempt = all.gone - compared.gone;
  if (goneSinceAttempt > 0)
    details.push(`${count(goneSinceAttempt)} of them sent by an earlier attempt of this run`);
  if (listedIn !== undefined)
    details.push(`${goneSinceAttempt > 0 ? "those of the ledger are listed" : "listed"} in ${listedIn}`);
  return `${count(all.gone)} of ${count(all.known)} known ids of ${collection} would be removed (${details.join(", ")})`;
}

function reasonOf({ collection, held, figures, compared, listedIn }: HeldJudgement): HeldReason {
  const { known, gone: removed } = compared.all;
  return {
    collection,
    rule: held === "removals" ? "removed" : held,
    diff: { ...figures, known, kept: known - removed, removed },
    examples: compared.firstGone.map(truncateId),
    ...(listedIn === undefined ? {} : { listedIn }),
  };
}
