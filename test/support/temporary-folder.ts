import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll } from "vitest";

/** A folder for the tests of a file. */
export interface TemporaryFolder {
  readonly path: string;
  /** Writes a file and returns its path. */
  write(name: string, content: string | Uint8Array): Promise<string>;
}

export function temporaryFolder(): TemporaryFolder {
  let path = "";
  beforeAll(async () => {
    path = await mkdtemp(join(tmpdir(), "sdk-test-"));
  });
  afterAll(() => rm(path, { recursive: true, force: true, maxRetries: 10 }));
  return {
    get path() {
      return path;
    },
    write: async (name, content) => {
      const file = join(path, name);
      await writeFile(file, content);
      return file;
    },
  };
}
