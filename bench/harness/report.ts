import { markdownTable } from "markdown-table";
import type { Column, Target } from "./comparison.js";
import type { Measured } from "./rounds.js";
import { type Spread, show } from "./spread.js";

/** The figures of a comparison as a table, with notes for the reader. */
export function showMeasured(measured: Measured): string {
  const { comparison, rounds } = measured;
  const { id, title, notes = [] } = comparison;
  const head = `${id}: ${title} (${rounds.length} rounds, median and range)`;
  return [`\n${head}\n`, table(measured), ...notes.map((note) => `\n${note}`)].join("\n");
}

/** The targets, one row each, and whether they were reached. */
export function showTargets(all: readonly Measured[]): string {
  const rows = all.flatMap((measured) =>
    measured.comparison.targets.map((target) => targetRow(measured, target)),
  );
  return markdownTable([["comparison", "figure", "of", "against", "measured", "to be", ""], ...rows]);
}

function table(measured: Measured): string {
  const { candidates, columns, subject } = measured.comparison;
  const head = columns.flatMap((column) => (column.ratio ? [column.head, `${subject} is`] : [column.head]));
  const rows = candidates.map(({ name }) => [
    name,
    ...columns.flatMap((column) => cells(measured, name, column)),
  ]);
  return markdownTable([["", ...head], ...rows], { align: ["l", ...head.map(() => "r")] });
}

function cells(measured: Measured, name: string, { figure, digits, ratio }: Column): string[] {
  const { subject } = measured.comparison;
  const cell = orDash(measured.figure(name, figure), digits);
  if (!ratio) return [cell];
  return [cell, name === subject ? "" : orDash(measured.ratio(subject, name, figure), 2, "x")];
}

function targetRow(measured: Measured, target: Target): string[] {
  const { id, subject, columns } = measured.comparison;
  const { added = false, figure, against, of = subject, atLeast, atMost } = target;
  const compare = added ? "difference" : "ratio";
  const reached =
    against === undefined ? measured.figure(of, figure) : measured[compare](of, against, figure);
  const name = columns.find((column) => column.figure === figure)?.head ?? figure;
  const head = added ? `${name}, added` : name;
  const holds =
    (atLeast === undefined || reached.median >= atLeast) &&
    (atMost === undefined || reached.median <= atMost);
  const unit = against === undefined || added ? "" : "x";
  const wanted = atLeast === undefined ? `at most ${atMost}${unit}` : `at least ${atLeast}${unit}`;
  const verdict = Number.isNaN(reached.median) ? "not measured" : holds ? "reached" : "missed";
  return [id, head, of, against ?? "", orDash(reached, 2, unit), wanted, verdict];
}

function orDash(value: Spread, digits: number, unit = ""): string {
  return Number.isNaN(value.median) ? "–" : `${show(value, digits)}${unit}`;
}
