import type { Comparison } from "../harness/comparison.js";
import type { ComparisonsOf } from "../harness/context.js";
import { toFigures } from "../harness/figures.js";
import { runScript } from "../harness/processes.js";
import type { SmallRunsMode, SmallRunsTask } from "./processes/small-runs.js";

const RUNS = 400;
const AT_ONCE = 16;
const RECORDS = 1000;

const GUARDED = "guard and file ledger";
const OFF = "guard off, no ledger";
const BY_HAND = "grpc-js by hand";
const WITH_FILES = "grpc-js and four files by hand";

const MODES = {
  [GUARDED]: "guarded",
  [OFF]: "off",
  [BY_HAND]: "by-hand",
  [WITH_FILES]: "by-hand-with-files",
} as const satisfies Readonly<Record<string, SmallRunsMode>>;

/** The cost of small runs: those of a fleet, one per installation. */
export const smallRunComparisons: ComparisonsOf = ({ servers, size }) => {
  const runs = Math.ceil(RUNS * size);
  const comparison: Comparison = {
    id: "sync/small-runs",
    title: `${runs} runs of ${RECORDS} accounts in one process, ${AT_ONCE} at a time, loopback`,
    runs: "full",
    subject: GUARDED,
    candidates: Object.entries(MODES).map(([name, mode]) => ({
      name,
      run: async () => {
        const endpoint = `http://127.0.0.1:${await servers.start("sync/processes/sink.js", {})}`;
        const task: SmallRunsTask = { endpoint, mode, runs, atOnce: AT_ONCE, records: RECORDS };
        return toFigures(await runScript("sync/processes/small-runs.js", task, ["--expose-gc"]));
      },
    })),
    columns: [
      { figure: "seconds", head: "seconds", digits: 2, ratio: true },
      { figure: "cpuMsPerRun", head: "CPU ms a run", digits: 2, ratio: true },
      { figure: "peakRssMiB", head: "peak RSS MiB", digits: 0, ratio: false },
    ],
    targets: [
      { figure: "seconds", against: BY_HAND, atMost: 1.3 },
      { figure: "seconds", against: WITH_FILES, atMost: 1.3 },
      { figure: "seconds", of: OFF, against: BY_HAND, atMost: 1.3 },
    ],
    notes: [
      "The second round of each installation, which the guard compares with the first. By hand there are the same three calls and unchecked records. A guarded run stores four values: a start and the batch, and, synced with their folder, the ids and the state after the run.",
    ],
  };
  return [comparison];
};
