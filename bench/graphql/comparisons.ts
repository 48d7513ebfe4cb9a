import { pathToFileURL } from "node:url";
import type { Candidate, Column, Comparison } from "../harness/comparison.js";
import type { ComparisonsOf, Context } from "../harness/context.js";
import { toFigures } from "../harness/figures.js";
import { runScript } from "../harness/processes.js";
import { CLIENTS, type ClientName } from "./clients.js";
import type { Walk } from "./processes/walk.js";
import { NODES } from "./query.js";

const US: ClientName = "this SDK";
const PEER: ClientName = "graphql-request";
const FETCH: ClientName = "fetch in a loop";
const UNPREFETCHED: ClientName = "this SDK, prefetch: false";
const BUSY = { busyMs: 15, latencyMs: 20, pages: 100, pageSize: 100 } as const;
const OLD = "the other build";
const PAGE_SIZES = [100, 1000] as const;
/** Ratios near 1 need longer walks in more rounds, because single walks differ by a third. */
const NEAR = { pages: { 100: 1500, 1000: 400 }, atMost: { 100: 1, 1000: 0.95 }, roundsFactor: 4 } as const;
/** The longest walk would take minutes. */
const MOST_MS = { quick: 3000, full: 20_000 } as const;

const COLUMNS: readonly Column[] = [
  { figure: "msPerPage", head: "ms a page", digits: 2, ratio: true },
  { figure: "cpuMsPerPage", head: "CPU ms a page", digits: 2, ratio: true },
  { figure: "peakRssMiB", head: "peak RSS MiB", digits: 0, ratio: false },
  { figure: "firstPageMs", head: "load and first page ms", digits: 0, ratio: false },
];

/** Pages through 100,000 prepared nodes on a separate server. */
export const graphqlComparisons: ComparisonsOf = (context) => [
  ...PAGE_SIZES.map((pageSize) => comparePaging(context, pageSize)),
  ...PAGE_SIZES.map((pageSize) => compareWithPeer(context, pageSize)),
  compareBusyConsumers(context),
];

function comparePaging(context: Context, pageSize: number): Comparison {
  const pages = Math.ceil((NODES / pageSize) * Math.min(1, context.size));
  const names = Object.keys(CLIENTS).filter((name): name is ClientName => name in CLIENTS);
  return {
    id: `graphql/pages-of-${pageSize}`,
    title: `${pages} pages of ${pageSize}`,
    runs: pageSize === PAGE_SIZES[0] ? "quick" : "full",
    subject: US,
    candidates: names.map((name) => candidate(context, name, { pageSize, pages, busyMs: 0 })),
    columns: COLUMNS,
    targets: [],
    notes: [`A walk is cut after ${mostMs(context) / 1000} seconds.`],
  };
}

/** Runs enough rounds to measure a ratio near 1. */
function compareWithPeer(context: Context, pageSize: (typeof PAGE_SIZES)[number]): Comparison {
  const pages = Math.ceil(NEAR.pages[pageSize] * Math.min(1, context.size));
  const names: readonly ClientName[] = [US, PEER, FETCH];
  const walk = { pageSize, pages, busyMs: 0 };
  const { against } = context;
  const sdk = against && pathToFileURL(`${against}/graphql/index.js`).href;
  const old = sdk ? [{ ...candidate(context, US, { ...walk, sdk }), name: OLD }] : [];
  return {
    id: `graphql/peer-${pageSize}`,
    title: `${pages} pages of ${pageSize}, with the peer alone`,
    runs: "full",
    subject: US,
    candidates: [...names.map((name) => candidate(context, name, walk)), ...old],
    columns: COLUMNS,
    targets: [
      { figure: "msPerPage", against: PEER, atMost: NEAR.atMost[pageSize] },
      { figure: "cpuMsPerPage", against: PEER, atMost: NEAR.atMost[pageSize] },
      ...old.map(({ name }) => ({ figure: "cpuMsPerPage", against: name, atMost: 1.03 })),
    ],
    roundsFactor: NEAR.roundsFactor,
  };
}

function compareBusyConsumers(context: Context): Comparison {
  const { busyMs, latencyMs, pageSize } = BUSY;
  const pages = Math.ceil(BUSY.pages * Math.min(1, context.size));
  const names: readonly ClientName[] = [US, UNPREFETCHED, FETCH];
  return {
    id: "graphql/busy-consumer",
    title: `${pages} pages of ${pageSize}, ${busyMs} ms of CPU a page in the consumer, ${latencyMs} ms latency`,
    runs: "quick",
    subject: US,
    candidates: names.map((name) =>
      candidate(context, name, { pageSize, pages, busyMs }, `/latency/${latencyMs}`),
    ),
    columns: COLUMNS,
    targets: [{ figure: "msPerPage", against: UNPREFETCHED, atMost: 0.65 }],
  };
}

function candidate(
  context: Context,
  client: ClientName,
  walk: Pick<Walk, "pageSize" | "pages" | "busyMs" | "sdk">,
  path = "",
): Candidate {
  return {
    name: client,
    run: async () => {
      const port = Number(await context.servers.start("graphql/processes/server.js", {}));
      const task: Walk = {
        ...walk,
        client,
        baseUrl: `http://127.0.0.1:${port}${path}`,
        mostMs: mostMs(context),
      };
      return toFigures(await runScript("graphql/processes/walk.js", task));
    },
  };
}

function mostMs({ quick }: Context): number {
  return quick ? MOST_MS.quick : MOST_MS.full;
}
