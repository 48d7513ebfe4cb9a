/**
 * Files of a ledger that are in the middle of somebody's work: of a process that died, or of whoever holds the lock.
 *
 * A draft that is begun late, by a disk that was slow to answer, meets those of another run. So they are removed only
 * where it is certain that nobody needs them any more.
 */
import { lstat } from "node:fs/promises";
import { codeOf, removeFile } from "./private-files.js";

/** After so long without a byte nobody goes on with a file: a day, in milliseconds. */
const FORGOTTEN_MS = 24 * 60 * 60 * 1000;

/** Whether a file of this name becomes another one, or goes, when the work at it is done. */
export function isUnfinished(name: string): boolean {
  return /\.(draft|tmp)$/.test(name);
}

/** Removes those that are a day old: runs of which none is ever completed must not fill the disk. */
export async function removeForgotten(paths: readonly string[]): Promise<void> {
  for (const path of paths) {
    const changedAt = await lastChange(path);
    if (changedAt !== undefined && Date.now() - changedAt > FORGOTTEN_MS) await removeFile(path);
  }
}

/**
 * Removes those that were found while the lock was held, as the batch's completion has proven: whoever was at work at
 * them had lost it. That one of them stays is no failure of the batch, and a later one tries again.
 */
export async function removeLeftovers(paths: readonly string[]): Promise<void> {
  for (const path of paths) await removeFile(path).catch(() => {});
}

async function lastChange(path: string): Promise<number | undefined> {
  try {
    return (await lstat(path)).mtimeMs;
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    throw error;
  }
}
