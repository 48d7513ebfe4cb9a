import { wrapped } from "../../sync/report-text.js";
import { connect } from "../connect.js";
import { columnsOf, type Io } from "../io.js";
import type { Options } from "../options.js";
import { isPage } from "../page.js";
import { reportHtml } from "./html.js";
import { costOf, moneyOf, type Report, readReport } from "./model.js";
import { table } from "./table.js";

export async function run(_: readonly string[], options: Options, io: Io): Promise<void> {
  const { days = 90 } = options;
  const asPage = isPage(options, io);
  await using client = await connect(options, io);
  const report = await readReport(client.graphql, Date.now(), days, io.signal);
  const width = columnsOf(process.stdout) ?? (Number(process.env["COLUMNS"]) || 200);
  if (asPage) io.write(reportHtml(report));
  else io.data(report, () => reportText(report, width));
}

/** The report for a terminal. */
function reportText({ day, days, unusedLicenses, savings, plans, renewals }: Report, width: number): string {
  const saved = moneyOf(savings) || "none is known";
  const unused = plans.map((plan) => [plan.name, plan.detail, `${plan.licenses}`, moneyOf(plan.savings)]);
  const due = renewals.map((renewal) => {
    const { date, terminateBy, plan, integration, contract, unusedSeats } = renewal;
    const sold = `${integration} ${plan}`.trim();
    return [date, terminateBy ?? "", sold, contract, `${unusedSeats}`, costOf(renewal)];
  });
  const head = ["Renews on", "Terminate by", "Plan", "Contract", "Unused seats", "Cost a year"];
  return [
    `Unused licenses on ${day}\n`,
    ...wrapped(`${unusedLicenses} licenses that nobody uses. Possible savings a year: ${saved}.\n`, width),
    ...table([["Plan", "Integration", "Unused", "Saving a year"], ...unused], [0, 1], width),
    ...wrapped(`\nRenewals within ${days} days (unused seats include seats that nobody holds)\n`, width),
    ...(renewals.length === 0 ? ["None."] : table([head, ...due], [2, 3], width)),
  ].join("\n");
}
