import type { Comparison } from "../harness/comparison.js";
import type { ComparisonsOf } from "../harness/context.js";
import { toFigures } from "../harness/figures.js";
import { runScript } from "../harness/processes.js";
import type { EventMode, EventTask } from "./processes/event-writer.js";

const RECORDS = 2_000_000;
const RUN = "a run";
const BARE = "a bare batch";

const MODES = {
  [RUN]: "run",
  [BARE]: "bare",
} as const satisfies Readonly<Record<string, EventMode>>;

/** Measures the cost of keeping a run's events until all of them are sent. */
export const eventComparisons: ComparisonsOf = ({ servers, size }) => {
  const records = Math.ceil(RECORDS * size);
  const comparison: Comparison = {
    id: "sync/run-events",
    title: `${records} fresh usage events in a run, source: async arrays, loopback`,
    runs: "full",
    subject: RUN,
    candidates: Object.entries(MODES).map(([name, mode]) => ({
      name,
      run: async () => {
        const endpoint = `http://127.0.0.1:${await servers.start("sync/processes/sink.js", {})}`;
        const task: EventTask = { endpoint, records, mode };
        return toFigures(await runScript("sync/processes/event-writer.js", task));
      },
    })),
    columns: [
      { figure: "recordsPerSecond", head: "records/s", digits: 0, ratio: true },
      { figure: "cpuMicrosPerRecord", head: "CPU µs a record", digits: 2, ratio: true },
      { figure: "peakRssMiB", head: "peak RSS MiB", digits: 0, ratio: false },
      { figure: "loopDelayP99Ms", head: "loop delay p99 ms", digits: 0, ratio: false },
    ],
    targets: [],
  };
  return [comparison];
};
