import type { ClientName } from "../graphql/clients.js";
import type { Walk } from "../graphql/processes/walk.js";
import type { Comparison } from "../harness/comparison.js";
import type { Context } from "../harness/context.js";
import { toFigures } from "../harness/figures.js";
import { runScript } from "../harness/processes.js";

const CLIENT: ClientName = "this SDK";
/** Nodes of a page: the longest walk reads all of the server's nodes. */
const PAGE_SIZE = 10;
const PAGES = [10, 100, 1000, 10_000] as const;
/** A limit far above what the longest walk takes. */
const MOST_MS = 600_000;
const show = (pages: number) => `${pages.toLocaleString("en")} pages`;

/** Reads more and more pages. */
export function comparePages({ servers, size }: Context): Comparison {
  const counts = PAGES.map((pages) => Math.ceil(pages * Math.min(1, size)));
  return {
    id: "scale/pages",
    title: `pages of ${PAGE_SIZE} nodes`,
    runs: "full",
    subject: show(counts[0] ?? 0),
    candidates: counts.map((pages) => ({
      name: show(pages),
      run: async () => {
        const baseUrl = `http://127.0.0.1:${await servers.start("graphql/processes/server.js", {})}`;
        const task: Walk = {
          client: CLIENT,
          baseUrl,
          pageSize: PAGE_SIZE,
          pages,
          busyMs: 0,
          mostMs: MOST_MS,
        };
        return toFigures(await runScript("graphql/processes/walk.js", task));
      },
    })),
    columns: [
      { figure: "msPerPage", head: "ms a page", digits: 2, ratio: false },
      { figure: "cpuMsPerPage", head: "CPU ms a page", digits: 2, ratio: false },
      { figure: "peakRssMiB", head: "peak RSS MiB", digits: 0, ratio: false },
    ],
    targets: [],
  };
}
