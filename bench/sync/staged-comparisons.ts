import type { Candidate, Comparison } from "../harness/comparison.js";
import type { ComparisonsOf, Context } from "../harness/context.js";
import { toFigures } from "../harness/figures.js";
import { runScript } from "../harness/processes.js";
import type { ExtractorsTask } from "./processes/extractors.js";
import type { LinkTask } from "./processes/link.js";
import type { StagedMode, StagedTask } from "./processes/staged-writer.js";
import { LINK } from "./run.js";

const MIB = 1024 * 1024;
const RECORDS = 1_000_000;
const PLAIN = "a plain run";
const STAGED = "a staged run";
const COMMIT = "a commit of what was extracted";
const MODES = { [STAGED]: "staged", [PLAIN]: "plain", [COMMIT]: "commit" } as const satisfies Record<
  string,
  StagedMode
>;

/** What a staging costs, and what it brings. */
export const stagedComparisons: ComparisonsOf = (context) => [
  overLoopback(context, "fresh"),
  overLoopback(context, "array"),
  extractors(context),
  overLink(context),
];

function overLoopback({ servers, size }: Context, source: StagedTask["source"]): Comparison {
  const records = Math.ceil(RECORDS * size);
  return {
    id: `sync/staged-${source}`,
    title: `${records} accounts with guard and file ledger, source: ${source === "array" ? "array" : "pages made while they are read"}, loopback`,
    runs: "full",
    subject: STAGED,
    candidates: Object.entries(MODES).map(([name, mode]) => ({
      name,
      run: async () => {
        const endpoint = `http://127.0.0.1:${await servers.start("sync/processes/sink.js", {})}`;
        // A process that only commits has no source in its memory.
        return write({ endpoint, records, mode, source: mode === "commit" ? "fresh" : source });
      },
    })),
    columns: [
      { figure: "seconds", head: "seconds", digits: 2, ratio: true },
      { figure: "cpuMicrosPerRecord", head: "CPU µs a record", digits: 2, ratio: true },
      { figure: "peakRssMiB", head: "peak RSS MiB", digits: 0, ratio: true },
    ],
    targets: [
      { figure: "seconds", against: PLAIN, atMost: 1.15 },
      { figure: "peakRssMiB", against: PLAIN, atMost: 1.1 },
      { figure: "seconds", of: COMMIT, against: PLAIN, atMost: 0.5 },
    ],
  };
}

function extractors({ size }: Context): Comparison {
  const EIGHT = "8 processes";
  const ONE = "1 process";
  const task = { partitions: 8, pages: Math.ceil(100 * size), pageMs: 20 };
  const by = (count: number): Candidate["run"] => {
    const all: ExtractorsTask = { ...task, extractors: count };
    return async () => toFigures(await runScript("sync/processes/extractors.js", all));
  };
  return {
    id: "sync/staged-extractors",
    title: `8 partitions of ${task.pages} pages of 500 accounts, ${task.pageMs} ms a page, into a staging`,
    runs: "full",
    subject: ONE,
    candidates: [
      { name: ONE, run: by(1) },
      { name: EIGHT, run: by(8) },
    ],
    columns: [{ figure: "seconds", head: "seconds", digits: 2, ratio: true }],
    targets: [{ figure: "seconds", against: EIGHT, atLeast: 6 }],
  };
}

function overLink({ servers, size }: Context): Comparison {
  const records = Math.ceil(2 * RECORDS * size);
  const BARE = "a bare socket";
  const linkTo = (port: number): Promise<unknown> =>
    servers.start("sync/processes/link.js", { port, ...LINK } satisfies LinkTask);
  const commit =
    (windowBytes?: number): Candidate["run"] =>
    async () => {
      const port = await linkTo(Number(await servers.start("sync/processes/sink.js", {})));
      return write({
        endpoint: `http://127.0.0.1:${port}`,
        records,
        mode: "commit",
        source: "fresh",
        windowBytes,
      });
    };
  return {
    id: "sync/staged-link",
    title: `${records} accounts over ${LINK.mbitPerSecond} Mbit/s with ${LINK.roundTripMs} ms round trip`,
    runs: "full",
    subject: COMMIT,
    candidates: [
      { name: COMMIT, run: commit() },
      { name: `${COMMIT}, windowBytes 6 MiB`, run: commit(6 * MIB) },
      {
        name: BARE,
        run: async () => {
          const port = await linkTo(
            Number(await servers.start("sync/processes/socket-sink.js", { bytes: 64 * MIB })),
          );
          return toFigures(await runScript("sync/processes/socket-writer.js", { port, bytes: 64 * MIB }));
        },
      },
    ],
    columns: [
      { figure: "sendingMbitPerSecond", head: "Mbit/s from the verdict on", digits: 1, ratio: true },
      { figure: "mbitPerSecond", head: "Mbit/s of the whole", digits: 1, ratio: false },
      { figure: "cpuMicrosPerRecord", head: "CPU µs a record", digits: 2, ratio: false },
      { figure: "peakRssMiB", head: "peak RSS MiB", digits: 0, ratio: false },
    ],
    targets: [{ figure: "sendingMbitPerSecond", against: BARE, atLeast: 0.95 }],
  };
}

async function write(task: StagedTask) {
  return toFigures(await runScript("sync/processes/staged-writer.js", task, ["--expose-gc"]));
}
