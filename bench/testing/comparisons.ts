import type { Candidate, Comparison } from "../harness/comparison.js";
import type { ComparisonsOf } from "../harness/context.js";
import { toFigures } from "../harness/figures.js";
import { runScript } from "../harness/processes.js";
import type { ServerTask } from "./processes/reference-server.js";

const LICENSES = 100_000;
const MOST_PAGE_MS = 150;
const MOST_START_MS = 30;

const TASKS: Readonly<Record<string, ServerTask["measure"]>> = {
  "start and stop, first server of the process": "start",
  "start and stop, a page and a batch between": "start again",
  "first page after a license": "plain page",
  "first page after a license, filtered and sorted": "filtered page",
  "first page after an account, filtered and sorted": "filtered page, account",
};

/** Measures how long the reference server takes in a user's tests. */
export const testingComparisons: ComparisonsOf = ({ size }) => {
  const licenses = Math.ceil(LICENSES * size);
  const comparison: Comparison = {
    id: "testing/reference-server",
    title: `reference server, first page after one record was sent again among ${licenses.toLocaleString("en")} licenses`,
    runs: "full",
    subject: "first page after a license, filtered and sorted",
    candidates: Object.entries(TASKS).map(([name, measure]): Candidate => {
      const task: ServerTask = { measure, licenses };
      return {
        name,
        run: async () => toFigures(await runScript("testing/processes/reference-server.js", task)),
      };
    }),
    columns: [
      { figure: "ms", head: "ms", digits: 1, ratio: false },
      { figure: "cpuMs", head: "CPU ms", digits: 1, ratio: false },
    ],
    targets: Object.entries(TASKS).map(([of, measure]) => ({
      figure: "ms",
      of,
      atMost: measure.startsWith("start") ? MOST_START_MS : MOST_PAGE_MS,
    })),
  };
  return [comparison];
};
