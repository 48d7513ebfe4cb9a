/**
 * Kills processes at random moments of runs against the reference server. Shows that only records missing from the last
 * completed snapshot are marked as removed, and that no run leaves anything on the disk.
 *
 *     npm run kills -- [kills] [seed] [postgres]
 *
 * With `postgres`, the ledger is in a PostgreSQL server of its own instead of a folder.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { startReferenceServer, TestClock } from "@saas-management/sdk/testing";
import { PostgresServer } from "../../support/postgres.js";
import { ALL_IDS, idsOf } from "./snapshots.js";

const LEASE_MS = 15 * 60_000;
/** The longest wait before a kill: about as long as a run takes. */
const MOST_MS = 60;

const [kills = 100, seed = Date.now() % 2 ** 31] = process.argv.slice(2).map(Number);
console.log(`${kills} kills, seed ${seed}`);
const clock = new TestClock();
const server = await startReferenceServer({ clock });
const folder = mkdtempSync(join(tmpdir(), "kills-"));
const spool = mkdtempSync(join(tmpdir(), "kills-spool-"));
const database = new PostgresServer();
const moments = new Map<string, number>();
let state = seed;

try {
  if (process.argv[4] === "postgres") await database.create();
  for (let kill = 0; kill < kills; kill += 1) {
    const child = startChild();
    const lines = createInterface(child.stdout ?? process.stdin)[Symbol.asyncIterator]();
    if ((await lines.next()).done === true)
      throw new Error(`kill ${kill}: a process could not complete a run`);
    await setTimeout(random() * MOST_MS);
    child.kill("SIGKILL");
    await once(child, "close");
    check(`kill ${kill}`);
    // Nobody can release the lock of a process that died before it noted its batch in the journal.
    clock.advance(LEASE_MS);
  }
  console.log(
    `nothing was removed wrongly; what the kills hit: ${JSON.stringify(Object.fromEntries(moments))}`,
  );
} finally {
  await server.close();
  await database.close();
  for (const path of [folder, spool]) rmSync(path, { recursive: true });
}

function startChild(): ChildProcess {
  const script = fileURLToPath(new URL("child.ts", import.meta.url));
  const { syncUrl, apiKey, installationId } = server;
  const { host } = database.connection;
  const ledger = host === "" ? folder : host;
  const args = [syncUrl, apiKey, installationId, ledger, spool, String(completedRuns())];
  return spawn(process.execPath, ["--import=tsx", script, ...args], { stdio: ["ignore", "pipe", "inherit"] });
}

function completedRuns(): number {
  return batches().filter((batch) => batch.state === "completed").length;
}

function batches() {
  return server.inspect(server.installationId).batches;
}

function check(place: string): void {
  const run = completedRuns() - 1;
  const last = new Set(idsOf(run));
  const { accounts } = server.inspect(server.installationId).snapshots;
  const wrong = accounts.filter(({ id, removed }) => removed && last.has(id)).map(({ id }) => id);
  if (wrong.length > 0) throw new Error(`${place}: run ${run} had ${wrong.join(", ")}, and they are removed`);
  const lost = ALL_IDS.filter((id) => last.has(id) && !accounts.some((account) => account.id === id));
  if (lost.length > 0) throw new Error(`${place}: ${lost.join(", ")} never arrived`);
  if (readdirSync(spool).length > 0) throw new Error(`${place}: a file of the spool is left`);
  const hit = batches().at(-1)?.state ?? "none";
  moments.set(hit, 1 + (moments.get(hit) ?? 0));
}

/** The seed's next number, from 0 to 1. */
function random(): number {
  state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
  return state / 2 ** 32;
}
