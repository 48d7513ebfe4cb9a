import Table from "cli-table3";
import { SIZES, type Size, type Tally } from "./tally.js";

export function organisationTable({ organisations }: Tally): string {
  const rows = [...organisations].map(([name, { runs, falseHolds, rules, approvals, repeated }]) => [
    name,
    count(runs),
    count(falseHolds),
    [...rules].join(", "),
    count(approvals),
    count(repeated),
  ]);
  return table(["organisation", "runs", "false holds", "by rules", "approved", "again"], rows);
}

/** How many of the visible disasters are missed. */
export function disasterTable({ disasters }: Tally): string {
  const rows = [...disasters].map(([kind, { visible, missed }]) => [
    kind,
    ...SIZES.map((size) => (visible[size] === 0 ? "" : `${count(missed[size])} of ${count(visible[size])}`)),
  ]);
  return table(["missed in collections of", "50 and more", "10 to 49", "fewer"], rows);
}

export function summaryOf(tally: Tally): string {
  const { years } = tally;
  const perYear = (holds: number) => (holds / years).toFixed(3);
  const falseHolds = [...tally.falseHolds].map(([rules, holds]) => `${rules} ${holds}`).join("; ");
  const missed = (concerns: "ids" | "fields", sizes?: readonly Size[]) =>
    shareOf(
      tally.sumOfDisasters("missed", concerns, sizes),
      tally.sumOfDisasters("visible", concerns, sizes),
    );
  const [large, medium, small] = SIZES;
  const all = (field: "missed" | "visible") =>
    tally.sumOfDisasters(field, "ids") + tally.sumOfDisasters(field, "fields");
  return [
    `${years.toFixed(1)} installation-years, ${count(tally.sumOf("runs"))} runs`,
    `false holds: ${perYear(tally.sumOf("falseHolds"))} an installation-year (${falseHolds})`,
    `approvals: ${perYear(tally.sumOf("approvals"))} an installation-year, and ${perYear(tally.sumOf("repeated"))} again within three weeks`,
    `missed of the visible disasters of fields: ${missed("fields", [large])} in collections of 50 and more, ${missed("fields", [medium])} of 10 to 49, ${missed("fields", [small])} of fewer`,
    `missed of the visible disasters of ids: ${missed("ids", [large])}, ${missed("ids", [medium])}, ${missed("ids", [small])}`,
    `missed of all: ${shareOf(all("missed"), all("visible"))}`,
  ].join("\n");
}

function table(head: string[], rows: string[][]): string {
  const colAligns = head.map((_, i) => (i === 0 ? ("left" as const) : ("right" as const)));
  const all = new Table({ head, colAligns, style: { head: [], border: [], compact: true } });
  all.push(...rows);
  return all.toString();
}

function shareOf(part: number, whole: number): string {
  return `${count(part)} of ${count(whole)} (${((100 * part) / Math.max(1, whole)).toFixed(1)} %)`;
}

function count(value: number): string {
  return value.toLocaleString("en-US");
}
