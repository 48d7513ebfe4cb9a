import type { Comparison, Target } from "../harness/comparison.js";
import type { ComparisonsOf } from "../harness/context.js";
import { toFigures } from "../harness/figures.js";
import { runScript } from "../harness/processes.js";
import type { GuardKind, GuardMode, GuardTask } from "./processes/guarded-writer.js";
import type { SourceForm } from "./sources.js";

interface Scenario {
  readonly id: string;
  readonly kind: GuardKind;
  readonly form: SourceForm;
  readonly records: number;
  readonly target: Target;
}

const GUARDED = "guard and file ledger";
const OFF = "guard off, no ledger";

/** Compares CPU time: the thread also encodes, so throughput would say little about the guard's cost. */
const CHEAP: Target = { figure: "cpuMicrosPerRecord", against: OFF, added: true, atMost: 0.25 };
const SCENARIOS: readonly Scenario[] = [
  { id: "sync/guard-array", kind: "accounts", form: "array", records: 500_000, target: CHEAP },
  {
    id: "sync/guard-async",
    kind: "accounts",
    form: "async",
    records: 500_000,
    target: { figure: "recordsPerSecond", against: OFF, atLeast: 0.75 },
  },
  { id: "sync/guard-employees", kind: "employees", form: "array", records: 125_000, target: CHEAP },
];

const MODES = {
  [GUARDED]: "guarded",
  [OFF]: "off",
} as const satisfies Readonly<Record<string, GuardMode>>;

/** What guard and ledger cost a write in a run; the run stores its records and sends them later. */
export const guardComparisons: ComparisonsOf = ({ servers, size }) =>
  SCENARIOS.map(({ id, kind, form, records: most, target }): Comparison => {
    const records = Math.ceil(most * size);
    return {
      id,
      title: `${records} ${kind}, no two alike, in a run, source: ${form}, loopback`,
      runs: "full",
      subject: GUARDED,
      candidates: Object.entries(MODES).map(([name, mode]) => ({
        name,
        run: async () => {
          const endpoint = `http://127.0.0.1:${await servers.start("sync/processes/sink.js", {})}`;
          const task: GuardTask = { endpoint, kind, records, mode, form };
          return toFigures(await runScript("sync/processes/guarded-writer.js", task, ["--expose-gc"]));
        },
      })),
      columns: [
        { figure: "recordsPerSecond", head: "records/s of the write", digits: 0, ratio: true },
        { figure: "cpuMicrosPerRecord", head: "CPU µs a record", digits: 2, ratio: true },
        { figure: "restMs", head: "rest of the run ms", digits: 0, ratio: false },
        { figure: "peakRssMiB", head: "peak RSS MiB", digits: 0, ratio: false },
      ],
      targets: [target],
      notes: [
        "With guard and ledger off a run does not look at ids. Measured is a second run, which is compared with the first. The rest judges, sends and completes.",
      ],
    };
  });
