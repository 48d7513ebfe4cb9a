/** Directories and files that only their owner may read and write, and that survive a crash once they are in place. */
import { constants } from "node:fs";
import { type FileHandle, lstat, mkdir, open, rename, unlink } from "node:fs/promises";
import { dirname } from "node:path";
import { ConfigurationError } from "../../core/errors/index.js";

/** Windows has no such flag. */
const NO_FOLLOW = constants.O_NOFOLLOW ?? 0;
const WRITABLE_BY_OTHERS = 0o002;

/**
 * Creates a directory of mode 0700 and its parents if they do not exist.
 * @throws {ConfigurationError} see {@link checkPrivateDirectory}
 */
export async function makePrivateDirectory(path: string): Promise<void> {
  await mkdir(path, { recursive: true, mode: 0o700 });
  await checkPrivateDirectory(path);
}

/**
 * Checks that a directory belongs to this user and that others may not write to it. A group may: volumes of containers
 * are often given to one.
 * @returns whether it exists
 * @throws {ConfigurationError} it is a link, or another user could change its contents
 */
export async function checkPrivateDirectory(path: string): Promise<boolean> {
  try {
    const stats = await lstat(path);
    if (!stats.isDirectory())
      throw new ConfigurationError(`${path} is not a directory. Links are not followed; remove it.`);
    const user = process.geteuid?.();
    if (user !== undefined && stats.uid !== user)
      throw new ConfigurationError(`${path} belongs to another user. Use a directory of your own.`);
    if (user !== undefined && (stats.mode & WRITABLE_BY_OTHERS) !== 0)
      throw new ConfigurationError(`Every user may write to ${path}. Run chmod 0700 on it.`);
    return true;
  } catch (error) {
    if (codeOf(error) === "ENOENT") return false;
    throw error;
  }
}

/** Creates a file of mode 0600 for reading and writing; it must not exist. */
export function createPrivateFile(path: string): Promise<FileHandle> {
  return open(path, constants.O_RDWR | constants.O_CREAT | constants.O_EXCL | NO_FOLLOW, 0o600);
}

/**
 * Opens a file for reading.
 * @returns undefined if it does not exist
 * @throws {ConfigurationError} it is a link or not a regular file
 */
export async function openPrivateFile(path: string): Promise<FileHandle | undefined> {
  let file: FileHandle;
  try {
    // Without O_NONBLOCK, opening a named pipe would wait for its writer.
    file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK | NO_FOLLOW);
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    if (codeOf(error) === "ELOOP")
      throw new ConfigurationError(`${path} is a link. Links are not followed; remove it.`);
    throw error;
  }
  const stats = await file.stat();
  if (stats.isFile()) return file;
  await file.close();
  throw new ConfigurationError(`${path} is not a file.`);
}

/** Moves a synced file to its place durably, replacing the file that is there. */
export async function replaceFile(from: string, to: string): Promise<void> {
  await rename(from, to);
  // Windows cannot sync directories.
  if (process.platform === "win32") return;
  const directory = await open(dirname(to), constants.O_RDONLY);
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}

/** Removes a file if it exists. */
export async function removeFile(path: string): Promise<void> {
  await unlink(path).catch((error: unknown) => {
    if (codeOf(error) !== "ENOENT") throw error;
  });
}

/** The code of a system error, such as `ENOENT`. */
export function codeOf(error: unknown): string | undefined {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : undefined;
}
