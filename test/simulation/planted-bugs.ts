/**
 * Plants bugs in a copy of the code, one at a time, and shows that the simulation catches each, or a named attack.
 *
 *     npm run check:simulation -- [engine, run, guard, graphql, sockets, attacks, or part of a bug's name]
 */
import { spawnSync } from "node:child_process";
import { cpSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Bug } from "./bug.js";
import { ENGINE_BUGS } from "./engine-bugs.js";
import { GRAPHQL_BUGS } from "./graphql/bugs.js";
import { ATTACK_BUGS, GUARD_BUGS } from "./guard-bugs.js";
import { RUN_BUGS } from "./run-bugs.js";
import { SOCKET_BUGS } from "./sockets/socket-bugs.js";

/** Programs that have to be enough to catch a bug, and how they are run. */
const ENGINE = { group: "engine", bugs: ENGINE_BUGS, soak: ["12000", "1"] } as const;
const RUN = { group: "run", bugs: RUN_BUGS, soak: ["12000", "1"] } as const;
const GUARD = { group: "guard", bugs: GUARD_BUGS, soak: ["12000", "1"] } as const;
const GRAPHQL = { group: "graphql", bugs: GRAPHQL_BUGS, soak: ["--graphql", "5000", "1"] } as const;
const SOCKETS = { group: "sockets", bugs: SOCKET_BUGS, soak: ["--sockets", "1000", "2"] } as const;

/** Vitest cuts longer names of a table. */
const TITLE = 30;

const root = fileURLToPath(new URL("../..", import.meta.url));
const copy = join(root, "build/planted");
const wanted = process.argv[2] ?? "";

const failures: string[] = [];
for (const { group, bugs, soak } of [ENGINE, RUN, GUARD, GRAPHQL, SOCKETS]) {
  const chosen = bugs.filter(({ name }) => group === wanted || name.includes(wanted));
  if (chosen.length === 0) continue;
  makeCopy();
  // A net that catches everything shows nothing.
  if (run(soak).caught) failures.push(`${soak.join(" ")}: fails without a bug`);
  for (const bug of chosen) {
    makeCopy();
    const { caught, why } = plant(bug) ? run(soak) : { caught: false, why: "out of date: the code changed" };
    console.log(`${caught ? "caught  " : "SURVIVED"}  ${bug.name}: ${why}`);
    if (!caught) failures.push(`${bug.name}: ${why}`);
  }
}
for (const bug of ATTACK_BUGS.filter(({ name }) => wanted === "attacks" || name.includes(wanted))) {
  makeCopy();
  const caught = plant(bug) && isCaughtByAttack(bug);
  console.log(`${caught ? "caught  " : "SURVIVED"}  ${bug.name}: ${bug.attack}`);
  if (!caught) failures.push(bug.name);
}
rmSync(copy, { recursive: true, force: true });
if (failures.length > 0) {
  console.error(`\n${failures.length} not caught:\n${failures.map((failure) => `  ${failure}`).join("\n")}`);
  process.exitCode = 1;
}

function makeCopy(): void {
  rmSync(copy, { recursive: true, force: true });
  for (const part of [
    "src",
    "schema",
    "test/simulation",
    "test/support",
    "test/sync/safety",
    "vitest.config.ts",
    "tsconfig.json",
    "tsconfig.dev.json",
    "package.json",
  ])
    cpSync(join(root, part), join(copy, part), { recursive: true });
}

/** Whether the place was found. */
function plant({ file, right, wrong }: Bug): boolean {
  const path = join(copy, "src", file);
  const parts = readFileSync(path, "utf8").split(right);
  if (parts.length !== 2) return false;
  writeFileSync(path, parts.join(wrong));
  return true;
}

/** Whether the attack succeeds with the bug. */
function isCaughtByAttack({ attack, in: file }: (typeof ATTACK_BUGS)[number]): boolean {
  const path = `test/sync/safety/attacks/${file}.test.ts`;
  const args = ["run", "--root", copy, "--project", "main", path, "-t", attack.slice(0, TITLE)];
  const { status, stderr } = spawnSync(join(root, "node_modules/.bin/vitest"), args, {
    cwd: copy,
    encoding: "utf8",
  });
  return status !== 0 && stderr.includes("AssertionError");
}

/** Runs programs in the copy. Only a violated invariant counts: code that does not run at all proves nothing. */
function run(soak: readonly string[]): { readonly caught: boolean; readonly why: string } {
  const args = ["--tsconfig", "tsconfig.dev.json", "test/simulation/soak.ts", "--no-shrink", ...soak];
  const { status, stderr } = spawnSync(join(root, "node_modules/.bin/tsx"), args, {
    cwd: copy,
    encoding: "utf8",
    stdio: ["ignore", "ignore", "pipe"],
  });
  if (status === 0) return { caught: false, why: "no program failed" };
  const violated = /^(?:Got )?Error: (.{1,120})/m.exec(stderr)?.[1];
  const caught = stderr.includes("Property failed after") && violated !== undefined;
  return { caught, why: caught ? violated : `did not run: ${stderr.slice(0, 200)}` };
}
