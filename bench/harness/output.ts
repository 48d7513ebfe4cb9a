import { mkdirSync, writeFileSync } from "node:fs";
import type { Machine } from "./machine.js";
import type { Options } from "./options.js";
import { projectPath } from "./project.js";
import type { Measured } from "./rounds.js";

/** Folder that the benchmarks write to; Git ignores it. */
const FOLDER = "build/bench";

/** Address of a file in the folder. */
export function outputPath(name: string): string {
  mkdirSync(projectPath(FOLDER), { recursive: true });
  return projectPath(`${FOLDER}/${name}`);
}

/** Writes every figure of every round, for programs to read. Returns the file's path in the project. */
export function writeResults(machine: Machine, options: Options, all: readonly Measured[]): string {
  const name = options.quick ? "quick.json" : "full.json";
  const { rounds, size } = options;
  const comparisons = all.map(({ comparison: { id, title, subject }, rounds: measured }) => ({
    id,
    title,
    subject,
    rounds: measured.map((round) => Object.fromEntries(round)),
  }));
  const results = { measuredAt: new Date().toISOString(), machine, options: { rounds, size }, comparisons };
  writeFileSync(outputPath(name), `${JSON.stringify(results, undefined, 2)}\n`);
  return `${FOLDER}/${name}`;
}
