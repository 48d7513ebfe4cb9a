import { createHash, randomBytes } from "node:crypto";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { ConfigurationError } from "../../core/errors/index.js";
import { idsOfLines, linesOfIds, wholeLines } from "./id-lines.js";
import type { KnownIds, LedgerDraft, LedgerScope, PendingApproval } from "./ledger.js";
import { readLedgerHeader, readLedgerLines, Spool, writeLedgerFile } from "./ledger-files.js";
import { isUnfinished, removeForgotten, removeLeftovers } from "./ledger-leftovers.js";
import {
  checkPrivateDirectory,
  codeOf,
  makePrivateDirectory,
  removeFile,
  replaceFile,
} from "./private-files.js";
import { linesOfReadable, readableLines } from "./readable-lines.js";

/** What is kept in place of an id, where ids are hashed. */
export type IdDigest = (scope: LedgerScope, id: Uint8Array) => Uint8Array;

/**
 * The files of a ledger, one directory an installation, for each collection:
 *
 * - `accounts.completed.gz`: the ids of the last completed snapshot.
 * - `accounts.<number>-<random>.pending.gz`: those of a later one, kept before it is completed; it becomes the
 *   completed one.
 * - `accounts.removals.txt`: what a held run would have removed, for a person to read, and the approval that waits.
 * - `accounts.<random>.draft`: ids of a write that goes on.
 *
 * Every draft has files of its own, and touches those of others only where nobody needs them any more.
 */
export class LedgerDirectory {
  readonly #root: string;
  readonly #digest: IdDigest | undefined;

  constructor(root: string, digest: IdDigest | undefined) {
    this.#root = root;
    this.#digest = digest;
  }

