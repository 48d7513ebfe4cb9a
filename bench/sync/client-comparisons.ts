import type { Candidate, Column, Comparison } from "../harness/comparison.js";
import type { ComparisonsOf, Context } from "../harness/context.js";
import { CLIENTS, type ClientName } from "./clients.js";
import { type Cell, MATRIX } from "./matrix.js";
import { hasPython, NO_PYTHON } from "./python.js";
import type { Kind } from "./records.js";
import { type PeerName, PYTHON_CLIENT, run, type Way } from "./run.js";

const US: ClientName = "this SDK";

const COLUMNS: readonly Column[] = [
  { figure: "recordsPerSecond", head: "records/s", digits: 0, ratio: true },
  { figure: "cpuMicrosPerRecord", head: "CPU µs a record", digits: 2, ratio: true },
  { figure: "peakRssMiB", head: "peak RSS MiB", digits: 0, ratio: false },
  { figure: "loopDelayP99Ms", head: "loop delay p99 ms", digits: 0, ratio: false },
];

const RECORDS: Readonly<Record<Kind, number>> = {
  accounts: 1_000_000,
  licenses: 1_000_000,
  usage: 1_000_000,
  employees: 250_000,
};
/** Python takes about ten times as long per record, unless the network is the bottleneck. */
const PYTHON_SHARE = 0.2;

/** Writes records with this SDK and the other clients. */
export const clientComparisons: ComparisonsOf = (context) =>
  MATRIX.map((cell) => compareClients(context, cell));

function compareClients(context: Context, { id, runs, targets, ...work }: Cell): Comparison {
  const { kind, text, form, over } = work;
  const records = Math.ceil(RECORDS[kind] * context.size);
  const names = Object.keys(CLIENTS).filter((name): name is ClientName => name in CLIENTS);
  const candidate = (name: PeerName, of: number): Candidate => ({
    name,
    run: () => run(context.servers, name, { ...work, records: of }),
  });
  return {
    id,
    title: `${records} ${kind} with ${text} texts from ${FORM[form]}, ${OVER[over]}`,
    runs,
    subject: US,
    candidates: [
      ...names.map((name) => candidate(name, records)),
      ...(hasPython ? [candidate(PYTHON_CLIENT, Math.ceil(records * PYTHON_SHARE))] : []),
    ],
    columns: COLUMNS,
    targets,
    notes: hasPython ? [`The Python client writes ${PYTHON_SHARE} times as many records.`] : [NO_PYTHON],
  };
}

const FORM = {
  array: "an array",
  async: "an async iterable",
  "async arrays": "an async iterable of arrays",
} as const;

const OVER: Readonly<Record<Way, string>> = {
  loopback: "loopback",
  TLS: "loopback, TLS",
  link: "the link",
  "TLS link": "the link, TLS",
};
