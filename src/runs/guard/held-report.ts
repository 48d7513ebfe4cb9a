import type { HeldReason, HeldReport } from "../../core/errors/index.js";
import { truncateId } from "../../sync/encoding/record-id.js";
import { withText } from "../../sync/report-text.js";
import type { Lists } from "../ledger/collection-ledger.js";
import { isAboutBaseline, type SnapshotJudgement } from "./snapshot.js";

export interface HeldJudgement extends SnapshotJudgement {
  /** Why what was approved does not cover it. */
  readonly approvalProblem: string | undefined;
}

/** What the ledger has stored of a held run. */
export interface StoredHold {
  readonly approval: string;
  readonly at: number;
  readonly expiresAt: number;
  /** Where the ids are listed, for each held snapshot. */
  readonly lists: readonly Lists<string>[];
  /** Whether it was held before: the lists are of that run then. */
  readonly isKnown: boolean;
}

type NoOffer = "no-ledger" | "not-stored" | "preview";

const NO_OFFER: Readonly<Record<NoOffer, string>> = {
  "no-ledger":
    'Removals cannot be approved with ledger: "none". Run again when the source is complete, or use fileLedger(directory).',
  "not-stored":
    "The ledger could not store an approval; see the log. For a fileLedger, check its directory and the free disk space.",
  preview: "",
};

const CHECK_SOURCE =
  "A source that is filtered, truncated, partly paged or of another tenant, or whose columns were renamed, looks like this: check the source first.";
const NOT_FIRST =
  "If it is not the first run, this is not the ledger of the last one (another directory, user or address of the service, or a container without a volume), and completing would remove every record that this run lacks.";

export interface HeldScope {
  readonly installationId: string;
  /** Location of the ledger, or `none`. */
  readonly ledger: string;
}

/** Tells what is held and what to do: as a report with a line for each sentence, and as a message in one line. */
export function describeHeld(
  { installationId, ledger }: HeldScope,
  held: readonly HeldJudgement[],
  offer: StoredHold | NoOffer,
): { readonly report: HeldReport; readonly message: string } {
  const stored = typeof offer === "string" ? undefined : offer;
  const approval = stored && { id: stored.approval, expiresAt: new Date(stored.expiresAt) };
  const isFirst = held.every(({ findings }) => findings.some(({ rule }) => rule === "no-baseline"));
  const what =
    offer === "preview" ? "The guard would hold this run" : "The guard held this run; nothing was sent";
  const start = isFirst
    ? `${what}. If this is the first run of installation ${JSON.stringify(installationId)} with the ledger ${ledger}, run once with firstRun: true:`
    : `${what} (ledger: ${ledger}):`;
  const reasons = held.flatMap((judgement, i) => reasonsOf(judgement, stored?.lists[i]));
  const found = reasons.map(({ message }) => message);
  const sentences = [
    ...held.flatMap(({ collection, approvalProblem }) =>
      approvalProblem === undefined ? [] : [`The approval does not cover ${collection}: ${approvalProblem}.`],
    ),
    isFirst ? NOT_FIRST : CHECK_SOURCE,
    stored?.isKnown === true
      ? `The approval is that of the run held at ${new Date(stored.at).toISOString()}, whose ids are listed: this one differs from it by no more than the rules allow.`
      : "",
    typeof offer === "string"
      ? NO_OFFER[offer]
      : `If the change is right, run again with approve: ${JSON.stringify(offer.approval)} before ${approval?.expiresAt.toISOString()}.`,
  ].filter((sentence) => sentence !== "");
  const lines = [start, ...found.map((reason) => `- ${reason}`), ...sentences];
  return {
    report: withText({ installationId, ledger, reasons, approval }, () => lines),
    message: `${start} ${found.join("; ")}. ${sentences.join(" ")}`,
  };
}

function reasonsOf(
  { collection, findings, figures, compared }: HeldJudgement,
  { removals, additions, sent }: Lists<string> = {},
): HeldReason[] {
  return findings.map(({ rule, fields, text }) => {
    const isAboutIds = rule === "removed" || rule === "window" || isAboutBaseline({ rule });
    const isBaseline = isAboutBaseline({ rule });
    const gone = isBaseline ? sent : removals;
    const path = isAboutIds ? gone : rule === "added" ? additions : undefined;
    const listed = isBaseline ? "; the ids that were sent are in" : ", listed in";
    return {
      collection,
      rule,
      diff: figures,
      ...(fields === undefined ? {} : { fields }),
      message: `${collection}: ${text}${path === undefined ? "" : `${listed} ${path}`}`,
      examples: isAboutIds ? compared.firstGone.map(truncateId) : [],
      ...(path === undefined ? {} : { listedIn: path }),
    };
  });
}
