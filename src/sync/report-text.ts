import type { SnapshotDiff } from "../core/errors/index.js";
import { escapeControls } from "../core/redact.js";

/** Gives a report a text; as JSON, it is its data only. */
export function withText<Report extends object>(report: Report, lines: () => readonly string[]): Report {
  return Object.defineProperty(report, "toString", { value: () => lines().map(escapeControls).join("\n") });
}

export function count(value: number): string {
  return value.toLocaleString("en-US");
}

export function counted(value: number, noun: string): string {
  return `${count(value)} ${noun}${value === 1 ? "" : "s"}`;
}

/** Quotes show where an id begins and ends. */
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

/** What a snapshot changes, on one line. */
export function describeDiff({ baseline, added, kept, removed }: SnapshotDiff): string {
  if (baseline === "off") return "changes: unknown without a ledger";
  if (baseline === "unreadable") return "changes: unknown, because the ledger cannot be read";
  const unclear = baseline === "unclear" ? "; it is unclear whether the last run was completed" : "";
  const first = baseline === "none" ? "; first run: nothing to compare with" : "";
  return `changes: ${count(added)} added, ${count(kept)} kept, ${count(removed)} removed${unclear}${first}`;
}
