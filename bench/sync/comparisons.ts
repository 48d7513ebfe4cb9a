import type { Candidate, Column, Comparison, Target } from "../harness/comparison.js";
import type { ComparisonsOf, Context } from "../harness/context.js";
import { CLIENTS, type ClientName } from "./clients.js";
import { eventComparisons } from "./event-comparisons.js";
import { guardComparisons } from "./guard-comparisons.js";
import { linkComparisons } from "./link-comparisons.js";
import { hasPython, NO_PYTHON } from "./python.js";
import { type PeerName, PYTHON_CLIENT, run, type Work } from "./run.js";
import { sizeComparisons } from "./size-comparisons.js";

const US: ClientName = "this SDK";
const CHECKED: ClientName = "ts-proto + zod";

const COLUMNS: readonly Column[] = [
  { figure: "recordsPerSecond", head: "records/s", digits: 0, ratio: true },
  { figure: "cpuMicrosPerRecord", head: "CPU µs a record", digits: 2, ratio: true },
  { figure: "peakRssMiB", head: "peak RSS MiB", digits: 0, ratio: false },
  { figure: "loopDelayP99Ms", head: "loop delay p99 ms", digits: 0, ratio: false },
];

const RECORDS = 1_000_000;
/** Python takes about ten times as long for a record. */
const PYTHON_SHARE = 0.2;

/** Every way of writing records that is compared. */
const WORK: readonly (Omit<Work, "records"> & {
  readonly share: number;
  readonly quick?: boolean;
  readonly targets?: readonly Target[];
})[] = [
  {
    kind: "accounts",
    text: "ascii",
    form: "array",
    over: "loopback",
    share: 1,
    quick: true,
    targets: [
      { figure: "recordsPerSecond", against: CHECKED, atLeast: 3 },
      { figure: "recordsPerSecond", against: PYTHON_CLIENT, atLeast: 15 },
      { figure: "cpuMicrosPerRecord", against: CHECKED, atMost: 0.33 },
      { figure: "loopDelayP99Ms", atMost: 25 },
    ],
  },
  {
    kind: "employees",
    text: "ascii",
    form: "array",
    over: "loopback",
    share: 0.25,
    quick: true,
    targets: [{ figure: "recordsPerSecond", against: CHECKED, atLeast: 2 }],
  },
  {
    kind: "accounts",
    text: "ascii",
    form: "async",
    over: "loopback",
    share: 1,
    quick: true,
    targets: [{ figure: "recordsPerSecond", against: CHECKED, atLeast: 2.3 }],
  },
  { kind: "accounts", text: "ascii", form: "async arrays", over: "loopback", share: 1 },
  { kind: "accounts", text: "mixed", form: "array", over: "loopback", share: 1 },
  { kind: "employees", text: "mixed", form: "array", over: "loopback", share: 0.25 },
  { kind: "licenses", text: "ascii", form: "array", over: "loopback", share: 1 },
  { kind: "usage", text: "ascii", form: "array", over: "loopback", share: 1 },
  { kind: "usage", text: "mixed", form: "async", over: "loopback", share: 1 },
  { kind: "accounts", text: "ascii", form: "array", over: "TLS", share: 1 },
];

/** Writes records beside the other clients. */
export const syncComparisons: ComparisonsOf = (context) => [
  ...WORK.map((work) => compareClients(context, work)),
  ...guardComparisons(context),
  ...eventComparisons(context),
  ...linkComparisons(context),
  ...sizeComparisons(context),
];

function compareClients(
  context: Context,
  { share, quick = false, targets = [], ...work }: (typeof WORK)[number],
): Comparison {
  const { kind, text, form, over } = work;
  const records = Math.ceil(RECORDS * share * context.size);
  const names = Object.keys(CLIENTS).filter((name): name is ClientName => name in CLIENTS);
  const candidate = (name: PeerName, of: number): Candidate => ({
    name,
    run: () => run(context.servers, name, { ...work, records: of }),
  });
  return {
    id: `sync/${[kind, text, form.replace(" ", "-"), over.toLowerCase()].join("-")}`,
    title: `${records} ${kind} with ${text} texts from ${FORM[form]}, ${over}`,
    quick,
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
