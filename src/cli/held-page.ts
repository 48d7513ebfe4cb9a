/**
 * Makes the page of `status --format html`, for the person who decides about held runs. The page has record ids, but no
 * other record data.
 */
import type { HeldReason, SnapshotDiff } from "../core/errors/index.js";
import { usually } from "../runs/guard/changed.js";
import { heldLines } from "../runs/guard/held-report.js";
import type { RunHistory } from "../runs/history.js";
import { collectionEntries } from "../sync/collections.js";
import { count } from "../sync/report-text.js";
import { factsOf, list, markup, page } from "./page.js";
import { approveSteps } from "./problem.js";

type Runs = Pick<RunHistory, "runs" | "held">;
/** A run in a chart. */
type Column = SnapshotDiff & { readonly at: Date; readonly limit?: number };
const FIGURES = ["sent", "added", "removed", "limit"] as const;

/** @param installations The runs of each installation. */
export function heldPage(installations: readonly Runs[]): string {
  const sections = installations
    .filter(({ held }) => held.length > 0)
    .flatMap((one) => [...one.held.map(heldSection), ...chartsOf(one)]);
  const day = new Date().toISOString().slice(0, 10);
  return page("Held runs", day, sections.join("\n") || "<p>No run is held.</p>");
}

function heldSection(held: Runs["held"][number]): string {
  const [summary = "", ...lines] = heldLines(held);
  const { installationId, heldAt, approval, isApproved } = held;
  const until = approval.expiresAt.toISOString();
  const next = isApproved
    ? `Approved: runs like this one go through until ${until}.`
    : `To approve it before ${until}: ${approveSteps([held]).at(-1)?.command}`;
  const shown = [...lines.map((line) => line.replace(/^- /, "")), next].map(markup);
  return `<section><h2>${markup(summary)}</h2>
<p>Installation ${markup(installationId)}, held since ${heldAt.toISOString()}</p>
${[...byCollection(held.reasons).values()].map(figuresOf).join("\n")}
${list(shown)}</section>`;
}

function byCollection(reasons: readonly HeldReason[]): ReadonlyMap<string, HeldReason> {
  return new Map(reasons.map((reason) => [reason.collection, reason]));
}

function figuresOf({ collection, diff, usual, limits }: HeldReason): string {
  const fact = (what: "removed" | "added") => {
    const range = usual[what] === undefined ? "" : `, ${usually(usual[what])}`;
    const limit = limits[what] === undefined ? "" : `; the limit is ${count(limits[what])}`;
    return [count(diff[what]), `${what}${range}${limit}`] as const;
  };
  const sent = [count(diff.sent), `${collection}, after ${count(diff.known)}`] as const;
  return factsOf([sent, fact("removed"), fact("added")]);
}

/** A chart for each collection, with its last runs and its held runs. */
function chartsOf({ runs, held }: Runs): readonly string[] {
  const columns = new Map<string, Column[]>();
  const shares = new Map<string, number>();
  for (const { reasons, heldAt: at } of held)
    for (const [name, { diff, limits }] of byCollection(reasons)) {
      if (limits.removed !== undefined) shares.set(name, limits.removed / diff.known);
      columns.set(name, [...(columns.get(name) ?? []), { ...diff, at }]);
    }
  for (const { collections, completedAt: at } of runs.toReversed())
    for (const [name, { expected }] of collectionEntries(collections))
      if (expected !== undefined) columns.set(name, [{ ...expected, at }, ...(columns.get(name) ?? [])]);
  return [...columns].map(([name, all]) => {
    const share = shares.get(name);
    const withLimit = (one: Column) =>
      share === undefined ? one : { ...one, limit: Math.floor(one.known * share) };
    return chart(name, all.map(withLimit));
  });
}

function chart(collection: string, columns: readonly Column[]): string {
  const shown = FIGURES.filter((name) => columns[0]?.[name] !== undefined);
  const most = (name: (typeof FIGURES)[number]) => Math.max(...columns.map((one) => one[name] ?? 0));
  const lowest = Math.max(most("removed"), most("limit"));
  const tops = { sent: most("sent"), added: most("added"), removed: lowest, limit: lowest };
  const bars = columns.map((one) => {
    const sizes = shown.map((name) => [name, one[name] ?? 0] as const);
    const all = sizes.map(
      ([name, size]) =>
        `<i class="${name}" style="height:${((100 * size) / (tops[name] || 1)).toFixed(1)}%"></i>`,
    );
    const said = sizes.map(([name, size]) => `${count(size)} ${name}`).join(", ");
    return `<span title="${one.at.toISOString()}: ${said}">${all.join("")}</span>`;
  });
  const legend = shown.map((name) => `<i class="${name}"></i> ${name}, up to ${count(most(name))}`);
  const days = [columns[0], columns.at(-1)].map((one) => one?.at.toISOString().slice(0, 10));
  return `<figure><h2>${markup(collection)}, ${days.join(" to ")}</h2>
<div class="runs">${bars.join("")}</div><small>${legend.join(" · ")}</small></figure>`;
}
