import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll } from "vitest";

/** A folder for the tests of a file, and files in it. */
export function useFiles() {
  let folder = "";
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "sources-test-"));
  });
  afterAll(() => rm(folder, { recursive: true }));
  return {
    get folder() {
      return folder;
    },
    async write(content: string | Uint8Array, name = "users.csv"): Promise<string> {
      const path = join(folder, name);
      await writeFile(path, content);
      return path;
    },
  };
}

/** Everything that a source gives, in one array. */
export async function all<R>(source: AsyncIterable<readonly R[]>): Promise<R[]> {
  const records: R[] = [];
  for await (const some of source) records.push(...some);
  return records;
}

/** The text as a stream, a few bytes at a time: every character and line end is cut somewhere. */
export async function* inPieces(content: string | Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
  for (let at = 0; at < bytes.length; at += size) yield bytes.slice(at, at + size);
}
