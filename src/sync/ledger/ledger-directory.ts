import { createHash, randomBytes } from "node:crypto";
import { writeSync } from "node:fs";
import { lstat, readdir } from "node:fs/promises";
import { join } from "node:path";
import { ConfigurationError } from "../../core/errors/index.js";
import { idsOfLines, linesOfIds, wholeLines } from "./id-lines.js";
import type { KnownIds, LedgerDraft, LedgerScope, PendingApproval } from "./ledger.js";
import { type LedgerHeader, openLedgerFile, readAll, writeLedgerFile } from "./ledger-file.js";
import {
  checkPrivateDirectory,
  codeOf,
  createPrivateFile,
  makePrivateDirectory,
  removeFile,
  replaceFile,
} from "./private-files.js";

/** Hashes an id. */
export type HashId = (scope: LedgerScope, id: Uint8Array) => Uint8Array;

/** A draft or temporary file without a change for so long belongs to a process that died: a day, in milliseconds. */
const LEFT_BEHIND_MS = 24 * 60 * 60 * 1000;

/**
 * The files of a ledger, one directory per installation. For each collection:
 *
 * - `accounts.completed.gz`: the ids of the last completed snapshot.
 * - `accounts.<random>.pending.gz`: the ids of a later one, saved before it is completed; then it becomes the completed
 *   one.
 * - `accounts.removals.txt`: what a held run would have removed, for a person to read, with the pending approval.
 * - `accounts.<random>.draft`: the ids of a write in progress.
 */
export class LedgerDirectory {
  readonly #root: string;
  readonly #hashId: HashId | undefined;
  readonly #ids: LedgerHeader["ids"];

  constructor(root: string, hashId: HashId | undefined) {
    this.#root = root;
    this.#hashId = hashId;
    this.#ids = hashId === undefined ? "clear" : "hashed";
  }

