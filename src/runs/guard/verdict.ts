import type { HeldReason } from "../../core/errors/index.js";
import type { SnapshotCollection } from "../../sync/collections.js";
import type { FieldSample, SampledId } from "../../sync/ids/field-sample.js";
import { count, counted } from "../../sync/report-text.js";
import { inWindow, type PastSnapshot, type PastSnapshots } from "../ledger/past.js";
import { judgeChanges, usualRemovals } from "./changed.js";
import type { Comparison } from "./comparison.js";
import { daysOf, type ResolvedRule } from "./rules.js";

const FIRST_FIELDS = 5;
/** A snapshot is held if its removals exceed this share and are unusual. The outage of a region removes 15 to 30%. */
const UNUSUAL = { share: 0.15, min: 5, factor: 2 };
/** If at least this many ids are known, an equal number of new ones suggests that each record got a second id. */
const DOUBLED_MIN = 3;
/** If a page is read twice, its records replace those of another page. */
const TWICE = { share: 0.05, min: 5, ofGone: 0.5 };

type Limits<Name extends keyof ResolvedRule> = Exclude<ResolvedRule[Name], false>;

/** The facts by which a snapshot is judged. */
export interface SnapshotFacts {
  readonly collection: SnapshotCollection;
  readonly compared: Comparison;
  readonly sample: FieldSample;
  /** The ids of the sampled records. */
  readonly sampledIds?: readonly SampledId[];
  readonly pasts: PastSnapshots;
  /** Later snapshots that may have been completed. */
  readonly unclear: readonly PastSnapshot[];
  readonly now: number;
  /** Number of records that were repeated. */
  readonly duplicates: number;
}

/** A rule that a snapshot breaks. */
export interface Finding {
  readonly rule: HeldReason["rule"];
  /** The fields concerned, for `changed`. */
  readonly fields?: NonNullable<HeldReason["fields"]>;
  /** The records concerned, for `changed`. */
  readonly ids?: readonly SampledId[];
  /** What was found, with figures and without a period; the collection is not named. */
  readonly text: string;
}

/** Judges a snapshot by the rules that don't depend on other collections. */
export function findingsOf(facts: SnapshotFacts, rule: ResolvedRule): readonly Finding[] {
  const { collection, compared, sample, sampledIds = [], unclear, now, duplicates } = facts;
  const pasts = [...inWindow(facts.pasts, now, daysOf(rule)), ...unclear];
  const window = pasts.filter(({ superseded = [] }) => !superseded.includes("window"));
  const findings: Finding[] = [];
  const find = (name: Finding["rule"], text: string | undefined) => {
    if (text !== undefined) findings.push({ rule: name, text });
  };
  const memory = facts.pasts.at(-1)?.fields;
  const usual = usualRemovals(memory, now);
  const removed = rule.removed && removals(compared, rule.removed, usual, duplicates);
  // Don't report removals again as shrinkage.
  if (removed) find("removed", removed);
  else if (rule.window !== false) find("window", shrinkage(compared, window, rule.window));
  if (rule.added !== false) find("added", growth(compared, rule.added));
  const changed = rule.changed ? judgeChanges({ collection, memory, now: sample, pasts, at: now }) : [];
  if (changed.length === 0) return findings;
  const texts = changed.slice(0, FIRST_FIELDS).map(({ text }) => text);
  const more = changed.length - texts.length;
  if (more > 0) texts.push(`the same in ${counted(more, "more field")}`);
  const fields = changed.map(({ text: _, rows: __, ...field }) => field);
  const rows = new Set(changed.flatMap((field) => field.rows));
  const ids = [...rows].flatMap((row) => sampledIds[row] ?? []);
  return [...findings, { rule: "changed", fields, ids, text: texts.join("; ") }];
}

/** How many ids a snapshot may remove and add, calculated from shares of the known ids. */
export function limitsOf(
  { compared: { known }, pasts, now }: Pick<SnapshotFacts, "compared" | "pasts" | "now">,
  { removed, added }: ResolvedRule,
): HeldReason["limits"] {
  if (known === 0) return {};
  const usual = usualRemovals(pasts.at(-1)?.fields, now);
  const most = (share: number, least: number) => Math.max(least, Math.floor(share * known));
  const limits = {
    removed:
      removed === false
        ? Number.POSITIVE_INFINITY
        : Math.min(
            removed.max,
            most(removed.maxShare, removed.min - 1),
            most(unusualShare(removed, usual), UNUSUAL.min - 1),
          ),
    added: added === false ? Number.POSITIVE_INFINITY : most(added.maxShare, fewNew(known, added.min)),
  };
  return Object.fromEntries(Object.entries(limits).filter(([, limit]) => Number.isFinite(limit)));
}

