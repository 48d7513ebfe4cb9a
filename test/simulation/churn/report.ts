import Table from "cli-table3";
import { DISASTERS } from "./disasters.js";
import type { Tally } from "./tally.js";

/** Organisations whose desktops are rebuilt each night: the first that lower thresholds hold. */
const NIGHTLY = ["virtual desktops", "pool of desktops"];

export function organisationTable({ organisations }: Tally): string {
  const rows = [...organisations].map(([name, { runs, falseHolds, asked, rules }]) => [
    name,
    count(runs),
    count(falseHolds),
    [...rules].join(", "),
    count(asked),
  ]);
  return table(["organisation", "runs", "false holds", "by rules", "asked"], rows);
}

export function disasterTable({ disasters }: Tally): string {
  const rows = [...disasters].map(([{ name }, { visible, missed, missedByRemovals, small, smallHeld }]) => [
    name,
    count(visible),
    count(missed),
    count(missedByRemovals),
    small === 0 ? "" : `${count(smallHeld)} of ${count(small)}`,
  ]);
  return table(["disaster", "visible", "missed", "by `removed` alone", "smaller, held"], rows);
}

export function summaryOf(tally: Tally): string {
  const { years, falseHoldsBySum, falseHoldsByRemovals } = tally;
  const visible = tally.sumOfDisasters("visible");
  const slices = DISASTERS.find(({ name }) => name === "ids change in slices");
  const missedSlices = slices === undefined ? 0 : (tally.disasters.get(slices)?.missed ?? 0);
  return [
    `${count(years)} installation-years, ${count(tally.sumOf("runs"))} runs`,
    `false holds: ${perYear(tally.sumOf("falseHolds"), years)} an installation-year; a sum of removals in the window would have ${perYear(falseHoldsBySum, years)}, the rule of earlier versions ${perYear(falseHoldsByRemovals, years)}`,
    `asked after an event, and approved: ${count(tally.sumOf("asked"))}`,
    `missed of ${count(visible)} visible disasters: ${count(tally.sumOfDisasters("missed"))}, of which ${count(missedSlices)} are ids that change in slices; the rule of earlier versions misses ${count(tally.sumOfDisasters("missedByRemovals"))}`,
    `of ${count(tally.sumOfDisasters("visible", "fields"))} visible disasters of fields: ${count(tally.sumOfDisasters("missed", "fields"))}`,
  ].join("\n");
}

export function sensitivityTable(rows: readonly (readonly [maxShare: number, Tally])[]): string {
  return table(
    ["maxShare", "false holds a year", "of nightly desktops", "missed ids", "missed fields"],
    rows.map(([maxShare, tally]) => {
      const held = NIGHTLY.reduce((sum, name) => sum + (tally.organisations.get(name)?.falseHolds ?? 0), 0);
      return [
        `${Math.round(maxShare * 100)} %`,
        perYear(tally.sumOf("falseHolds"), tally.years),
        perYear(held, (tally.years * NIGHTLY.length) / tally.organisations.size),
        count(tally.sumOfDisasters("missed", "ids")),
        count(tally.sumOfDisasters("missed", "fields")),
      ];
    }),
  );
}

function table(head: string[], rows: string[][]): string {
  const colAligns = head.map((_, i) => (i === 0 ? ("left" as const) : ("right" as const)));
  const all = new Table({ head, colAligns, style: { head: [], border: [], compact: true } });
  all.push(...rows);
  return all.toString();
}

function count(value: number): string {
  return value.toLocaleString("en-US");
}

function perYear(holds: number, years: number): string {
  return (holds / years).toFixed(2);
}
