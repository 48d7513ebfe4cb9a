import { randomBytes } from "node:crypto";
import { constants } from "node:fs";
import { type FileHandle, link, lstat, mkdir, open, readdir, unlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import { ConfigurationError } from "../../core/errors/index.js";
import type { Store } from "./store.js";

/** Windows has no such flag. */
const NO_FOLLOW = constants.O_NOFOLLOW ?? 0;
const WRITABLE_BY_OTHERS = 0o002;
/** No part of a key may lead outside the directory. */
const KEY = /^(?:(?!\.)[\w.-]+\/)*(?!\.)[\w.-]+$/;
const UNFINISHED = /\.tmp$/;
/** Entries of open batches. If a power failure loses one, the only harm is a lock that lasts until its lease ends. */
const NEED_NOT_LAST = /\/journal\.[^/]+$/;
/** An unfinished file that hasn't changed for this long belongs to a dead process: a day, in milliseconds. */
const LEFT_BEHIND_MS = 24 * 60 * 60 * 1000;
/** How long the check of a folder is valid. A small run needs the check about twenty times. */
const PRIVATE_MS = 1000;
const FIRST_PIECE_BYTES = 16 * 1024;
const PIECE_BYTES = 1024 * 1024;

/**
 * The store of a ledger in a directory: one file per key; only its owner may read and write the file. A value is
 * written to a temporary file, synced, and linked to its place, so that it exists as a whole or not at all.
 */
export class FileStore implements Store {
  readonly #root: string;
  /** When folders were last verified as private. */
  readonly #privateAt = new Map<string, number>();

  constructor(root: string) {
    this.#root = root;
  }

  async putIfAbsent(key: string, value: AsyncIterable<Uint8Array>): Promise<boolean> {
    const path = this.#path(key);
    const folder = dirname(path);
    const lasts = !NEED_NOT_LAST.test(key);
    let created: string | undefined;
    if (!(await this.#isPrivate(key))) {
      created = await mkdir(folder, { recursive: true, mode: 0o700 });
      await this.#isPrivate(key);
    }
    const temporary = `${path}.${randomBytes(6).toString("hex")}.tmp`;
    const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | NO_FOLLOW;
    const file = await open(temporary, flags, 0o600);
    try {
      for await (const piece of joined(value)) await file.appendFile(piece);
      if (lasts) await file.sync();
      await file.close();
      if ((await unlessCode("EEXIST", link(temporary, path), "taken")) === "taken") return false;
    } finally {
      await file.close().catch(() => {});
      await removeFile(temporary).catch(() => {});
    }
    if (lasts) await syncFolder(folder);
    // Creating a folder also changes the folder above it.
    for (let at = folder; created !== undefined && at.length >= created.length; at = dirname(at))
      await syncFolder(dirname(at));
    return true;
  }

  async get(key: string): Promise<AsyncIterable<Uint8Array> | undefined> {
    if (!(await this.#isPrivate(key))) return undefined;
    const path = this.#path(key);
    // Without O_NONBLOCK, opening a named pipe would wait for its writer.
    const opening = open(path, constants.O_RDONLY | constants.O_NONBLOCK | NO_FOLLOW);
    const file = await unlessCode("ELOOP", unlessCode("ENOENT", opening, undefined), "a link" as const);
    if (file === "a link")
      throw new ConfigurationError(`${path} is a link. Links aren't followed; remove it.`);
    return file === undefined ? undefined : readAll(file, path);
  }

  async *list(prefix: string): AsyncGenerator<string, void, undefined> {
    yield* this.#walk(prefix.slice(0, prefix.lastIndexOf("/") + 1), prefix);
  }

  async delete(key: string): Promise<void> {
    if (await this.#isPrivate(key)) await removeFile(this.#path(key));
  }

  async *#walk(folder: string, prefix: string): AsyncGenerator<string, void, undefined> {
    if (!(await this.#isPrivate(`${folder}x`))) return;
    const path = join(this.#root, folder);
    const entries = await unlessCode("ENOENT", readdir(path, { withFileTypes: true }), undefined);
    if (entries === undefined) this.#privateAt.clear();
    for (const entry of entries ?? []) {
      const key = `${folder}${entry.name}`;
      if (!key.startsWith(prefix) || !KEY.test(key)) continue;
      if (UNFINISHED.test(key)) await removeLeftBehind(join(path, entry.name));
      else if (entry.isDirectory()) yield* this.#walk(`${key}/`, prefix);
      else yield key;
    }
  }

  /** Whether the folder of a key exists. All folders between the root and the key must be private. */
  async #isPrivate(key: string): Promise<boolean> {
    const names = this.#parts(key).slice(0, -1);
    const folder = names.join("/");
    const now = performance.now();
    if (now - (this.#privateAt.get(folder) ?? Number.NEGATIVE_INFINITY) < PRIVATE_MS) return true;
    this.#privateAt.delete(folder);
    let path = this.#root;
    for (const name of names) {
      path = join(path, name);
      if (!(await checkPrivateDirectory(path))) return false;
    }
    this.#privateAt.set(folder, now);
    return true;
  }

  #path(key: string): string {
    return join(this.#root, ...this.#parts(key));
  }

  #parts(key: string): string[] {
    if (!KEY.test(key))
      throw new ConfigurationError(`The key ${JSON.stringify(key)} isn't allowed in a store.`);
    return key.split("/");
  }
}

/**
 * Checks that a directory belongs to this user and that others can't write to it. Its group may write to it,
 * because container volumes often belong to a group.
 * @returns whether it exists
 * @throws {ConfigurationError} it is a link, or another user could change its contents
 */
async function checkPrivateDirectory(path: string): Promise<boolean> {
  const stats = await unlessCode("ENOENT", lstat(path), undefined);
  if (stats === undefined) return false;
  if (!stats.isDirectory())
    throw new ConfigurationError(`${path} is not a directory. Links aren't followed; remove it.`);
  const user = process.geteuid?.();
  if (user !== undefined && stats.uid !== user)
    throw new ConfigurationError(`${path} belongs to another user. Use a directory of your own.`);
  if (user !== undefined && (stats.mode & WRITABLE_BY_OTHERS) !== 0)
    throw new ConfigurationError(`Every user can write to ${path}. Run chmod 0700 on it.`);
  return true;
}

/** Joins small pieces, because most values are small and a call costs more than a copy. */
async function* joined(value: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, undefined> {
  let kept: Uint8Array[] = [];
  let keptBytes = 0;
  for await (const piece of value) {
    const isSmall = keptBytes + piece.length <= FIRST_PIECE_BYTES;
    // A copy, because the value may reuse the buffer of its piece.
    if (isSmall) kept.push(new Uint8Array(piece));
    keptBytes += piece.length;
    if (isSmall) continue;
    if (kept.length > 0) yield Buffer.concat(kept);
    yield piece;
    kept = [];
    keptBytes = 0;
  }
  if (kept.length > 0) yield Buffer.concat(kept);
}

/** Reads a file from its beginning. All pieces share a buffer. */
async function* readAll(file: FileHandle, path: string): AsyncGenerator<Uint8Array, void, undefined> {
  // Most values are small.
  let buffer = Buffer.allocUnsafe(FIRST_PIECE_BYTES);
  try {
    for (;;) {
      const read = await unlessCode("EISDIR", file.read(buffer), undefined);
      if (read === undefined)
        throw new ConfigurationError(
          `${path} is a directory, where a file of the ledger belongs. Remove it.`,
        );
      if (read.bytesRead === 0) return;
      yield buffer.subarray(0, read.bytesRead);
      if (read.bytesRead === FIRST_PIECE_BYTES) buffer = Buffer.allocUnsafe(PIECE_BYTES);
    }
  } finally {
    await file.close();
  }
}

async function syncFolder(path: string): Promise<void> {
  // Windows cannot sync directories.
  if (process.platform === "win32") return;
  const directory = await open(path, constants.O_RDONLY);
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}

/** Removes an unfinished file of a dead process. Nothing depends on it. */
async function removeLeftBehind(path: string): Promise<void> {
  try {
    const { mtimeMs } = await lstat(path);
    if (Date.now() - mtimeMs > LEFT_BEHIND_MS) await unlink(path);
  } catch {}
}

async function removeFile(path: string): Promise<void> {
  await unlessCode("ENOENT", unlink(path), undefined);
}

/** Settles like a system call, but resolves with `value` if the call fails with this code. */
async function unlessCode<Result, Value>(
  code: string,
  call: Promise<Result>,
  value: Value,
): Promise<Result | Value> {
  try {
    return await call;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === code) return value;
    throw error;
  }
}
