import { escapeControls } from "../../core/redact.js";
import { counted, withText, wrapped } from "../../sync/report-text.js";

/** The result of one fault. */
export type FaultResult = ConnectorReport["faults"][number];

/** The kit's verdicts on a connector. The report is plain JSON; a template string shows it as a table. */
export interface ConnectorReport {
  /** Whether at least one fault was injected and nothing was WRONG. */
  readonly ok: boolean;
  /** The seed of the faults. The same seed picks the same pages. */
  readonly seed: number;
  /** Says what most faults change, such as a recording's largest listing, and what size they need. */
  readonly source: string;
  /** The result of each fault. */
  readonly faults: readonly {
    /** Name of the fault; `only: [name]` runs it again. */
    readonly fault: string;
    /** What the fault does. */
    readonly summary: string;
    /**
     * - `refused`: the run failed with an error and sent nothing, and the next run, without the fault, had the clean
     *   run's effect.
     * - `held`: the guard held the run, and the next run had the clean run's effect.
     * - `same`: the run completed with the clean run's effect.
     * - `WRONG`: the run completed with another effect, failed while sending, or didn't end; or the next run had
     *   another effect; or a secret leaked.
     */
    readonly verdict: "refused" | "held" | "same" | "WRONG";
    /** How often the fault was injected; 0 for the two rows about runs without a fault. */
    readonly fired: number;
    /**
     * For `WRONG`: how many records of which collection were removed, lost, emptied, changed, doubled, added or kept,
     * or what leaked; also, which exchange caused it. Includes ids of records, but nothing else of their contents.
     */
    readonly cause?: string | undefined;
    /** For `refused` and `held`: the error's message. */
    readonly error?: string | undefined;
  }[];
  /** Which of the verdicts `refused` and `held` never occurred; empty with `only`. */
  readonly neverSeen: readonly string[];
  /** Faults that couldn't be run, and why. Faults in `except` have the reason given there. */
  readonly notRun: readonly { readonly fault: string; readonly reason: string }[];
  /** The table, at most 100 columns wide. */
  toString(): string;
}

const WIDTH = 100;
/** Width of the verdicts' column: the longest verdict and a gap. */
const VERDICT_WIDTH = "refused".length + 2;
/** Maximum number of lines for an error's message. */
const MOST_LINES = 4;
const DETAIL_WIDTH = WIDTH - VERDICT_WIDTH - 2;
const LONGEST_NAME = 36;
const SHOWN = ["same", "held", "refused", "WRONG"] as const;

type Parts = Omit<ConnectorReport, "ok" | "toString">;

export function connectorReport(parts: Parts): ConnectorReport {
  const ok = hasInjected(parts) && parts.faults.every(({ verdict }) => verdict !== "WRONG");
  return withText({ ok, ...parts }, () => reportLines(parts));
}

function hasInjected({ faults }: Parts): boolean {
  return faults.some(({ fired }) => fired > 0);
}

/** A table of at most 100 columns: every row in the order of the faults, then a summary of all rows. */
function reportLines(report: Parts): readonly string[] {
  const { source, faults, neverSeen, notRun, seed } = report;
  const rows = faults.filter(({ fired, verdict }) => fired > 0 || verdict === "WRONG");
  const nameWidth = Math.min(LONGEST_NAME, Math.max(0, ...faults.map(({ fault }) => fault.length))) + 2;
  const counts = SHOWN.map((name) => `${rows.filter(({ verdict }) => verdict === name).length} ${name}`);
  const again = rows.find(({ verdict }) => verdict === "WRONG")?.fault;
  return [
    ...faults.flatMap((row) => rowLines(row, nameWidth)),
    "",
    `${counted(rows.length, "fault")}: ${counts.join(", ")}. Seed ${seed}.`,
    ...(again !== undefined || hasInjected(report)
      ? []
      : ["No fault was injected, so nothing is known about this connector."]),
    ...folded(source),
    ...(neverSeen.length === 0 ? [] : [`No run was ${neverSeen.join(" or ")}.`]),
    ...reasonLines(notRun),
    ...(again === undefined ? [] : folded(`To run one again: only: ["${again}"], seed: ${seed}.`)),
  ];
}

function rowLines({ verdict, fault, summary, cause, error }: FaultResult, nameWidth: number): string[] {
  const start = `${verdict.padEnd(VERDICT_WIDTH)}${fault.padEnd(nameWidth)}`;
  const indent = VERDICT_WIDTH + nameWidth;
  const detail = cause ?? error;
  const [first = "", ...more] = folded(summary, WIDTH - Math.max(indent, start.length));
  return [
    `${start}${start.endsWith(" ") ? "" : " "}${first}`,
    ...more.map((line) => " ".repeat(indent) + line),
    ...(detail === undefined ? [] : firstOf(folded(detail, DETAIL_WIDTH))).map(
      (line) => " ".repeat(WIDTH - DETAIL_WIDTH) + line,
    ),
  ];
}

/** Faults with the same reason share a line. */
function reasonLines(notRun: ConnectorReport["notRun"]): readonly string[] {
  const reasons = [...new Set(notRun.map(({ reason }) => reason))];
  return reasons.flatMap((reason) => {
    const names = notRun.filter((one) => one.reason === reason).map(({ fault }) => fault);
    return folded(`Not run (${reason}): ${names.join(", ")}.`);
  });
}

/** Splits text into lines, escapes it and cuts long words. */
function folded(text: string, width = WIDTH): readonly string[] {
  const words = escapeControls(text.replaceAll("\n", " "));
  return wrapped(words.replace(new RegExp(`\\S{${width}}(?=\\S)`, "gu"), "$& "), width);
}

function firstOf(lines: readonly string[]): readonly string[] {
  if (lines.length <= MOST_LINES) return lines;
  return [...lines.slice(0, MOST_LINES - 1), `${lines[MOST_LINES - 1]?.slice(0, DETAIL_WIDTH - 2)} …`];
}
