/** The lock on an entry of the journal. Its heartbeat tells that the owner lives: the time of its directory. */
import { rmdir, stat } from "node:fs/promises";
import { codeOf } from "./private-files.js";

/** How often the owner of a batch gives a sign of life, in milliseconds. */
const HEARTBEAT_MS = 15_000;

/** Without a sign of life for so long an owner counts as dead, in milliseconds. */
export const STALE_MS = 60_000;

/** A lock that is held. */
export interface HeldLock {
  /** Lets go of it. That somebody took it over meanwhile is fine. */
  release(): Promise<void>;
}

/** Takes the lock on an entry and gives signs of life; undefined where somebody who may live holds it. */
export async function acquire(entry: string, onLost: () => void): Promise<HeldLock | undefined> {
  // Loaded only where there is a journal: it listens for the end of the process.
  const { lock } = await import("proper-lockfile");
  try {
    const release = await lock(entry, {
      lockfilePath: pathOf(entry),
      // The entry is written when its lock is held, so there is nothing to resolve yet.
      realpath: false,
      stale: STALE_MS,
      update: HEARTBEAT_MS,
      onCompromised: onLost,
    });
    return { release: () => release().catch(() => {}) };
  } catch (error) {
    if (codeOf(error) === "ELOCKED") return undefined;
    throw error;
  }
}

/** Takes the lock away from an owner that is dead. */
export async function breakLock(entry: string): Promise<void> {
  await rmdir(pathOf(entry)).catch((error: unknown) => {
    if (codeOf(error) !== "ENOENT") throw error;
  });
}

/**
 * When the lock's owner gave its last sign of life, in milliseconds since the epoch; undefined where there is no lock.
 */
export async function lastSignOfLife(entry: string): Promise<number | undefined> {
  try {
    return (await stat(pathOf(entry))).mtimeMs;
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    throw error;
  }
}

function pathOf(entry: string): string {
  return `${entry}.lock`;
}
