import disk from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import { tmpdir } from "node:os";

/** The most bytes that one call reads or writes. The number is small, so that code without a loop loses data. */
const MOST_BYTES = 64;

/** Keeps the files of runs in memory, because the simulation can't control when a real disk answers. */
export class MemoryFiles {
  readonly #diskBytes: number;
  readonly #named = new Set<string>();
  #open = 0;
  #written = 0;

  /** @param diskBytes The size of the disk. */
  constructor(diskBytes: number) {
    this.#diskBytes = diskBytes;
  }

  /** Sentences about the files that were left open or on the disk. */
  get left(): readonly string[] {
    return [
      ...(this.#open > 0 ? [`${this.#open} files of runs are left open`] : []),
      ...[...this.#named].map((path) => `${path} is left on the disk`),
    ];
  }

  /** Replaces the disk. Returns a function that restores the real disk. */
  mount(): () => void {
    const { open, unlink } = disk;
    const put = (functions: object) => {
      Object.assign(disk, functions);
      syncBuiltinESMExports();
    };
    put({
      open: async (path: string, flags: string | number, mode: number) => {
        if (path.endsWith(".spool")) return this.#create(path);
        // A file without a name can't be created here: it would be on the real disk.
        if (path === tmpdir()) throw Object.assign(new Error("EOPNOTSUPP"), { code: "EOPNOTSUPP" });
        return open(path, flags, mode);
      },
      unlink: async (path: string) => (this.#named.delete(path) ? undefined : unlink(path)),
    });
    return () => put({ open, unlink });
  }

  #create(path: string) {
    if (this.#named.has(path)) throw new Error("EEXIST");
    this.#named.add(path);
    this.#open += 1;
    let contents = Buffer.alloc(0);
    return {
      write: async (bytes: Uint8Array, offset: number, length: number, position: number) => {
        const some = bytes.subarray(offset, offset + Math.min(length, MOST_BYTES));
        this.#written += some.length;
        if (this.#written > this.#diskBytes) throw new Error("ENOSPC: no space left on device, write");
        if (position + some.length > contents.length)
          contents = Buffer.concat([contents], position + some.length);
        contents.set(some, position);
        return { bytesWritten: some.length };
      },
      read: async (into: Uint8Array, offset: number, length: number, position: number) => {
        const some = contents.subarray(position, position + Math.min(length, MOST_BYTES));
        into.set(some, offset);
        return { bytesRead: some.length };
      },
      close: async () => {
        this.#open -= 1;
      },
    };
  }
}
