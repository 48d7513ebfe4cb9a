import type { SnapshotDiff } from "../core/errors/index.js";
import { escapeControls } from "../core/redact.js";

/** Makes a report print as text; the report's JSON still contains only its data. */
export function withText<Report extends object>(report: Report, lines: () => readonly string[]): Report {
  return Object.defineProperty(report, "toString", { value: () => lines().map(escapeControls).join("\n") });
}

export function count(value: number): string {
  return value.toLocaleString("en-US");
}

export function counted(value: number, noun: string): string {
  return `${count(value)} ${noun}${value === 1 ? "" : "s"}`;
}

/** Quotes an id, to show where it begins and ends. */
export function quoted(id: string): string {
  return JSON.stringify(id);
}

/** Breaks a line at spaces. A longer word, such as a path, stays whole. */
export function wrapped(text: string, width: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(" ")) {
    const longer = `${lines.at(-1)} ${word}`;
    if (lines.length === 0 || longer.length > width) lines.push(word);
    else lines[lines.length - 1] = longer;
  }
  return lines;
}

/** Aligns the columns of a table: names to the left, numbers to the right. */
export function aligned(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const padded = (cell: string, column: number) =>
    column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0);
  return rows.map((row) => row.map(padded).join("  "));
}

/** A note about the ids that a snapshot is compared with. */
const BASELINES: Readonly<Record<SnapshotDiff["baseline"], string | undefined>> = {
  completed: undefined,
  unclear: "it is unclear whether the last run was completed",
  none: "first run, nothing to compare with",
  unreadable: "changes unknown, because the ledger can't be read",
  off: "changes unknown without a ledger",
};

/** The numbers of a comparison and a note about them, if there was a ledger to compare with. */
export function readDiff(diff: SnapshotDiff): { readonly known?: SnapshotDiff; readonly remark?: string } {
  const remark = BASELINES[diff.baseline];
  const isKnown = diff.baseline !== "off" && diff.baseline !== "unreadable";
  return { ...(isKnown ? { known: diff } : {}), ...(remark === undefined ? {} : { remark }) };
}

/** What a snapshot changes, on one line. */
export function describeDiff(diff: SnapshotDiff): string {
  const { known, remark } = readDiff(diff);
  if (known === undefined) return remark ?? "";
  const changes = `changes: ${count(known.added)} added, ${count(known.kept)} kept, ${count(known.removed)} removed`;
  return remark === undefined ? changes : `${changes}; ${remark}`;
}
