import { type FileHandle, open } from "node:fs/promises";
import { arch, endianness } from "node:os";

/** Bytes of the terminal's and the other host's name in a record of `lastlog(5)`. */
const NAME_BYTES = 32 + 256;

/**
 * Bytes of the time in a record. glibc keeps it at four bytes where 32-bit programs may share the file with 64-bit
 * ones; architectures that came later have no such past.
 */
const timeBytes = () => (["arm64", "riscv64", "loong64"].includes(arch()) ? 8 : 4);

/** Reads the time of a record, in the machine's byte order: seconds since 1970, and 0 for "never". */
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
 * When the accounts logged in last, by uid. Empty where the file is absent or may not be read.
 *
 * Records lie at the position of their uid. The file is sparse and can seem to be hundreds of gigabytes long, so only
 * the records that are asked for are read.
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
    // Written by a machine of another kind: its records would be taken for something else.
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
