import { type Command, Option } from "commander";
import { addExamples, numberOf, UsageError } from "../command-module.js";
import { addConnectionOptions, type ConnectionOptions, connect } from "../connection/connect.js";
import type { Io } from "../io.js";
import { collectReport } from "./collect.js";
import { reportHtml } from "./html.js";
import { reportCsv, reportText } from "./text.js";

const FORMATS = ["table", "csv", "html"] as const;

interface ReportOptions extends ConnectionOptions {
  readonly format: (typeof FORMATS)[number];
  readonly days: string;
}

export function define(command: Command, io: Io): void {
  addExamples(
    command,
    "saas-management report",
    "saas-management report --format html > report.html   # one page with charts, to forward or print",
    "saas-management report --format csv --days 180 > report.csv",
  );
  addConnectionOptions(
    command
      .description(
        "Reports unused licenses by plan and holder, what they cost in each currency, and the contracts that renew soon.",
      )
      .addOption(new Option("--format <format>", "how to write it").choices(FORMATS).default("table"))
      .option("--days <number>", "how far ahead to look for renewals", "90"),
  ).action((options: ReportOptions) => writeReport(options, io));
}

async function writeReport(options: ReportOptions, io: Io): Promise<void> {
  const { format } = options;
  const days = numberOf("--days", options.days, /^[1-9]\d{0,3}$/, "a number from 1 to 9999");
  if (io.json && format !== "table") throw new UsageError("--json prints JSON. Leave out --format.");
  await using client = await connect(options, io);
  const { signal } = io;
  const report = await collectReport(client.graphql, { now: Date.now(), days, signal });
  if (format === "csv") io.write(reportCsv(report));
  else if (format === "html") io.write(reportHtml(report));
  else {
    const heading = (text: string) => io.style("bold", text);
    io.data(report, () => reportText(report, heading, process.stdout.columns).trimEnd());
  }
}
