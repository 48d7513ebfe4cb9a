import { mkdir, open, rename } from "node:fs/promises";
import { join } from "node:path";
import type { Job } from "bullmq";
import { type Extracted, type Extraction, folderOf } from "./flow.js";

/** Writes one partition into a file, completely or not at all. */
export async function extract(
  { data: { name, source, flow } }: Job<Extraction>,
  _token?: string,
  signal?: AbortSignal,
): Promise<Extracted> {
  const { ok, status, body, headers } = await fetch(source, { signal: signal ?? null });
  if (!ok || body === null) throw new Error(`The vendor answered with status ${status}.`);
  const folder = folderOf(flow);
  await mkdir(folder, { recursive: true });
  const file = join(folder, `${name}.jsonl`);
  // A worker that lost its job might still write, so each attempt has its own file.
  const unfinished = `${file}.${process.pid}.tmp`;
  const handle = await open(unfinished, "w");
  let count = 0;
  try {
    for await (const piece of body) {
      for (let at = piece.indexOf(10); at !== -1; at = piece.indexOf(10, at + 1)) count += 1;
      await handle.writeFile(piece);
    }
    await handle.sync();
  } finally {
    await handle.close();
  }
  const announced = Number(headers.get("x-count"));
  if (count !== announced) throw new Error(`The vendor announced ${announced} records and sent ${count}.`);
  await rename(unfinished, file);
  return { name, file, count };
}
