import { type Align, cellsOf, csvOf, TableWriter } from "../table.js";
import { valueAt } from "./lists.js";

/** Turns nodes into text, some at a time. */
type Format = (nodes: readonly object[]) => string;

export const FORMATS = ["jsonl", "csv", "table"] as const;
export type FormatName = (typeof FORMATS)[number];

/** @param fields Undefined for all that the service answers. */
export function formatOf(
  name: FormatName,
  fields: readonly string[] | undefined,
  all: readonly string[],
  width: number | undefined,
): Format {
  if (name === "jsonl") return (nodes) => nodes.map((node) => jsonLine(node, fields)).join("");
  const columns = fields ?? all;
  return name === "csv" ? csv(columns) : table(columns, width);
}

function jsonLine(node: object, fields: readonly string[] | undefined): string {
  const picked = fields && Object.fromEntries(fields.map((path) => [path, valueAt(node, path)]));
  return `${JSON.stringify(picked ?? node)}\n`;
}

function csv(columns: readonly string[]): Format {
  let head: readonly (readonly unknown[])[] = [columns];
  return (nodes) => {
    const rows = [...head, ...nodes.map((node) => columns.map((path) => valueAt(node, path)))];
    head = [];
    return rows.length === 0 ? "" : csvOf(rows);
  };
}

/** The first rows decide how wide the columns are: the others are not known yet. */
function table(columns: readonly string[], width: number | undefined): Format {
  let writer: TableWriter | undefined;
  return (nodes) => {
    const values = nodes.map((node) => columns.map((path) => valueAt(node, path)));
    const rows = values.map(cellsOf);
    writer ??= new TableWriter(columns.map(shortName), rows, alignsOf(values, columns), width);
    return writer.write(rows);
  };
}

function alignsOf(rows: readonly (readonly unknown[])[], columns: readonly string[]): readonly Align[] {
  return columns.map((_, i) => (rows.some((row) => typeof row[i] === "number") ? "right" : "left"));
}

/** `contractDetails.renewal.upcomingDate.value` is `upcomingDate`. */
function shortName(path: string): string {
  const parts = path.split(".").filter((part) => !["value", "total", "name"].includes(part));
  return parts.slice(-2).join(".") || path;
}