  /** Every set of ids that the service may have. */
  async known(scope: LedgerScope): Promise<readonly KnownIds[]> {
    if (!(await checkPrivateDirectory(this.#directory(scope)))) return [];
    const completed = await this.#set("completed", this.#completed(scope), scope);
    const known = completed === undefined ? [] : [completed.ids];
    for (const { path, sequence } of await this.#pending(scope)) {
      // What an earlier run left behind when it died after a later one was completed.
      if (sequence <= (completed?.sequence ?? 0)) continue;
      const later = await this.#set("unclear", path, scope);
      if (later !== undefined) known.push(later.ids);
    }
    return known;
  }

  /** Begins to take down the ids of a snapshot. */
  async draft(scope: LedgerScope): Promise<LedgerDraft> {
    const directory = this.#directory(scope);
    await makePrivateDirectory(directory);
    const unfinished = await this.#unfinished(scope);
    await removeForgotten(unfinished);
    const sequence = await this.#nextSequence(scope);
    const token = randomBytes(6).toString("hex");
    const pending = join(directory, `${scope.collection}.${sequence}-${token}.pending.gz`);
    await this.#digestHeld(scope);
    const spool = await Spool.create(join(directory, `${scope.collection}.${token}.draft`));
    return {
      write: (lines) => spool.write(lines),
      read: () => spool.read(),
      save: async () => {
        await writeLedgerFile(pending, { scope, sequence, ids: this.#ids }, spool.read());
        await spool.remove();
      },
      promote: async () => {
        await this.#promote(scope, pending, sequence);
        await removeLeftovers(unfinished);
      },
      discard: async () => {
        await spool.remove();
        await removeFile(pending);
      },
    };
  }

  /** Keeps a pending approval as text that is not compressed: a person decides on it. */
  async hold(scope: LedgerScope, { lines, ...approval }: PendingApproval): Promise<string> {
    await makePrivateDirectory(this.#directory(scope));
    const path = this.#removals(scope);
    await writeLedgerFile(path, { scope, sequence: 0, ids: this.#ids, approval }, readableLines(lines()));
    return path;
  }

  /** The pending approval. */
  async held(scope: LedgerScope): Promise<PendingApproval | undefined> {
    const path = this.#removals(scope);
    const header = await readLedgerHeader(path, scope);
    if (header?.approval === undefined) return undefined;
    const lines = () => linesOfReadable(readLedgerLines(path, scope));
    return { ...header.approval, lines: this.#translated(header.ids, scope, lines) };
  }

  /** Forgets the pending approval. */
  async release(scope: LedgerScope): Promise<void> {
    await removeFile(this.#removals(scope));
  }

  get #ids(): "clear" | "hashed" {
    return this.#digest === undefined ? "clear" : "hashed";
  }

  /** The ids of one file; undefined where it is not there. One that cannot be used says so when its ids are read. */
  async #set(
    state: KnownIds["state"],
    path: string,
    scope: LedgerScope,
  ): Promise<{ readonly sequence: number; readonly ids: KnownIds } | undefined> {
    try {
      const header = await readLedgerHeader(path, scope);
      if (header === undefined) return undefined;
      return { sequence: header.sequence, ids: this.#knownIds(state, path, scope, header.ids) };
    } catch (error) {
      const lines = () => {
        throw error;
      };
      return { sequence: 0, ids: { state, lines } };
    }
  }

  #knownIds(state: KnownIds["state"], path: string, scope: LedgerScope, ids: "clear" | "hashed"): KnownIds {
    if (ids === "hashed" && this.#digest === undefined) {
      throw new ConfigurationError(
        `The ledger's file ${path} keeps hashes of ids, and this ledger keeps the ids themselves: say hashIds: true.`,
      );
    }
    return { state, lines: this.#translated(ids, scope, () => readLedgerLines(path, scope)) };
  }

  /** Lines of a file -> lines as this ledger keeps them. */
  #translated(ids: "clear" | "hashed", scope: LedgerScope, lines: KnownIds["lines"]): KnownIds["lines"] {
    const digest = this.#digest;
    return ids === "hashed" || digest === undefined ? lines : () => digested(lines(), scope, digest);
  }

  /** Whoever asks for hashes wants no ids here: those of a list become hashes, and its approval stays. */
  async #digestHeld(scope: LedgerScope): Promise<void> {
    if (this.#digest === undefined) return;
    const path = this.#removals(scope);
    try {
      const header = await readLedgerHeader(path, scope);
      if (header === undefined || header.ids === "hashed") return;
      const held = await this.held(scope);
      if (held !== undefined) return void (await this.hold(scope, held));
    } catch {
      // Nobody can approve of what cannot be read, and there may be ids in it.
    }
    await removeFile(path);
  }

  async #promote(scope: LedgerScope, pending: string, sequence: number): Promise<void> {
    // What a later run keeps stays: this one may have been waiting for its disk until then. And what is older goes
    // first, so that none of it can take the place of what is completed now.
    for (const other of await this.#pending(scope))
      if (other.path !== pending && other.sequence <= sequence) await removeFile(other.path);
    try {
      await replaceFile(pending, this.#completed(scope));
    } catch (error) {
      // A later run was completed meanwhile, and has swept it away: what was known before that must not come back.
      if (codeOf(error) === "ENOENT") return;
      throw error;
    }
  }

  async #nextSequence(scope: LedgerScope): Promise<number> {
    const completed = await readLedgerHeader(this.#completed(scope), scope).then(
      (header) => header?.sequence ?? 0,
      // It may be back when this snapshot is judged, or when the next one is: only a number that no file had before
      // keeps what is saved from being taken for older. Numbers grow by one a run, and so more slowly than the time.
      () => Date.now(),
    );
    const numbers = (await this.#pending(scope)).map(({ sequence }) => sequence);
    return 1 + Math.max(completed, ...numbers.filter(Number.isSafeInteger));
  }

  async #pending(scope: LedgerScope): Promise<{ path: string; sequence: number }[]> {
    const names = await this.#names(scope);
    return names.flatMap((name) => {
      const match = /^(\d+)-\w+\.pending\.gz$/.exec(name.slice(scope.collection.length + 1));
      if (match === null) return [];
      return [{ path: join(this.#directory(scope), name), sequence: Number(match[1]) }];
    });
  }

  async #unfinished(scope: LedgerScope): Promise<string[]> {
    const names = await this.#names(scope);
    return names.filter(isUnfinished).map((name) => join(this.#directory(scope), name));
  }

  async #names({ collection, ...scope }: LedgerScope): Promise<string[]> {
    const names = await readdir(this.#directory({ collection, ...scope })).catch((error: unknown) => {
      if (codeOf(error) === "ENOENT") return [];
      throw error;
    });
    return names.filter((name) => name.startsWith(`${collection}.`)).sort();
  }

  #completed(scope: LedgerScope): string {
    return join(this.#directory(scope), `${scope.collection}.completed.gz`);
  }

  #removals(scope: LedgerScope): string {
    return join(this.#directory(scope), `${scope.collection}.removals.txt`);
  }

  /** Readable as far as a file name can be, and different for each service and installation. */
  #directory({ endpoint, installationId }: LedgerScope): string {
    const readable = installationId.replace(/[^\w-]/g, "_").slice(0, 60);
    const hash = createHash("sha256")
      .update(JSON.stringify([endpoint, installationId]))
      .digest("hex");
    return join(this.#root, `${readable}-${hash.slice(0, 12)}`);
  }
}

/** Lines of ids -> lines of what is kept in place of them. */
async function* digested(
  lines: AsyncIterable<Uint8Array>,
  scope: LedgerScope,
  digest: IdDigest,
): AsyncGenerator<Uint8Array, void, undefined> {
  const text = { encoder: new TextEncoder(), decoder: new TextDecoder("utf-8", { ignoreBOM: true }) };
  for await (const piece of wholeLines(lines)) {
    yield linesOfIds(
      idsOfLines(piece).map((id) => text.decoder.decode(digest(scope, text.encoder.encode(id)))),
    );
  }
}
