import { Argument } from "commander";
import type { Io } from "./io.js";
import type { OPTIONS, Options } from "./options.js";

interface Command {
  readonly summary: string;
  /** Further sentences of the command's help. */
  readonly more?: string;
  readonly argument?: Argument;
  readonly options: readonly (keyof typeof OPTIONS)[];
  readonly examples: readonly string[];
  readonly load: () => Promise<{ run(args: readonly string[], options: Options, io: Io): Promise<void> }>;
}

const CONNECTED = ["installation", "apiKeyFile", "config", "verbose", "json"] as const;
const RUN = ["preview", "firstRun", "firstRunCounts", "waitForLock", ...CONNECTED] as const;

/** All commands, in the order of the help. Only the module of the command being called is loaded. */
export const COMMANDS: Readonly<Record<string, Command>> = {
  push: {
    summary: "send CSV or JSONL files in one run",
    more: "Several files of a collection are one snapshot. Headings are field names; for other headings, configure a map. Events that an earlier run sent are skipped.",
    argument: new Argument("[files...]", "accounts.csv, accounts=users.csv; default: the configured files"),
    options: ["delimiter", "encoding", ...RUN],
    examples: ["push accounts=users.csv --preview", "push accounts.csv plans.csv --first-run", "push"],
    load: () => import("./push/command.js"),
  },
  run: {
    summary: "run the connector of a module",
    more: "The module exports the connector as `connector` or by default, and may export `options` of the run, such as guard.",
    argument: new Argument("<module>", "path of the module"),
    options: RUN,
    examples: ["run connector.js --preview", "run connector.js"],
    load: () => import("./run.js"),
  },
  status: {
    summary: "show the last runs, which one is held and why, and what to do next",
    more: "Without an installation, lists every installation in the ledger with its last completed run, how late the next run is, and what is held.",
    options: ["ids", "page", ...CONNECTED],
    examples: ["status", "status --ids > ids.txt", "status --format html > held.html   # a page to forward"],
    load: () => import("./status.js"),
  },
  approve: {
    summary: "approve the held run, so that the next one goes through",
    more: "Sends nothing. The next push or run goes through if it differs from the held one by no more than the guard allows. The approval ends seven days after the run was held, or with the next completed run: if you approved by mistake, push the correct source at once.",
    argument: new Argument("<id>", "id of the approval that the held run offers, or its first characters"),
    options: CONNECTED,
    examples: ["status", "approve 6f0d3c1e"],
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
    options: ["format", "where", "order", "fields", "limit", "pageSize", ...CONNECTED],
    examples: [
      "export licenses --format csv > licenses.csv",
      `export licenses --where '{"state":{"activity":{"eq":"UNUSED"}}}' --fields holder.name,plan.name`,
    ],
    load: () => import("./export.js"),
  },
  report: {
    summary: "report unused licenses, possible savings and renewals",
    options: ["page", "days", "pageSize", ...CONNECTED],
    examples: ["report", "report --format html > report.html   # a page to forward or print"],
    load: () => import("./report/command.js"),
  },
  serve: {
    summary: "start a reference server to test against",
    more: "Both APIs of the service, in memory. Ctrl+C stops it and discards all data.",
    options: ["demo", "writeEnv", "host", "port", "syncPort", "tlsCert", "tlsKey", "json"],
    examples: ["serve --demo --write-env .env"],
    load: () => import("./serve/command.js"),
  },
  init: {
    summary: "create a connector project in a new folder",
    more: "Connector, test, configuration, Dockerfile, crontab and CronJob.",
    argument: new Argument("<folder>", "an empty or new folder"),
    options: [],
    examples: ["init acme-connector", "cd acme-connector && npm install && npm test"],
    load: () => import("./init.js"),
  },
};
