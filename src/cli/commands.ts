import type { CommandEntries } from "./command-module.js";

/** All commands, in the order of the help. Only the module of the command that is called is loaded. */
export const COMMANDS: CommandEntries = {
  push: {
    summary: "send CSV or JSONL files in one run",
    load: () => import("./push/command.js"),
  },
  run: {
    summary: "run the connector of a module",
    load: () => import("./run/command.js"),
  },
  runs: {
    summary: "show the last completed runs",
    load: async () => (await import("./ledger/decide.js")).runs,
  },
  held: {
    summary: "show the run that is held, and why",
    load: () => import("./ledger/held.js"),
  },
  approve: {
    summary: "let the held run pass the next time",
    load: async () => (await import("./ledger/decide.js")).approve,
  },
  refuse: {
    summary: "withdraw the approval that a held run offers",
    load: async () => (await import("./ledger/decide.js")).refuse,
  },
  doctor: {
    summary: "check configuration, network, keys, clock, lock and disks",
    load: () => import("./doctor/command.js"),
  },
  export: {
    summary: "write applications, licenses or license plans as JSONL, CSV or a table",
    load: () => import("./export/command.js"),
  },
  report: {
    summary: "report unused licenses, possible savings and renewals, also as a page",
    load: () => import("./report/command.js"),
  },
  serve: {
    summary: "start the reference server, to test integrations against",
    load: () => import("./serve/command.js"),
  },
  init: {
    summary: "make a connector project in a new folder",
    load: () => import("./init/command.js"),
  },
  completion: {
    summary: "print completions for bash, zsh or fish",
    load: () => import("./completion/command.js"),
  },
};
