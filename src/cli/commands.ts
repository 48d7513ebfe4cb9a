import { Argument, InvalidArgumentError, Option } from "commander";
import type { Io } from "./io.js";

/** What the options of all commands say. */
export interface Options {
  readonly installation?: string;
  readonly apiKeyFile?: string;
  readonly config?: string;
  readonly preview?: boolean;
  readonly firstRun?: boolean;
  readonly waitForLock?: number;
  readonly ids?: boolean;
  readonly format?: string;
  readonly where?: object;
  readonly order?: object;
  readonly fields?: string;
  readonly limit?: number;
  readonly days?: number;
  readonly demo?: string | true;
  readonly host?: string;
  readonly port?: number;
  readonly syncPort?: number;
  readonly tlsCert?: string;
  readonly tlsKey?: string;
}

/** What a module of a command exports as `run`. */
type Run = (args: readonly string[], options: Options, io: Io) => Promise<void>;

interface Command {
  readonly summary: string;
  /** Further sentences of its help. */
  readonly more?: string;
  readonly argument?: Argument;
  readonly options: readonly (keyof typeof OPTIONS)[];
  readonly examples: readonly string[];
  readonly load: () => Promise<{ readonly run: Run }>;
}

/** The arguments of the command line are wrong. */
export class UsageError extends Error {}

const OPTIONS = {
  installation: new Option(
    "--installation <id>",
    "installation that is meant (SAAS_MANAGEMENT_INSTALLATION_ID)",
  ),
  apiKeyFile: new Option("--api-key-file <file>", "read the API key from a file; - is stdin"),
  config: new Option(
    "--config <file>",
    "read this configuration (default: saas-management.config.ts, .js or .json)",
  ),
  verbose: new Option("--verbose", "tell each attempt of each request"),
  json: new Option("--json", "print JSON, also for errors"),
  preview: new Option("--dry-run, --preview", "send nothing, and tell what a run would do"),
  firstRun: new Option("--first-run", "this is the first run with this ledger"),
  waitForLock: number("--wait-for-lock <seconds>", "wait for another run to end (default: 0)", 0, 999_999),
  ids: new Option("--ids", "list the ids that the held run is about, collection and id on a line"),
  format: new Option("--format <format>", "how to write it").choices(["jsonl", "csv"]).default("jsonl"),
  page: new Option("--format <format>", "how to write it").choices(["text", "html"]).default("text"),
  where: json("--where <json>", "conditions, as the client's option where"),
  order: json("--order <json>", "the order, as the client's option order"),
  fields: new Option("--fields <names>", "fields to write, such as holder.name,plan.name"),
  limit: number("--limit <number>", "write so many at most", 0, 999_999_999),
  days: number("--days <number>", "how far ahead to look for renewals", 1, 9999).default(90),
  demo: new Option("--demo [file]", "fill the workspace with a company, or with a portfolio (JSON)"),
  host: new Option("--host <address>", "address to listen on (default: 127.0.0.1, for this machine only)"),
  port: number("--port <number>", "port of the GraphQL API (default: a free one)", 0, 65_535),
  syncPort: number("--sync-port <number>", "port of the Sync API (default: a free one)", 0, 65_535),
  tlsCert: new Option("--tls-cert <file>", "certificate in PEM, for both APIs; together with --tls-key"),
  tlsKey: new Option("--tls-key <file>", "private key of the certificate, in PEM"),
};

const CONNECTED = ["installation", "apiKeyFile", "config", "verbose", "json"] as const;
const RUN = ["preview", "firstRun", "waitForLock", ...CONNECTED] as const;

/** All commands, in the order of the help. Only the module of the command that is called is loaded. */
export const COMMANDS: Readonly<Record<string, Command>> = {
  push: {
    summary: "send CSV or JSONL files in one run",
    more: "The files of a snapshot together have all of its records, and headings are names of fields; see push of the configuration. Of events, only those after the last run are sent.",
    argument: new Argument(
      "[files...]",
      "accounts.csv, accounts=users.csv; by default those of the configuration",
    ),
    options: RUN,
    examples: ["push accounts=users.csv --preview", "push accounts.csv plans.csv --first-run", "push"],
    load: () => import("./push/command.js"),
  },
  run: {
    summary: "run the connector of a module",
    more: "The module exports it as `connector` or by default, and may export `options` of the run, such as guard or onHeld.",
    argument: new Argument("<module>", "path of the module"),
    options: RUN,
    examples: ["run connector.js --preview", "run connector.js"],
    load: () => import("./run.js"),
  },
  status: {
    summary: "show the last runs, the one that is held and why, and what to do next",
    options: ["ids", ...CONNECTED],
    examples: ["status", "status --ids > ids.txt"],
    load: () => import("./status.js"),
  },
  approve: {
    summary: "let the held run pass the next time",
    more: "It runs nothing: the next push or run takes the approval, if it would do no more than was shown.",
    argument: new Argument("<id>", "id of the approval that the held run offers"),
    options: CONNECTED,
    examples: ["status", "approve 6f0d3c1e-…"],
    load: () => import("./approve.js"),
  },
  doctor: {
    summary: "check configuration, proxy, both APIs and keys, clock, ledger and lock",
    more: "Changes nothing.",
    options: CONNECTED,
    examples: ["doctor"],
    load: () => import("./doctor.js"),
  },
  export: {
    summary: "write applications, licenses or license plans as JSONL or CSV",
    argument: new Argument("<list>", "what to export").choices(["applications", "licenses", "license-plans"]),
    options: ["format", "where", "order", "fields", "limit", ...CONNECTED],
    examples: [
      "export licenses --format csv > licenses.csv",
      `export licenses --where '{"state":{"activity":{"eq":"UNUSED"}}}' --fields holder.name,plan.name`,
    ],
    load: () => import("./export.js"),
  },
  report: {
    summary: "report unused licenses, possible savings and renewals",
    options: ["page", "days", ...CONNECTED],
    examples: ["report", "report --format html > report.html   # a page to forward or print"],
    load: () => import("./report/command.js"),
  },
  serve: {
    summary: "start the reference server, to test integrations against",
    more: "Both APIs of the service, in memory. Ctrl+C stops it and discards all data.",
    options: ["demo", "host", "port", "syncPort", "tlsCert", "tlsKey", "json"],
    examples: ["serve --demo > .env"],
    load: () => import("./serve/command.js"),
  },
  init: {
    summary: "make a connector project in a new folder",
    more: "Connector, test, configuration, Dockerfile, crontab and CronJob.",
    argument: new Argument("<folder>", "a folder that is empty or does not exist"),
    options: [],
    examples: ["init acme-connector", "cd acme-connector && npm install && npm test"],
    load: () => import("./init.js"),
  },
};

export function optionsOf({ options }: Command): readonly Option[] {
  return options.map((name) => OPTIONS[name]);
}

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
