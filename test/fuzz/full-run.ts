/**
 * Tries many hostile inputs of each group, one group after the other, and prints the number of cases.
 *
 *     npm run fuzz -- [cases of each group] [seed] [part of a group's name]
 */
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { PropertyCount } from "../support/fuzz.js";
import { FUZZ_GROUPS } from "./groups.js";

const [wanted = "100000", seed = String(Date.now() % 2 ** 31), part = ""] = process.argv.slice(2);
const directory = mkdtempSync(join(tmpdir(), "fuzz-counts-"));
const counts = join(directory, "counts");
let failed = false;

console.log(`seed ${seed}`);
for (const [group, file] of Object.entries(FUZZ_GROUPS)) {
  if (!group.includes(part)) continue;
  const { status } = spawnSync("npx", ["vitest", "run", `test/${file}.test.ts`, "--maxWorkers=1"], {
    env: { ...process.env, PROPERTY_RUNS: wanted, PROPERTY_SEED: seed, PROPERTY_COUNTS: counts },
    stdio: "inherit",
  });
  const counted = countsOf(group);
  const total = counted.reduce((sum, { cases }) => sum + cases, 0);
  const enough = total >= Number(wanted);
  failed ||= status !== 0 || !enough;
  console.log(`${total} cases of ${group}${status === 0 ? "" : ": FAILED"}${enough ? "" : ": too few"}`);
  for (const { what, cases } of counted) console.log(`  ${cases} ${what}`);
}
rmSync(directory, { recursive: true });
process.exitCode = failed ? 1 : 0;

function countsOf(group: string): PropertyCount[] {
  if (!existsSync(counts)) return [];
  const lines = readFileSync(counts, "utf8").trimEnd().split("\n");
  const all: PropertyCount[] = lines.map((line) => JSON.parse(line));
  return all.filter((counted) => counted.group === group);
}
