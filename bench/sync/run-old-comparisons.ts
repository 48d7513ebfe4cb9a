import { pathToFileURL } from "node:url";
import type { Comparison, Target } from "../harness/comparison.js";
import type { ComparisonsOf } from "../harness/context.js";
import { toFigures } from "../harness/figures.js";
import { runScript } from "../harness/processes.js";
import type { LinkTask } from "./processes/link.js";
import type { RunTask } from "./processes/run-writer.js";
import { LINK } from "./run.js";

const NOW = "this build";
const OLD = "the other build";
const MILLION = 1_000_000;
const SMALL = { form: "array", records: 100, runs: 200 } as const;

interface Scenario extends Pick<RunTask, "form" | "guarded" | "records"> {
  readonly id: string;
  /** Number of measured runs, one after another. @default 1 */
  readonly runs?: number;
  readonly overLink?: boolean;
  /** The longest that the run may take, as a multiple of the other build's time. */
  readonly atMost: number;
}

const SCENARIOS: readonly Scenario[] = [
  { id: "array-guarded", form: "array", guarded: true, records: 2 * MILLION, atMost: 0.9 },
  { id: "array", form: "array", guarded: false, records: 2 * MILLION, atMost: 1.1 },
  { id: "pages-guarded", form: "async arrays", guarded: true, records: 2 * MILLION, atMost: 1.1 },
  { id: "pages", form: "async arrays", guarded: false, records: 2 * MILLION, atMost: 1.1 },
  { id: "fresh-guarded", form: "fresh pages", guarded: true, records: 2 * MILLION, atMost: 1.1 },
  { id: "async-guarded", form: "async", guarded: true, records: 0.3 * MILLION, atMost: 1.1 },
  { id: "small-guarded", ...SMALL, guarded: true, atMost: 1.1 },
  { id: "small", ...SMALL, guarded: false, atMost: 1.1 },
  { id: "slow-guarded", form: "slow", records: 100, guarded: true, atMost: 1.1 },
  {
    id: "link-guarded",
    form: "array",
    guarded: true,
    records: 0.3 * MILLION,
    overLink: true,
    atMost: 1,
  },
];

/** Compares whole runs with those of another build of this SDK; `--against` names its `dist` folder. */
export const runOldComparisons: ComparisonsOf = ({ servers, size, against }) => {
  if (against === undefined) return [];
  const builds = { [NOW]: undefined, [OLD]: pathToFileURL(`${against}/index.js`).href };
  return SCENARIOS.map(({ id, overLink = false, atMost, runs = 1, ...scenario }): Comparison => {
    // Fewer records would fill too few windows of a link, and fewer small runs would measure only noise.
    const isScaled = !overLink && runs === 1;
    const records = isScaled ? Math.ceil(scenario.records * size) : scenario.records;
    const memory: readonly Target[] =
      runs === 1 ? [{ figure: "peakRssMiB", against: OLD, added: true, atMost: 20 }] : [];
    const over = overLink
      ? `over ${LINK.mbitPerSecond} Mbit/s with ${LINK.roundTripMs} ms round trip`
      : "loopback";
    return {
      id: `run-old/${id}`,
      title: `${runs} ${runs === 1 ? "run" : "runs"} of ${records} accounts, ${scenario.guarded ? "guard and file ledger" : "guard off, no ledger"}, source: ${scenario.form}, ${over}`,
      runs: "full",
      subject: NOW,
      candidates: Object.entries(builds).map(([name, sdk]) => ({
        name,
        run: async () => {
          const sink = Number(await servers.start("sync/processes/sink.js", {}));
          const link: LinkTask = { port: sink, ...LINK };
          const port = overLink ? await servers.start("sync/processes/link.js", link) : sink;
          const task: RunTask = { ...scenario, endpoint: `http://127.0.0.1:${port}`, records, runs, sdk };
          return toFigures(await runScript("sync/processes/run-writer.js", task, ["--expose-gc"]));
        },
      })),
      columns: [
        { figure: "msPerRun", head: "ms a run", digits: 1, ratio: true },
        { figure: "cpuMsPerRun", head: "CPU ms a run", digits: 1, ratio: true },
        { figure: "lockedMsPerRun", head: "ms with the lock", digits: 1, ratio: false },
        { figure: "mbitPerSecond", head: "Mbit/s", digits: 1, ratio: false },
        { figure: "peakRssMiB", head: "peak RSS MiB of the run", digits: 0, ratio: false },
      ],
      targets: [{ figure: "msPerRun", against: OLD, atMost }, ...memory],
    };
  });
};
