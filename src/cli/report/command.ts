import { escapeControls } from "../../core/redact.js";
import { connect } from "../connect.js";
import { columnsOf, type Io } from "../io.js";
import type { Options } from "../options.js";
import { isPage } from "../page.js";
import { reportHtml } from "./html.js";
import { costOf, moneyOf, type Report, readReport } from "./model.js";

const GAP = "  ";
const MAX_CELL = 40;
const MIN_CELL = 6;
const UNKNOWN_WIDTH = 200;

export async function run(_: readonly string[], options: Options, io: Io): Promise<void> {
  const { days = 90 } = options;
  const asPage = isPage(options, io);
  await using client = await connect(options, io);
  const report = await readReport(client.graphql, Date.now(), days, io.signal);
  if (asPage) io.write(reportHtml(report));
  else io.data(report, () => reportText(report, columnsOf(process.stdout) ?? UNKNOWN_WIDTH));
}

/** The report for a terminal. */
function reportText({ day, days, unusedLicenses, savings, plans, renewals }: Report, width: number): string {
  const all = moneyOf(savings);
  const saved = all === "" ? "No price is known." : `Giving them up saves ${all} a year.`;
  const unused = plans.map((plan) => [plan.name, plan.detail, `${plan.licenses}`, moneyOf(plan.savings)]);
  const due = renewals.map((renewal) => {
    const { date, terminateBy, plan, integration, contract, unusedSeats } = renewal;
    const sold = `${integration} ${plan}`.trim();
    return [date, terminateBy ?? "", sold, contract, `${unusedSeats}`, costOf(renewal)];
  });
  const head = ["Renews on", "Terminate by", "Plan", "Contract", "Unused seats", "Cost a year"];
  return [
    `Unused licenses on ${day}\n\n${unusedLicenses} licenses that nobody uses. ${saved}\n`,
    table([["Plan", "Integration", "Unused", "Saving a year"], ...unused], width),
    `\nRenewals within ${days} days\n`,
    renewals.length === 0 ? "None." : table([head, ...due], width),
  ].join("\n");
}

/** A table whose last two columns are aligned to the right; the widest cells are cut until a row fits. */
function table(rows: readonly (readonly string[])[], width: number): string {
  const cells = rows.map((row) => row.map(escapeControls));
  const columns = rows[0]?.length ?? 0;
  const widths = Array.from({ length: columns }, (_, i) =>
    Math.min(MAX_CELL, Math.max(...cells.map((row) => row[i]?.length ?? 0))),
  );
  const sum = () => widths.reduce((total, one) => total + one + GAP.length, -GAP.length);
  for (let widest = 0; sum() > width && (widths[widest] ?? 0) >= MIN_CELL; ) {
    widest = widths.indexOf(Math.max(...widths));
    widths[widest] = (widths[widest] ?? 0) - 1;
  }
  const padded = (cell: string, i: number) => {
    const size = widths[i] ?? 0;
    const text = cell.length <= size ? cell : `${cell.slice(0, size - 1)}…`;
    return i < columns - 2 ? text.padEnd(size) : text.padStart(size);
  };
  const [head = "", ...lines] = cells.map((row) => row.map(padded).join(GAP).trimEnd());
  return [head, widths.map((one) => "─".repeat(one)).join(GAP), ...lines].join("\n");
}
