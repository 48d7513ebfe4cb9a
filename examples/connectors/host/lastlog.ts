import { type FileHandle, open } from "node:fs/promises";
import { arch, endianness } from "node:os";

/** Bytes of the terminal and host names in a record of `lastlog(5)`. */
const NAME_BYTES = 32 + 256;

/** Bytes of the time in a record: glibc uses 4 on architectures that also run 32-bit programs. */
const timeBytes = () => (["arm64", "riscv64", "loong64"].includes(arch()) ? 8 : 4);

/** Parses seconds since 1970, in the byte order of the machine; 0 means never. */
export function parseLoginTime(time: Buffer, order: "BE" | "LE" = endianness()): Date | undefined {
  const seconds =
    time.length === 8
      ? Number(order === "LE" ? time.readBigInt64LE() : time.readBigInt64BE())
      : order === "LE"
        ? time.readInt32LE()
        : time.readInt32BE();
  return seconds > 0 ? new Date(seconds * 1000) : undefined;
}

/**
 * The last logins by uid; empty if the file is missing or unreadable. Reads single records at the positions of the
 * uids, because the sparse file can appear to be hundreds of gigabytes long.
 */
export async function readLoginTimes(
  path: string,
  uids: Iterable<number>,
): Promise<ReadonlyMap<number, Date>> {
  const times = new Map<number, Date>();
  const file = await open(path).catch(() => undefined);
  if (file === undefined) return times;
  try {
    const { size } = await file.stat();
    const recordBytes = timeBytes() + NAME_BYTES;
    // The file was written by another architecture.
    if (size % recordBytes !== 0) return times;
    for (const uid of new Set(uids)) {
      if (uid < 0) continue;
      const time = parseLoginTime(await read(file, uid * recordBytes, timeBytes()));
      if (time !== undefined) times.set(uid, time);
    }
  } finally {
    await file.close();
  }
  return times;
}

async function read(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const { buffer } = await file.read(Buffer.alloc(length), 0, length, position);
  return buffer;
}
