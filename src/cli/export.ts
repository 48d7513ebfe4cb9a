import { once } from "node:events";
import Papa from "papaparse";
import { isObject, suggestKey } from "../core/validate.js";
import type { GraphQLClient } from "../graphql/client.js";
import type { ListOptions } from "../graphql/options.js";
import type { Connection } from "../graphql/paging/connection.js";
import { connect } from "./connect.js";
import type { Io } from "./io.js";
import { type Options, UsageError } from "./options.js";

/** A list that can be exported. */
interface ExportedList {
  /** Paths to a node's values, in the order of the columns. */
  readonly fields: string;
  /** `where` and `order` are JSON that the service checks. */
  read(client: GraphQLClient, given: ListOptions<object, object>): Connection<object>;
}

const LISTS: Readonly<Record<string, ExportedList>> = {
  applications: {
    fields:
      "id application.name application.vendorName application.category.name state portfolioType owner.name lastUsed userCountStat.all userCountStat.last30Days",
    read: (client, given) => client.applications(given),
  },
  licenses: {
    fields:
      "id holder.name holder.email holder.employeeId plan.name plan.integration.name state.activity state.reason annualPrice.amount annualPrice.currency potentialSaving.amount potentialSaving.currency",
    read: (client, given) => client.licenses(given),
  },
  "license-plans": {
    fields:
      "id name integration.name contractDetails.type contractDetails.renewal.upcomingDate.value contractDetails.renewal.terminationPeriod.value pricingStats.annualCost pricingStats.currency pricingStats.potentialSaving.amount usageStats.total usageStats.inUse.total usageStats.unused.total",
    read: (client, given) => client.licensePlans(given),
  },
};

/** Writes a list to stdout, page by page. */
export async function run([name = ""]: readonly string[], options: Options, io: Io): Promise<void> {
  const { format, where, order, limit } = options;
  if (io.json && format !== "jsonl") throw new UsageError("--json prints JSONL. Leave out --format.");
  const list = LISTS[name];
  if (list === undefined) return;
  const all = list.fields.split(" ");
  const fields = options.fields?.split(",").map((field) => requireField(field.trim(), name, all));
  const write =
    format === "csv" ? csv(fields ?? all) : (nodes: readonly object[]) => jsonLines(nodes, fields);
  await using client = await connect(options, io);
  const { signal } = io;
  for await (const { nodes } of list.read(client.graphql, { where, order, limit, signal }).pages())
    if (!io.write(write(nodes))) await once(process.stdout, "drain", { signal });
}

function requireField(field: string, list: string, known: readonly string[]): string {
  if (known.includes(field)) return field;
  throw new UsageError(
    `--fields: ${list} have no field ${field}.${suggestKey(field, known)} Fields: ${known.join(", ")}.`,
  );
}

function jsonLines(nodes: readonly object[], fields: readonly string[] | undefined): string {
  const picked = (node: object) =>
    fields === undefined ? node : Object.fromEntries(fields.map((path) => [path, valueAt(node, path)]));
  return nodes.map((node) => `${JSON.stringify(picked(node))}\n`).join("");
}

/** Rows as CSV, with a header first. Escapes cells that look like formulas, because a spreadsheet would run them. */
function csv(columns: readonly string[]): (nodes: readonly object[]) => string {
  let head: readonly (readonly unknown[])[] = [columns];
  return (nodes) => {
    const rows = [...head, ...nodes.map((node) => columns.map((path) => valueAt(node, path)))];
    head = [];
    return rows.length === 0 ? "" : `${Papa.unparse(rows, { newline: "\n", escapeFormulae: true })}\n`;
  };
}

/** Returns the value at a path; null if there is none. */
function valueAt(node: object, path: string): string | number | boolean | null {
  let value: unknown = node;
  for (const name of path.split(".")) value = isObject(value) ? Reflect.get(value, name) : undefined;
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean" ? value : null;
}
