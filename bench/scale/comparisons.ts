import type { Candidate, Comparison } from "../harness/comparison.js";
import type { ComparisonsOf, Context } from "../harness/context.js";
import { toFigures } from "../harness/figures.js";
import { runScript } from "../harness/processes.js";
import { comparePages } from "./pages.js";
import type { FreshWrite } from "./processes/fresh-writer.js";

const MILLION = 1_000_000;
const SIZES = [10_000, 100_000, MILLION, 5 * MILLION, 10 * MILLION] as const;
const show = (records: number) => `${records.toLocaleString("en")} records`;

/** Does the same work in several sizes: memory must not grow, and time must grow linearly. */
export const scaleComparisons: ComparisonsOf = (context) => [compareRecords(context), comparePages(context)];

function compareRecords({ servers, size, quick }: Context): Comparison {
  const scaled = (records: number) => Math.ceil(records * size);
  const [small, large] = [scaled(MILLION), scaled(5 * MILLION)];
  const candidate = (records: number, decimals = false): Candidate => ({
    name: decimals ? `${show(records)}, decimal numbers in their texts` : show(records),
    run: async () => {
      const endpoint = `http://127.0.0.1:${await servers.start("sync/processes/sink.js", {})}`;
      const task: FreshWrite = { endpoint, records, decimals };
      return toFigures(await runScript("scale/processes/fresh-writer.js", task));
    },
  });
  const full = quick ? [] : [candidate(small, true), candidate(large, true)];
  const sizes = SIZES.map(scaled).filter((records) => !quick || records <= MILLION / 2);
  return {
    id: "scale/records",
    title: "fresh accounts from an async generator, loopback",
    runs: "quick",
    subject: show(large),
    candidates: [...sizes.map((records) => candidate(records)), ...full],
    columns: [
      { figure: "seconds", head: "s", digits: 2, ratio: false },
      { figure: "recordsPerSecond", head: "records/s", digits: 0, ratio: false },
      { figure: "cpuMicrosPerRecord", head: "CPU µs a record", digits: 2, ratio: false },
      { figure: "peakRssMiB", head: "peak RSS MiB", digits: 0, ratio: true },
      { figure: "loopDelayP99Ms", head: "loop delay p99 ms", digits: 0, ratio: false },
    ],
    targets: [
      { figure: "peakRssMiB", of: show(large), against: show(small), atMost: 1.1 },
      { figure: "peakRssMiB", of: show(large), atMost: 130 },
    ],
  };
}