/** Says why too many known ids would be removed, either in total or from one set. */
function removals(
  compared: Comparison,
  limits: Limits<"removed">,
  usual: number | undefined,
  duplicates: number,
): string | undefined {
  const { known, gone, sent, sets } = compared;
  const isMany = [{ known, gone }, ...sets].some((set) => exceeds({ ...set, sent }, limits));
  if (isMany || (gone >= UNUSUAL.min && gone / known > unusualShare(limits, usual)))
    return describeRemovals(compared);
  // Enough records were repeated to suggest that a page was read in place of another.
  return gone >= TWICE.min && gone > TWICE.share * known && duplicates >= TWICE.ofGone * gone
    ? `${describeRemovals(compared)}, and ${counted(duplicates, "record")} came twice`
    : undefined;
}

/** Whether more of a set's known ids would be removed than the rule allows. */
function exceeds(
  { known, sent, gone }: Pick<Comparison, "known" | "sent" | "gone">,
  { min, max, maxShare }: Limits<"removed">,
): boolean {
  if (gone === 0) return false;
  const isNoneKept = gone === known && (sent === 0 || known >= 2);
  return isNoneKept || (gone >= min && gone / known > maxShare) || gone > max;
}

/** A larger share is unusual compared with earlier runs. It's infinite while there is no history. */
function unusualShare({ maxShare }: Limits<"removed">, usual = Number.POSITIVE_INFINITY): number {
  const share = Math.max(UNUSUAL.share, UNUSUAL.factor * usual);
  return Number.isFinite(share) ? Math.min(maxShare, share) : share;
}

function describeRemovals({ known, sets, sent, gone }: Comparison): string {
  const details = [`${percent(gone, known)}`];
  if (sent > 0 && gone === known) details.push("none of them are in this run");
  const completed = sets.find(({ origin }) => origin === "completed");
  if (sets.length > 1 && completed !== undefined)
    details.push(
      `including ${count(completed.gone)} of the ${count(completed.known)} in the last completed snapshot`,
    );
  return `${count(gone)} of ${count(known)} known ids would be removed (${details.join(", ")})`;
}

/** Says why the snapshot has too few ids compared with the largest one of the window. */
function shrinkage(
  { known, sent, gone }: Pick<Comparison, "known" | "sent" | "gone">,
  window: readonly PastSnapshot[],
  { maxShare, min }: Limits<"window">,
): string | undefined {
  const [largest = { at: 0, sent: 0 }] = window.toSorted((a, b) => b.sent - a.sent);
  const missing = largest.sent - sent;
  if (missing < min || missing / largest.sent <= maxShare) return undefined;
  const day = new Date(largest.at).toISOString().slice(0, 10);
  const fewer = `${count(sent)} ids, ${percent(missing, largest.sent)} fewer than the ${count(largest.sent)} of ${day}`;
  return `${fewer}; ${count(gone)} of the ${count(known)} known ids would be removed`;
}

/** Says why there are too many new ids compared with one of the sets of known ids. */
function growth({ sets, sent }: Comparison, { maxShare, min }: Limits<"added">): string | undefined {
  for (const { known, gone } of sets) {
    const added = sent - (known - gone);
    if (known === 0 || added <= Math.max(fewNew(known, min), maxShare * known)) continue;
    return `${count(added)} of ${count(sent)} ids are new; the ledger knew ${count(known)}`;
  }
  return undefined;
}

/** The number of new ids that always pass. */
function fewNew(known: number, min: number): number {
  return known < DOUBLED_MIN ? min : Math.min(min, known - 1);
}

/** The share with at most one decimal; less than 100% is never shown as 100%. */
function percent(part: number, whole: number): string {
  const share = (part / whole) * 100;
  return `${part < whole ? Math.min(99.9, Math.round(share * 10) / 10) : Math.round(share * 10) / 10}%`;
}
