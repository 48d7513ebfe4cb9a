/**
 * Extracts a staged run with a number of processes, and prints how long that took, without their start.
 *
 * Arguments: an {@link ExtractorsTask} as JSON.
 */
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Extraction } from "./extractor.js";

/** How many processes share the partitions. */
export interface ExtractorsTask extends Pick<Extraction, "pages" | "pageMs"> {
  readonly partitions: number;
  readonly extractors: number;
}

const { extractors, pages, pageMs, ...task }: ExtractorsTask = JSON.parse(process.argv[2] ?? "");
const folder = mkdtempSync(join(tmpdir(), "extractors-"));
const numbers = Array.from({ length: task.partitions }, (_, i) => i);
const partitions = numbers.map(String);
const children: ChildProcess[] = [];
try {
  for (let i = 0; i < extractors; i += 1) {
    const child = fork(fileURLToPath(new URL("extractor.js", import.meta.url)));
    children.push(child);
    const own = numbers.filter((number) => number % extractors === i);
    const extraction: Extraction = { folder, partitions, own, pages, pageMs };
    child.send(extraction);
    await once(child, "message");
  }
  const since = performance.now();
  const done = Promise.all(children.map((child) => once(child, "message")));
  for (const child of children) child.send("begin");
  await done;
  console.log(JSON.stringify({ seconds: (performance.now() - since) / 1000 }));
} finally {
  for (const child of children) child.kill();
  rmSync(folder, { recursive: true, force: true });
}
