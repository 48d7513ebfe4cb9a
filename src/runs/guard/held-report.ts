/**
 * The report of a held run, for people. It's built from the report's data alone, so it also works for a stored report.
 */
import { basename, isAbsolute } from "node:path";
import type { HeldReason, HeldReport } from "../../core/errors/index.js";
import { type SnapshotCollection, truncateId } from "../../sync/collections.js";
import { count, counted, quoted, withText } from "../../sync/report-text.js";
import type { Lists } from "../ledger/collection-ledger.js";
import type { Baseline, Baselines } from "../ledger/state.js";
import { usually } from "./changed.js";
import { isAboutBaseline, type SnapshotJudgement } from "./snapshot.js";

/** The number of ids that a line names. */
const NAMED_IDS = 3;

export interface Judged extends SnapshotJudgement {
  readonly isHeld: boolean;
  /** Why the approval doesn't cover the snapshot. */
  readonly approvalProblem: string | undefined;
  /** The baseline that awaits a decision, if the snapshot still resembles it. */
  readonly waiting: Baseline | undefined;
}

/** What the ledger stored about a held run. */
export interface StoredHold {
  readonly approval: string;
  readonly at: number;
  readonly expiresAt: number;
  readonly baselines: Baselines;
  /** Where the ids are listed, for each held snapshot. */
  readonly lists: readonly Lists<string>[];
  /** Whether an equal run was held before. If so, the lists are from that run. */
  readonly isKnown: boolean;
}

export type UsualOf = (collection: SnapshotCollection) => HeldReason["usual"];

const NO_OFFER = {
  "no-ledger":
    'Removals can\'t be approved with ledger: "none". Run again when the source is complete, or use a ledger.',
  "not-stored": "The ledger could not store an approval: check its directory and the free disk space.",
} as const;

const REMOVALS = "Check the filter and the pages: a source that is cut off or filtered looks like this.";
const ADVICE: Readonly<Record<HeldReason["rule"], string>> = {
  removed: REMOVALS,
  window: REMOVALS,
  added:
    "Check the scope of the token: another tenant's records look like this, and so do records that come back after a removal.",
  changed: "Check the columns: a renamed or swapped one looks like this.",
  "no-baseline":
    "If this isn't the first run, the last one used another ledger (another directory, user or service address, or a container without a volume), and completing this run would remove every record that isn't in it.",
  "unreadable-ledger": "Repair the ledger, or restore it from a backup.",
};
const MISSING = "Check the collections that these records refer to: some of their records are missing.";
const OTHER_IDS = "Check the tenant and the field that ids come from: this run has none of the known ids.";
const WRONG_SOURCE = "If the source is wrong, fix it and run again: there is nothing to undo.";

export interface HeldScope {
  readonly installationId: string;
  /** Location of the ledger, or `none`. */
  readonly ledger: string;
}

/** @param usual What is usual for a collection. */
export function describeHeld(
  { installationId, ledger }: HeldScope,
  held: readonly Judged[],
  offer: StoredHold | keyof typeof NO_OFFER | "preview",
  usual: UsualOf,
): HeldReport {
  const stored = typeof offer === "string" ? undefined : offer;
  const reasons = held
    .flatMap((judgement, i) => reasonsOf(judgement, usual(judgement.snapshot.collection), stored?.lists[i]))
    .sort((a, b) => weightOf(b) - weightOf(a));
  const notes = held.flatMap(({ snapshot: { collection }, approvalProblem }) =>
    approvalProblem === undefined ? [] : [`The approval does not cover ${collection}: ${approvalProblem}.`],
  );
  if (stored?.isKnown === true)
    notes.push(
      `A similar run was held at ${new Date(stored.at).toISOString()}. Its approval also covers this run, and the lists show the ids of that run.`,
    );
  if (typeof offer === "string" && offer !== "preview") notes.push(NO_OFFER[offer]);
  const approval = stored && { id: stored.approval, expiresAt: new Date(stored.expiresAt) };
  const summary = offer === "preview" ? `A run would be held: ${worstOf(reasons)}.` : heldSummary(reasons);
  return withHeldText({ installationId, ledger, summary, reasons, notes, approval });
}

/** Gives a report its text. */
export function withHeldText<Report extends HeldReport>(report: Report): Report {
  return withText(report, () => [...heldLines(report), ...decisionOf(report)]);
}

/** The report on one line, for an error message. */
export function heldMessage(report: HeldReport): string {
  const { summary, reasons, notes } = report;
  const found = reasons.map(foundLine).join("; ");
  const lists = listsOf(report);
  return [summary, `${found}.`, ...adviceOf(report), ...notes, ...lists, ...decisionOf(report)].join(" ");
}

/** Lines about what is held, why, and what to check. */
export function heldLines(report: HeldReport): readonly string[] {
  const { summary, reasons, notes } = report;
  const collections = [...new Set(reasons.map(({ collection }) => collection))];
  const found = collections.flatMap((collection) => {
    const own = reasons.filter((reason) => reason.collection === collection);
    return [...own.slice(0, 1).flatMap(countsLine), ...own.map((reason) => `- ${foundLine(reason)}`)];
  });
  return [summary, ...found, ...adviceOf(report), ...notes, ...listsOf(report)];
}

/** A line that shows how many records this run and the last ones sent, so that a sudden drop stands out. */
function countsLine({ collection, usual, diff }: HeldReason): readonly string[] {
  const before = usual.sent.map(count).join(" ");
  return before === "" ? [] : [`${collection}  ${before} → ${count(diff.sent)}`];
}

