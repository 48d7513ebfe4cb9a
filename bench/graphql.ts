/**
 * Pages through 100,000 applications with this SDK and with what else people use, from one server in a process of its
 * own that has its pages ready. Each walk has a process of its own, too; rounds take turns.
 *
 *   npx tsx --tsconfig tsconfig.dev.json bench/graphql.ts [--quick] [pages] [imports] [busy]
 *
 * The SDK is measured as it is packed. Ratios compare walks of one round: other programs on the machine change what a
 * round takes, less so what its parts have to do with each other.
 */
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { parseArgs, promisify } from "node:util";
import Table from "cli-table3";
import { build } from "esbuild";
import { makeConsumerFolder } from "../test/consumers/packed-package.js";
import { CLIENTS, type ClientName } from "./support/graphql-clients.js";
import { type Spread, show, spread, type Walked } from "./support/graphql-measures.js";
import { NODES } from "./support/graphql-query.js";

const run = promisify(execFile);
const {
  values: { quick },
  positionals,
} = parseArgs({ options: { quick: { type: "boolean", default: false } }, allowPositionals: true });
/** What to compare; everything where nothing is named. */
const wanted = (part: "pages" | "imports" | "busy") => positionals.length === 0 || positionals.includes(part);
const ROUNDS = quick ? 2 : 5;
const PAGE_SIZES = [100, 1_000];
const MAX_PAGES = quick ? 100 : Number.POSITIVE_INFINITY;
/** A walk that takes longer is cut: what a page took until then is known. */
const MAX_SECONDS = 20;
const BUSY = { workMs: 15, latencyMs: 20, pages: quick ? 20 : 100 };
const US: ClientName = "this SDK";

const names = Object.keys(CLIENTS).filter((name): name is ClientName => name in CLIENTS);
const folder = await makeConsumerFolder();
const scripts = await folder.add("runtime");
await build({
  entryPoints: ["graphql-server", "graphql-walk", "graphql-import"].map((name) => `bench/support/${name}.ts`),
  bundle: true,
  packages: "external",
  platform: "node",
  format: "esm",
  target: "node20",
  outdir: scripts,
});
const server = spawn(process.execPath, [join(scripts, "graphql-server.js")], {
  stdio: ["ignore", "pipe", "inherit"],
});
try {
  const origin = `http://127.0.0.1:${await portOf(server)}`;
  for (const size of wanted("pages") ? PAGE_SIZES : []) await comparePaging(origin, size);
  if (wanted("imports")) await compareImports();
  if (wanted("busy")) await compareBusyConsumers(origin);
} finally {
  server.kill();
  await folder.remove();
}

async function comparePaging(origin: string, size: number): Promise<void> {
  const rounds: Map<ClientName, Walked>[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    rounds.push(await takeTurns(round, names, (name) => walk(name, origin, size, 0, MAX_PAGES)));
  }
  const table = new Table({
    head: [
      "client",
      "ms a page",
      "times this SDK",
      "CPU ms a page",
      "times this SDK",
      "peak RSS MiB",
      "first page ms",
    ],
    style: { head: [], border: [] },
  });
  for (const name of names) {
    const of = (value: (walked: Walked) => number) =>
      spread(rounds.flatMap((round) => measuresOf(round, name, value)));
    const ratio = (value: (walked: Walked) => number) => ratios(rounds, name, value);
    const cut = of(({ nodes }) => nodes).least < Math.min(NODES, MAX_PAGES * size);
    table.push([
      cut ? `${name} *` : name,
      show(of(msOf), 2),
      show(ratio(msOf), 2),
      show(of(cpuOf), 2),
      show(ratio(cpuOf), 2),
      show(
        of(({ peakRssMiB }) => peakRssMiB),
        0,
      ),
      show(
        of(({ firstPageMs }) => firstPageMs),
        0,
      ),
    ]);
  }
  const nodes = Math.min(NODES, MAX_PAGES * size);
  console.log(`\n${nodes} nodes in pages of ${size}, ${ROUNDS} rounds, median (least-most)\n${table}`);
  console.log(`* cut after ${MAX_SECONDS} s`);
}

