/** Files that nobody else reads, that no link leads astray, and that survive a crash once they were said to. */
import { constants } from "node:fs";
import { type FileHandle, lstat, mkdir, open, rename, unlink } from "node:fs/promises";
import { dirname } from "node:path";
import { ConfigurationError } from "../../errors.js";

/** Windows knows no such flag, and makes links for administrators only. */
const NO_FOLLOW = constants.O_NOFOLLOW ?? 0;

/** Makes a directory of mode 0700, and those above it, where they are not there. */
export async function makePrivateDirectory(path: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  await mkdir(path, { mode: 0o700 }).catch((error: unknown) => {
    if (codeOf(error) !== "EEXIST") throw error;
  });
  if (!(await lstat(path)).isDirectory())
    throw new ConfigurationError(`${path} is not a directory: links are not followed. Remove it.`);
}

/** Makes a file of mode 0600 that must not be there yet, for writing and reading. */
export function createPrivateFile(path: string): Promise<FileHandle> {
  return open(path, constants.O_RDWR | constants.O_CREAT | constants.O_EXCL | NO_FOLLOW, 0o600);
}

/**
 * Opens a file for reading; undefined where it is not there.
 * @throws {ConfigurationError} it is a link, or not a file
 */
export async function openPrivateFile(path: string): Promise<FileHandle | undefined> {
  let file: FileHandle;
  try {
    // Without O_NONBLOCK a pipe in the file's place would be waited for.
    file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK | NO_FOLLOW);
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    if (codeOf(error) === "ELOOP") throw new ConfigurationError(`${path} is a link, which is not followed.`);
    throw error;
  }
  if ((await file.stat()).isFile()) return file;
  await file.close();
  throw new ConfigurationError(`${path} is not a file.`);
}

/** Puts a synced file in another's place, or at a new one, durably. */
export async function replaceFile(from: string, to: string): Promise<void> {
  await rename(from, to);
  await syncDirectory(dirname(to));
}

/** Removes a file; that it is not there is fine. */
export async function removeFile(path: string): Promise<void> {
  await unlink(path).catch((error: unknown) => {
    if (codeOf(error) !== "ENOENT") throw error;
  });
}

/** The code of a system error, such as `ENOENT`. */
export function codeOf(error: unknown): string | undefined {
  if (typeof error !== "object" || error === null || !("code" in error)) return undefined;
  return typeof error.code === "string" ? error.code : undefined;
}

async function syncDirectory(path: string): Promise<void> {
  // Windows has no such thing for directories.
  if (process.platform === "win32") return;
  const directory = await open(path, constants.O_RDONLY);
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}
