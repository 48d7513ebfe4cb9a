import { type Align, cellsOf, csvOf, TableWriter } from "../table.js";
import type { Renewal, Report, Unused } from "./collect.js";

const FIRST_HOLDERS = 10;
const UNUSED_ALIGNS = ["left", "left", "right", "right"] as const;

/** The report for a terminal. */
export function reportText(
  report: Report,
  heading: (text: string) => string,
  width: number | undefined,
): string {
  const { day, days, unusedLicenses, savings, byPlan, byHolder, renewals } = report;
  const table = (
    head: readonly string[],
    rows: readonly (readonly unknown[])[],
    aligns: readonly Align[],
  ) => {
    const cells = rows.map(cellsOf);
    return new TableWriter(head, cells, aligns, width).write(cells);
  };
  const parts = [
    `${heading(`Unused licenses on ${day}`)}\n\n${unusedLicenses} licenses that nobody uses.${savingsLine(savings)}\n`,
    table(["Plan", "Integration", "Unused", "Saving a year"], byPlan.map(rowOf), UNUSED_ALIGNS),
  ];
  if (byHolder.length > 0) {
    const first = byHolder.slice(0, FIRST_HOLDERS);
    const of = byHolder.length > first.length ? `, the first ${first.length} of ${byHolder.length}` : "";
    parts.push(
      `${heading(`By holder${of}`)}\n`,
      table(["Holder", "E-mail", "Unused", "Saving a year"], first.map(rowOf), UNUSED_ALIGNS),
    );
  }
  parts.push(`${heading(`Renewals within ${days} days`)}\n`);
  const head = ["Renews on", "Terminate by", "Plan", "Contract", "Unused seats", "Cost a year"];
  const aligns = ["left", "left", "left", "left", "right", "right"] as const;
  parts.push(renewals.length === 0 ? "None.\n" : table(head, renewals.map(renewalRow), aligns));
  return parts.join("\n");
}

/** One line for each plan and each renewal, for spreadsheets. */
export function reportCsv({ byPlan, byHolder, renewals }: Report): string {
  const head = ["kind", "name", "detail", "unused", "amount_per_year", "currency", "date", "terminate_by"];
  const unused = (kind: string, all: readonly Unused[]) =>
    all.flatMap(({ name, detail, licenses, savings }) => {
      const amounts = Object.entries(savings);
      const priced = amounts.length === 0 ? [["", ""] as const] : amounts;
      return priced.map(([currency, amount]) => [kind, name, detail, licenses, amount, currency, "", ""]);
    });
  return csvOf([
    head,
    ...unused("unused by plan", byPlan),
    ...unused("unused by holder", byHolder),
    ...renewals.map((renewal) => [
      ...["renewal", renewal.plan, renewal.integration, renewal.unusedSeats],
      ...[renewal.annualCost, renewal.currency, renewal.date, renewal.terminateBy],
    ]),
  ]);
}

/** `1234.5` is `EUR 1,234.50`. */
export function money(amount: string | number, currency: string): string {
  const [whole = "", cents = ""] = Number(amount).toFixed(2).split(".");
  return `${currency} ${whole.replace(/\B(?=(\d{3})+$)/g, ",")}.${cents}`;
}

export function moneyOf(savings: Readonly<Record<string, string>>): string {
  return Object.entries(savings)
    .map(([currency, amount]) => money(amount, currency))
    .join(", ");
}

function savingsLine(savings: Readonly<Record<string, string>>): string {
  const all = moneyOf(savings);
  return all === "" ? " No price is known." : ` Giving them up saves ${all} a year.`;
}

function rowOf({ name, detail, licenses, savings }: Unused): readonly unknown[] {
  return [name, detail, licenses, moneyOf(savings)];
}

function renewalRow(renewal: Renewal): readonly unknown[] {
  const { date, terminateBy, plan, integration, contract, unusedSeats, annualCost, currency } = renewal;
  const cost = annualCost === null ? "" : money(annualCost, currency ?? "");
  return [date, terminateBy, `${integration} ${plan}`.trim(), contract, unusedSeats, cost];
}
