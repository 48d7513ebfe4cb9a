import { once } from "node:events";
import { Argument, type Command, Option } from "commander";
import { suggestKey } from "../../core/validate.js";
import { addExamples, numberOf, UsageError } from "../command-module.js";
import { addConnectionOptions, type ConnectionOptions, connect } from "../connection/connect.js";
import type { Io } from "../io.js";
import { FORMATS, type FormatName, formatOf } from "./formats.js";
import { LISTS } from "./lists.js";

interface ExportOptions extends ConnectionOptions {
  readonly format?: FormatName;
  readonly where?: string;
  readonly order?: string;
  readonly fields?: string;
  readonly limit?: string;
}

type ListName = keyof typeof LISTS;

/** Nodes that are written together. */
const CHUNK = 500;

export function define(command: Command, io: Io): void {
  addExamples(
    command,
    "saas-management export licenses --format csv > licenses.csv",
    `saas-management export licenses --where '{"state":{"activity":{"eq":"UNUSED"}}}' --fields holder.name,plan.name`,
    `saas-management export license-plans --order '{"name":"ASC"}' --format table`,
  );
  addConnectionOptions(
    command
      .description("Writes all applications, licenses or license plans to stdout, page by page.")
      .addArgument(new Argument("<list>", "what to export").choices(Object.keys(LISTS)))
      .addOption(
        new Option(
          "--format <format>",
          "how to write them (default: table on a terminal, else jsonl)",
        ).choices(FORMATS),
      )
      .option("--where <json>", "conditions, as the client's option where")
      .option("--order <json>", "the order, as the client's option order")
      .option("--fields <names>", "fields to write, with commas between them, such as holder.name,plan.name")
      .option("--limit <number>", "write so many at most"),
  ).action((list: ListName, options: ExportOptions) => exportList(list, options, io));
}

async function exportList(name: ListName, options: ExportOptions, io: Io): Promise<void> {
  const { limit } = options;
  const list = LISTS[name];
  const fields = options.fields?.split(",").map((field) => requireField(field.trim(), name, list.fields));
  const format = options.format ?? (process.stdout.isTTY === true && !io.json ? "table" : "jsonl");
  if (io.json && format !== "jsonl") throw new UsageError("--json prints JSONL. Leave out --format.");
  const selection = {
    where: jsonOf("--where", options.where),
    order: jsonOf("--order", options.order),
    limit: limit === undefined ? undefined : numberOf("--limit", limit, /^\d{1,9}$/, "a number, 0 or more"),
    signal: io.signal,
  };
  const write = formatOf(format, fields, list.fields, process.stdout.columns);
  await using client = await connect(options, io);
  let chunk: object[] = [];
  const flush = async () => {
    const isTaken = io.write(write(chunk));
    chunk = [];
    if (!isTaken) await once(process.stdout, "drain", { signal: io.signal });
  };
  for await (const node of list.read(client.graphql, selection)) {
    chunk.push(node);
    if (chunk.length === CHUNK) await flush();
  }
  await flush();
}

function requireField(field: string, list: string, known: readonly string[]): string {
  if (known.includes(field)) return field;
  throw new UsageError(
    `--fields: ${list} have no field ${field}.${suggestKey(field, known)} Fields: ${known.join(", ")}.`,
  );
}

function jsonOf(option: string, text: string | undefined): object | undefined {
  if (text === undefined) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "object" && value !== null) return value;
  } catch {
    // Said below.
  }
  throw new UsageError(`${option} must be a JSON object, such as '{"name":{"eq":"Pro"}}'.`);
}