  async known(scope: LedgerScope): Promise<readonly KnownIds[]> {
    if (!(await checkPrivateDirectory(this.#directory(scope)))) return [];
    const sets = [await this.#set("completed", this.#completed(scope), scope)];
    for (const path of await this.#pending(scope)) sets.push(await this.#set("unclear", path, scope));
    return sets.filter((ids) => ids !== undefined);
  }

  async draft(scope: LedgerScope): Promise<LedgerDraft> {
    await makePrivateDirectory(this.#directory(scope));
    await this.#removeLeftBehind(scope);
    await this.#hashHeld(scope);
    // The run has the lock: these are of earlier runs.
    const earlier = await this.#pending(scope);
    const token = randomBytes(6).toString("hex");
    const pending = this.#path(scope, `${token}.pending.gz`);
    const draft = this.#path(scope, `${token}.draft`);
    const file = await createPrivateFile(draft);
    const removeDraft = async () => {
      await file.close().catch(() => {});
      await removeFile(draft);
    };
    return {
      // Synchronous: queued writes would hold the ids in memory if the disk is slower than the source.
      write: (lines) => {
        for (let at = 0; at < lines.length; ) at += writeSync(file.fd, lines, at);
      },
      read: () => readAll(file),
      save: async () => {
        await writeLedgerFile(pending, scope, { ids: this.#ids }, readAll(file));
        await removeDraft();
      },
      promote: () => this.#promote(scope, pending, earlier),
      discard: async () => {
        await removeDraft();
        await removeFile(pending);
      },
    };
  }

  async hold(scope: LedgerScope, { lines, ...approval }: PendingApproval): Promise<string> {
    await makePrivateDirectory(this.#directory(scope));
    const path = this.#removals(scope);
    await writeLedgerFile(path, scope, { ids: this.#ids, approval }, lines());
    return path;
  }

  async held(scope: LedgerScope): Promise<PendingApproval | undefined> {
    const file = await openLedgerFile(this.#removals(scope), scope);
    if (file?.header.approval === undefined) return undefined;
    return { ...file.header.approval, lines: this.#hashed(file.header.ids, scope, file.lines) };
  }

  async release(scope: LedgerScope): Promise<void> {
    await removeFile(this.#removals(scope));
  }

  /** The ids of one file, undefined if it does not exist. A file that cannot be used says so when its ids are read. */
  async #set(state: KnownIds["state"], path: string, scope: LedgerScope): Promise<KnownIds | undefined> {
    try {
      const file = await openLedgerFile(path, scope);
      if (file === undefined) return undefined;
      const { ids } = file.header;
      if (ids === "hashed" && this.#hashId === undefined) {
        throw new ConfigurationError(
          `The ledger file ${path} has hashed ids, and this ledger does not hash them. Set hashIds: true.`,
        );
      }
      return { state, lines: this.#hashed(ids, scope, file.lines) };
    } catch (error) {
      const lines = () => {
        throw error;
      };
      return { state, lines };
    }
  }

  /** Hashes the clear ids of a file if this ledger hashes ids. */
  #hashed(ids: LedgerHeader["ids"], scope: LedgerScope, lines: KnownIds["lines"]): KnownIds["lines"] {
    const hashId = this.#hashId;
    return ids === "hashed" || hashId === undefined ? lines : () => hashLines(lines(), scope, hashId);
  }

  /** Leaves no clear ids in the list of removals if this ledger hashes ids. */
  async #hashHeld(scope: LedgerScope): Promise<void> {
    if (this.#hashId === undefined) return;
    const path = this.#removals(scope);
    try {
      if ((await openLedgerFile(path, scope))?.header.ids !== "clear") return;
      const held = await this.held(scope);
      if (held !== undefined) return void (await this.hold(scope, held));
    } catch {
      // Nothing in an unreadable list can be approved, and it may contain ids.
    }
    await removeFile(path);
  }

  async #promote(scope: LedgerScope, pending: string, earlier: readonly string[]): Promise<void> {
    for (const path of earlier) await removeFile(path);
    try {
      await replaceFile(pending, this.#completed(scope));
    } catch (error) {
      // A later run completed meanwhile and removed the file.
      if (codeOf(error) !== "ENOENT") throw error;
    }
  }

  async #pending(scope: LedgerScope): Promise<string[]> {
    const names = await this.#names(scope);
    return names.filter((name) => name.endsWith(".pending.gz")).map((name) => this.#path(scope, name));
  }

  async #removeLeftBehind(scope: LedgerScope): Promise<void> {
    for (const name of await this.#names(scope)) {
      if (!/\.(draft|tmp)$/.test(name)) continue;
      const path = this.#path(scope, name);
      const changedAt = await lstat(path).then(
        ({ mtimeMs }) => mtimeMs,
        () => Date.now(),
      );
      if (Date.now() - changedAt > LEFT_BEHIND_MS) await removeFile(path);
    }
  }

  /** Names of the collection's files, without the collection. */
  async #names(scope: LedgerScope): Promise<string[]> {
    const names = await readdir(this.#directory(scope));
    const begin = `${scope.collection}.`;
    return names
      .filter((name) => name.startsWith(begin))
      .map((name) => name.slice(begin.length))
      .sort();
  }

  #completed(scope: LedgerScope): string {
    return this.#path(scope, "completed.gz");
  }

  #removals(scope: LedgerScope): string {
    return this.#path(scope, "removals.txt");
  }

  #path(scope: LedgerScope, name: string): string {
    return join(this.#directory(scope), `${scope.collection}.${name}`);
  }

  /** Readable as far as a file name allows, and different for each service and installation. */
  #directory({ endpoint, installationId }: LedgerScope): string {
    const readable = installationId.replace(/[^\w-]/g, "_").slice(0, 60);
    const hash = createHash("sha256")
      .update(JSON.stringify([endpoint, installationId]))
      .digest("hex");
    return join(this.#root, `${readable}-${hash.slice(0, 12)}`);
  }
}

async function* hashLines(
  lines: AsyncIterable<Uint8Array>,
  scope: LedgerScope,
  hashId: HashId,
): AsyncGenerator<Uint8Array, void, undefined> {
  for await (const piece of wholeLines(lines))
    yield linesOfIds(idsOfLines(piece).map((id) => Buffer.from(hashId(scope, Buffer.from(id))).toString()));
}