function foundLine({ rule, message, diff, usual, limits, examples, missing = [] }: HeldReason): string {
  const what = isAboutRemovals(rule) ? "removed" : rule === "added" ? rule : undefined;
  const [range, limit] = what === undefined ? [] : [usual[what], limits[what]];
  const isAbove = what !== undefined && limit !== undefined && diff[what] > limit;
  const named = examples.slice(0, NAMED_IDS);
  const lacks = (i: number) => (missing[i] ? ` (names ${quoted(missing[i])})` : "");
  const ids = named.map((id, i) => `${quoted(id)}${lacks(i)}`).join(", ");
  return [
    ids === "" ? message : `${message}, such as ${ids}`,
    ...(range === undefined ? [] : [usually(range)]),
    ...(isAbove ? [`the limit is ${count(limit)}`] : []),
  ].join("; ");
}

function adviceOf({ reasons, approval }: HeldReport): readonly string[] {
  const isJudged = approval !== undefined && !reasons.some(isAboutBaseline);
  return [...new Set(reasons.flatMap(({ advice }) => advice || [])), ...(isJudged ? [WRONG_SOURCE] : [])];
}

/** Names the folder once, because all lists are in it. Nobody can open a list of a ledger in memory. */
function listsOf({ reasons, ledger }: HeldReport): readonly string[] {
  const [first, ...others] = new Set(reasons.flatMap(({ listedIn }) => listedIn ?? []));
  if (first === undefined || ledger === "memory") return [];
  const place = isAbsolute(first) ? "" : "the ledger, as ";
  return [`The ids are listed in ${place}${[first, ...others.map((path) => basename(path))].join(" and ")}.`];
}

function decisionOf({ installationId, ledger, reasons, approval }: HeldReport): readonly string[] {
  const lines: string[] = [];
  if (reasons.every(({ rule }) => rule === "no-baseline"))
    lines.push(
      `If it is the first run of installation ${quoted(installationId)} with the ledger ${ledger}, run it once with firstRun: true (--first-run).`,
    );
  if (approval === undefined) return lines;
  const until = approval.expiresAt.toISOString();
  return [
    ...lines,
    `If the change is right, run again with approve: ${quoted(approval.id)} before ${until}.`,
  ];
}

export function heldSummary(reasons: readonly HeldReason[]): string {
  return `Held: ${worstOf(reasons)}. Nothing was sent.`;
}

/** Names the worst reason, or all removals if it's one of them, and counts the remaining reasons. */
export function worstOf(reasons: readonly HeldReason[]): string {
  const [worst] = reasons;
  const isRemoval = worst?.rule === "removed";
  const named = reasons.filter((reason) => reason === worst || (isRemoval && reason.rule === "removed"));
  const others = reasons.length - named.length;
  const more = others === 0 ? "" : `, and ${counted(others, "more reason")}`;
  return `${named.map(headline).join(" and ")}${isRemoval ? " would be removed" : ""}${more}`;
}

function headline({ collection, rule, diff, fields: [field] = [], message }: HeldReason): string {
  const { known, sent, added, removed, baseline } = diff;
  if (rule === "removed") return `${count(removed)} of ${count(known)} ${collection}`;
  if (rule === "window") return `only ${count(sent)} ${collection} were read`;
  // If the snapshot was compared with several baselines, only the message has the right figures.
  if (rule === "added" && baseline === "completed")
    return `${count(added)} of ${count(sent)} ${collection} are new`;
  if (rule === "no-baseline") return "the ledger has no earlier run";
  if (rule === "unreadable-ledger") return "the ledger cannot be read";
  if (field === undefined) return message;
  const became = field.value === undefined ? "changed" : `became ${field.value}`;
  return `${field.name} ${became} in ${field.changed} of ${field.sampled} sampled ${collection}`;
}

/** How severe a reason is: first missing baselines, then removals, changed fields and new ids. */
function weightOf({ rule, diff, fields: [field] = [] }: HeldReason): number {
  if (isAboutBaseline({ rule })) return 3;
  if (isAboutRemovals(rule)) return 2 + diff.removed / diff.known;
  return field === undefined ? diff.added / diff.sent : 1 + field.changed / field.sampled;
}

export function isAboutRemovals(rule: HeldReason["rule"]): boolean {
  return rule === "removed" || rule === "window";
}

function reasonsOf(
  { snapshot: { collection }, findings, figures, compared, limits }: Judged,
  usual: HeldReason["usual"],
  { removals, additions, changed, sent }: Lists<string> = {},
): HeldReason[] {
  return findings.map(({ rule, fields, text, ids = [] }) => {
    const isBaseline = isAboutBaseline({ rule });
    const path = isBaseline ? sent : ({ added: additions, changed }[String(rule)] ?? removals);
    const isOther = rule === "removed" && figures.kept === 0 && figures.sent > 0;
    const isMissing = fields?.[0]?.value === "missing";
    const examples = ids.slice(0, NAMED_IDS);
    const missing = examples.map((one) => truncateId(one.missing ?? ""));
    return {
      collection,
      rule,
      diff: figures,
      usual,
      limits,
      ...(fields === undefined ? {} : { fields }),
      message: `${collection}: ${text}`,
      advice: isOther ? OTHER_IDS : isMissing ? MISSING : ADVICE[rule],
      examples: (isAboutRemovals(rule) ? compared.firstGone : examples.map(({ id }) => id)).map(truncateId),
      ...(missing.some((id) => id !== "") ? { missing } : {}),
      ...(path === undefined ? {} : { listedIn: path }),
    };
  });
}
