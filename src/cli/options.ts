import { InvalidArgumentError, Option } from "commander";
import { ENCODINGS, type TextEncoding } from "../sources/file-kind.js";

/** What the options of all commands say. */
export interface Options {
  readonly installation?: string;
  readonly apiKeyFile?: string;
  readonly config?: string;
  readonly preview?: boolean;
  readonly firstRun?: boolean;
  readonly firstRunCounts?: string;
  readonly waitForLock?: number;
  readonly delimiter?: string;
  readonly encoding?: TextEncoding;
  readonly ids?: boolean;
  readonly format?: string;
  readonly where?: object;
  readonly order?: object;
  readonly fields?: string;
  readonly limit?: number;
  readonly pageSize?: number;
  readonly days?: number;
  readonly demo?: boolean;
  readonly host?: string;
  readonly port?: number;
  readonly syncPort?: number;
  readonly writeEnv?: string;
  readonly tlsCert?: string;
  readonly tlsKey?: string;
}

/** The arguments of the command line are wrong. */
export class UsageError extends Error {}

export const FIRST_RUN_COUNTS = "--first-run-counts";

/** All options. A command has some of them. */
export const OPTIONS = {
  installation: new Option("--installation <id>", "installation (SAAS_MANAGEMENT_INSTALLATION_ID)"),
  apiKeyFile: new Option("--api-key-file <file>", "read the API key from a file; - is stdin"),
  config: new Option(
    "--config <file>",
    "configuration (default: saas-management.config.ts, .mts, .js, .mjs or .json)",
  ),
  verbose: new Option("--verbose", "print each attempt of each request"),
  json: new Option("--json", "print JSON, also for errors"),
  preview: new Option("--dry-run, --preview", "send nothing, and print what a run would do"),
  firstRun: new Option(
    "--first-run",
    "this is the first run with this ledger; --first-run=1240,12 has counts",
  ),
  // Written as --first-run=…: an optional value would take the name of a file.
  firstRunCounts: new Option(`${FIRST_RUN_COUNTS} <counts>`).hideHelp(),
  waitForLock: number("--wait-for-lock <seconds>", "wait for another run to end (default: 0)", 0, 999_999),
  delimiter: new Option("--delimiter <character>", "delimiter of cells, such as ; or tab").argParser(
    (text) => (text === "tab" ? "\t" : text),
  ),
  encoding: new Option("--encoding <encoding>", "encoding of the files (default: utf-8)").choices(ENCODINGS),
  ids: new Option("--ids", "list the ids of the held run with their collection, one per line"),
  format: new Option("--format <format>", "how to write it").choices(["jsonl", "csv"]).default("jsonl"),
  page: new Option("--format <format>", "how to write it").choices(["text", "html"]).default("text"),
  where: json("--where <json>", "conditions, like the client's where option"),
  order: json("--order <json>", "the order, like the client's order option"),
  fields: new Option("--fields <names>", "fields to write, such as holder.name,plan.name"),
  limit: number("--limit <number>", "write at most this many", 0, 999_999_999),
  pageSize: number("--page-size <number>", "request pages of this size (default: 100, or fewer)", 1, 999_999),
  days: number("--days <number>", "how far ahead to look for renewals", 1, 9999).default(90),
  demo: new Option("--demo", "fill the workspace with a company"),
  host: new Option("--host <address>", "address to listen on (default: 127.0.0.1, for this machine only)"),
  port: number("--port <number>", "port of the GraphQL API (default: a free one)", 0, 65_535),
  syncPort: number("--sync-port <number>", "port of the Sync API (default: a free one)", 0, 65_535),
  // Not --env-file: Node takes that for its own, after the script too (https://github.com/nodejs/node/issues/54232).
  writeEnv: new Option(
    "--write-env <file>",
    "write the settings to a file, unless it has lines that serve didn't write",
  ),
  tlsCert: new Option("--tls-cert <file>", "certificate in PEM, for both APIs; together with --tls-key"),
  tlsKey: new Option("--tls-key <file>", "private key of the certificate, in PEM"),
};

function number(flags: string, description: string, least: number, most: number): Option {
  return new Option(flags, description).argParser((text) => {
    const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
    if (value >= least && value <= most) return value;
    throw new InvalidArgumentError(`It must be a number from ${least} to ${most}.`);
  });
}

function json(flags: string, description: string): Option {
  return new Option(flags, description).argParser((text): object => {
    try {
      const value: unknown = JSON.parse(text);
      if (typeof value === "object" && value !== null) return value;
    } catch {
      // Said below.
    }
    throw new InvalidArgumentError(`It must be a JSON object, such as '{"name":{"eq":"Pro"}}'.`);
  });
}
