/** Files that nobody else reads, that no link leads astray, and that survive a crash once they were said to. */
import { constants } from "node:fs";
import { type FileHandle, lstat, mkdir, open, rename, stat, unlink } from "node:fs/promises";
import { dirname } from "node:path";
import { ConfigurationError } from "../../core/errors/index.js";

/** Windows knows no such flag, and makes links for administrators only. */
const NO_FOLLOW = constants.O_NOFOLLOW ?? 0;

/**
 * Makes a directory of mode 0700, and those above it, where they are not there.
 * @throws {ConfigurationError} it is a link, or others could change what is in it
 */
export async function makePrivateDirectory(path: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  await mkdir(path, { mode: 0o700 }).catch((error: unknown) => {
    if (codeOf(error) !== "EEXIST") throw error;
  });
  await checkPrivateDirectory(path);
}

/**
 * Checks a directory, and the one above it, in which others must not be able to put another in its place. That one may
 * be reached by a link, which whoever chose the path may have meant.
 * @returns whether it is there
 * @throws {ConfigurationError} it is a link, or others could change what is in it
 */
export async function checkPrivateDirectory(path: string): Promise<boolean> {
  try {
    const [above, own] = await Promise.all([stat(dirname(path)), lstat(path)]);
    if (!own.isDirectory())
      throw new ConfigurationError(`${path} is not a directory: links are not followed. Remove it.`);
    requireTrusted(path, own);
    // Where the sticky bit is set, as in /tmp, nobody else can remove or rename what is ours.
    requireTrusted(dirname(path), { uid: above.uid, mode: (above.mode & STICKY) === 0 ? above.mode : 0 });
    return true;
  } catch (error) {
    if (codeOf(error) === "ENOENT") return false;
    throw error;
  }
}

/** Mode bits of a directory from which only the owner of a file removes it, and of what anybody may write. */
const STICKY = 0o1000;
const WRITABLE_BY_ALL = 0o002;

/**
 * Refuses what another user made or anybody may write. Root may do everything anyway, and volumes of containers are
 * often writable for a group of their own: both pass.
 */
function requireTrusted(path: string, { uid, mode }: { readonly uid: number; readonly mode: number }): void {
  const own = process.geteuid?.();
  // Windows has other rights, and tells none here.
  if (own === undefined) return;
  if (uid !== own && uid !== 0)
    throw new ConfigurationError(`${path} belongs to another user, who could change what is in it.`);
  if ((mode & WRITABLE_BY_ALL) !== 0)
    throw new ConfigurationError(`${path} can be written by everybody: take that right away (chmod o-w).`);
}

/** Makes a file of mode 0600 that must not be there yet, for writing and reading. */
export function createPrivateFile(path: string): Promise<FileHandle> {
  return open(path, constants.O_RDWR | constants.O_CREAT | constants.O_EXCL | NO_FOLLOW, 0o600);
}

/**
 * Opens a file for reading; undefined where it is not there.
 * @throws {ConfigurationError} it is a link, or not a file, or others could have written it
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
  try {
    // Asked of what was opened: what the name stands for may be another file by now.
    const facts = await file.stat();
    if (!facts.isFile()) throw new ConfigurationError(`${path} is not a file.`);
    requireTrusted(path, facts);
    return file;
  } catch (error) {
    await file.close();
    throw error;
  }
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
