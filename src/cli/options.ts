import { InvalidArgumentError, Option } from "commander";
import { isPlainObject } from "../core/validate.js";
import { ENCODINGS, type TextEncoding } from "../sources/file-kind.js";

/** The arguments of the command line are wrong. */
export class UsageError extends Error {}

/** An option, with the type of its value. */
class Flag<Value = boolean> extends Option {
  declare readonly value?: Value;
}

export const FIRST_RUN_COUNTS = "--first-run-counts";

/** All options; each command takes some of them. */
export const OPTIONS = {
  installation: new Flag<string>("--installation <id>", "installation (SAAS_MANAGEMENT_INSTALLATION_ID)"),
  apiKeyFile: new Flag<string>("--api-key-file <file>", "read the API key from a file; - is stdin"),
  config: new Flag<string>(
    "--config <file>",
    "configuration (default: saas-management.config.ts, .mts, .js, .mjs or .json)",
  ),
  verbose: new Flag("--verbose", "print each attempt of each request"),
  json: new Flag("--json", "print JSON, also for errors"),
  preview: new Flag("--dry-run, --preview", "send nothing, and print what a run would do"),
  firstRun: new Flag("--first-run", "the first run with this ledger; --first-run=1240,12 adds counts"),
  // Users write counts as --first-run=…, because an optional value would swallow the name of a file.
  firstRunCounts: new Flag<string>(`${FIRST_RUN_COUNTS} <counts>`).hideHelp(),
  waitForLock: number("--wait-for-lock <seconds>", "wait for another run to end (default: 0)", 0, 999_999),
  delimiter: new Flag<string>("--delimiter <character>", "delimiter of cells, such as ; or tab").argParser(
    (text) => (text === "tab" ? "\t" : text),
  ),
  encoding: new Flag<TextEncoding>("--encoding <encoding>", "encoding of the files (default: utf-8)").choices(
    ENCODINGS,
  ),
  ids: new Flag("--ids", "list the ids of the held run with their collection, one per line"),
  format: new Flag<string>("--format <format>", "how to write it").choices(["jsonl", "csv"]).default("jsonl"),
  page: new Flag<string>("--format <format>", "how to write it").choices(["text", "html"]).default("text"),
  where: json("--where <json>", "conditions, like the client's where option", '{"name":{"eq":"Pro"}}'),
  order: json("--order <json>", "the order, like the client's order option", '[{"id":"ASC"}]'),
  fields: new Flag<string>("--fields <names>", "fields to write, such as holder.name,plan.name"),
  limit: number("--limit <number>", "write at most this many items", 1, 999_999_999),
  pageSize: number("--page-size <number>", "request pages of this size (default: 100, or fewer)", 1, 999_999),
  days: number("--days <number>", "how far ahead to look for renewals", 1, 9999).default(90),
  demo: new Flag("--demo", "fill the workspace with a demo company"),
  host: new Flag<string>(
    "--host <address>",
    "address to listen on (default: 127.0.0.1, for this machine only)",
  ),
  port: number("--port <number>", "port of the GraphQL API (default: a free one)", 0, 65_535),
  syncPort: number("--sync-port <number>", "port of the Sync API (default: a free one)", 0, 65_535),
  // Not --env-file, which Node takes for itself even after the script (https://github.com/nodejs/node/issues/54232).
  writeEnv: new Flag<string>("--write-env <file>", "new settings file; deleted at the end unless changed"),
  tlsCert: new Flag<string>(
    "--tls-cert <file>",
    "certificate in PEM, for both APIs; together with --tls-key",
  ),
  tlsKey: new Flag<string>("--tls-key <file>", "private key of the certificate, in PEM"),
};

/** The values of all commands' options. */
export type Options = {
  readonly [Name in keyof typeof OPTIONS]?: (typeof OPTIONS)[Name] extends Flag<infer Value> ? Value : never;
};

function number(flags: string, description: string, least: number, most: number): Flag<number> {
  return new Flag<number>(flags, description).argParser((text) => {
    const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
    if (value >= least && value <= most) return value;
    throw new InvalidArgumentError(`It must be a number from ${least} to ${most}.`);
  });
}

/** @param example A value; if it's an array, arrays are accepted, too. */
function json(flags: string, description: string, example: string): Flag<object> {
  return new Flag<object>(flags, description).argParser((text): object => {
    try {
      const value: unknown = JSON.parse(text);
      if (isPlainObject(value) || (Array.isArray(value) && example.startsWith("["))) return value;
    } catch {
      // Said below.
    }
    throw new InvalidArgumentError(`It must be JSON like '${example}'.`);
  });
}
