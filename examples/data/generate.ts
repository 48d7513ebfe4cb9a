/**
 * Writes the CSV files of this folder: `npx tsx examples/data/generate.ts`.
 *
 * The company, its people and its vendors are fictional. The output is the same on every machine, so that a test can
 * compare it with the committed files.
 */
import { writeFile } from "node:fs/promises";
import { argv } from "node:process";
import { fileURLToPath } from "node:url";
import { brambleboard } from "./generator/brambleboard.js";
import { employees } from "./generator/employees.js";
import { hrExport } from "./generator/hr-export.js";
import { quillmarsh } from "./generator/quillmarsh.js";
import { tuschgruen } from "./generator/tuschgruen.js";
import { usageLog } from "./generator/usage-log.js";

/** The contents of all files, by name. */
export function generateFiles(): ReadonlyMap<string, string> {
  const staff = employees();
  const vendors = [tuschgruen(staff), brambleboard(staff), quillmarsh(staff)];
  return new Map([
    ["hr-export.csv", hrExport(staff)],
    ...vendors.flatMap(({ files }) => Object.entries(files)),
    ["usage-log.csv", usageLog(vendors.flatMap(({ usedSeats }) => usedSeats))],
  ]);
}

if (argv[1] === fileURLToPath(import.meta.url)) {
  for (const [name, content] of generateFiles()) await writeFile(new URL(name, import.meta.url), content);
}