async function compareImports(): Promise<void> {
  const packages = [
    "@saas-management/sdk/graphql",
    "graphql-request",
    "@octokit/core",
    "@urql/core",
    "@apollo/client",
  ];
  const rounds: Map<string, number>[] = [];
  for (let round = 0; round < ROUNDS * 2; round += 1) {
    rounds.push(
      await takeTurns(round, packages, async (name) => Number(await script("graphql-import", [name]))),
    );
  }
  const table = new Table({ head: ["cold import", "ms"], style: { head: [], border: [] } });
  for (const name of packages) {
    table.push([name, show(spread(rounds.map((round) => round.get(name) ?? Number.NaN)), 0)]);
  }
  console.log(`\n${ROUNDS * 2} rounds, median (least-most)\n${table}`);
}

async function compareBusyConsumers(origin: string): Promise<void> {
  const { workMs, latencyMs, pages } = BUSY;
  const compared: ClientName[] = ["this SDK", "this SDK, prefetch: false", "fetch in a loop"];
  const rounds: Map<ClientName, Walked>[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const target = `${origin}/latency/${latencyMs}`;
    rounds.push(await takeTurns(round, compared, (name) => walk(name, target, 100, workMs, pages)));
  }
  const table = new Table({
    head: ["client", "ms a page", "times this SDK"],
    style: { head: [], border: [] },
  });
  for (const name of compared) {
    const ms = spread(rounds.flatMap((round) => measuresOf(round, name, msOf)));
    table.push([name, show(ms, 1), show(ratios(rounds, name, msOf), 2)]);
  }
  console.log(
    `\n${workMs} ms of CPU a page in the consumer, ${latencyMs} ms latency, ${pages} pages of 100\n${table}`,
  );
}

function msOf({ msPerPage }: Walked): number {
  return msPerPage;
}

function cpuOf({ cpuMsPerPage }: Walked): number {
  return cpuMsPerPage;
}

function measuresOf(
  round: ReadonlyMap<ClientName, Walked>,
  name: ClientName,
  value: (walked: Walked) => number,
): number[] {
  const walked = round.get(name);
  return walked === undefined ? [] : [value(walked)];
}

function ratios(
  rounds: readonly ReadonlyMap<ClientName, Walked>[],
  name: ClientName,
  value: (walked: Walked) => number,
): Spread {
  return spread(
    rounds.flatMap((round) => {
      const [theirs] = measuresOf(round, name, value);
      const [ours] = measuresOf(round, US, value);
      return theirs === undefined || ours === undefined ? [] : [theirs / ours];
    }),
  );
}

/** Measures one after the other, beginning with another one each round. */
async function takeTurns<Name extends string, Value>(
  round: number,
  all: readonly Name[],
  measure: (name: Name) => Promise<Value>,
): Promise<Map<Name, Value>> {
  const first = round % all.length;
  const measured = new Map<Name, Value>();
  for (const name of [...all.slice(first), ...all.slice(0, first)]) measured.set(name, await measure(name));
  return measured;
}

async function walk(
  name: ClientName,
  baseUrl: string,
  size: number,
  busyMs: number,
  maxPages: number,
): Promise<Walked> {
  const args = [size, busyMs, maxPages, MAX_SECONDS].map(String);
  return JSON.parse(await script("graphql-walk", [name, baseUrl, ...args]));
}

async function script(name: string, args: readonly string[]): Promise<string> {
  const { stdout } = await run(process.execPath, [join(scripts, `${name}.js`), ...args], {
    // What a deployed app runs with; some of these clients check more where it is not set.
    env: { ...process.env, NODE_ENV: "production" },
  });
  return stdout;
}

async function portOf(child: ChildProcess): Promise<string> {
  if (child.stdout === null) throw new Error("The server cannot say its port.");
  const [line] = await once(createInterface(child.stdout), "line");
  return String(line);
}
