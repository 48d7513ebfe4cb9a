import type { Store } from "../../sync/ledger/store.js";

/** Rules of a store, as sentences without their full stops. A check throws a `BrokenRule`. */
export type StoreRules = Readonly<Record<string, (store: TestedStore) => Promise<void>>>;

/** The message says what the store did, as a sentence. */
export class BrokenRule extends Error {}

export function must(condition: boolean, otherwise: string): void {
  if (!condition) throw new BrokenRule(otherwise);
}

/** The store that is checked, within a folder of its own: names are keys without that folder. */
export class TestedStore {
  constructor(
    readonly store: Store,
    readonly folder: string,
  ) {}

  async put(name: string, value: AsyncIterable<Uint8Array> | string): Promise<boolean> {
    const pieces = typeof value === "string" ? piecesOf(value) : value;
    const isNew: unknown = await this.store.putIfAbsent(this.folder + name, pieces);
    if (typeof isNew !== "boolean") throw new BrokenRule("putIfAbsent returned neither true nor false.");
    return isNew;
  }

  get(name: string): Promise<AsyncIterable<Uint8Array> | undefined> {
    return this.store.get(this.folder + name);
  }

  /** The whole value of a key; undefined if it has none. */
  async read(name: string): Promise<Buffer | undefined> {
    const value = await this.get(name);
    return value === undefined ? undefined : Buffer.concat(await toArray(value));
  }

  async mustRead(name: string, expected: string | Uint8Array): Promise<void> {
    const value = await this.read(name);
    const found = value === undefined ? "found no value" : `returned ${value.length} bytes`;
    must(
      value?.equals(Buffer.from(expected)) === true,
      `get ${found}, and not the ${expected.length} bytes that were put.`,
    );
  }

  async mustLack(name: string, when: string): Promise<void> {
    must((await this.get(name)) === undefined, `get returned a value ${when}.`);
    must(!(await this.list(name)).includes(name), `list had its key ${when}.`);
  }

  /** The names with this prefix, sorted. */
  async list(prefix: string): Promise<string[]> {
    const names: string[] = [];
    for await (const key of this.store.list(this.folder + prefix)) {
      must(
        key.startsWith(this.folder + prefix),
        `list("${this.folder}${prefix}") had ${JSON.stringify(key)}.`,
      );
      names.push(key.slice(this.folder.length));
    }
    return names.sort();
  }

  async mustList(prefix: string, expected: readonly string[]): Promise<void> {
    const found = await this.list(prefix);
    const place = `list("${this.folder}${prefix}")`;
    const lacking = expected.find((name) => !found.includes(name));
    must(
      lacking === undefined,
      `${place} lacked ${lacking}; it had ${found.length} keys of ${expected.length}.`,
    );
    const other = found.find((name, i) => !expected.includes(name) || name === found[i - 1]);
    must(other === undefined, `${place} had ${other}, or had it twice.`);
  }

  async delete(name: string): Promise<void> {
    await this.store.delete(this.folder + name);
  }
}

/** Pieces of a value. */
export async function* piecesOf(
  ...pieces: readonly (string | Uint8Array)[]
): AsyncGenerator<Uint8Array, void, undefined> {
  for (const piece of pieces) yield typeof piece === "string" ? Buffer.from(piece) : piece;
}

/** The pieces of a value; they are copied, because a store may use its buffer again. */
export async function toArray(value: AsyncIterable<Uint8Array>): Promise<Uint8Array[]> {
  const pieces: Uint8Array[] = [];
  for await (const piece of value) pieces.push(new Uint8Array(piece));
  return pieces;
}

/** Bytes without a period that a store could hide a mistake in. */
export function bytesOf(length: number, seed = 1): Uint8Array {
  const bytes = Buffer.alloc(length);
  for (let i = 0, state = seed; i < length; i += 1) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    bytes[i] = state >>> 24;
  }
  return bytes;
}

/** A value that waits after its first piece, as one whose source is slow. */
export class PausedValue {
  #begin = () => {};
  /** Lets it end. */
  goOn: () => void = () => {};
  /** Resolves when the store has taken the first piece and asks for the next one. */
  readonly paused = new Promise<void>((resolve) => {
    this.#begin = resolve;
  });
  readonly #waited = new Promise<void>((resolve) => {
    this.goOn = resolve;
  });

  constructor(readonly first: Uint8Array) {}

  get whole(): Buffer {
    return Buffer.concat([this.first, LAST]);
  }

  async *pieces(): AsyncGenerator<Uint8Array, void, undefined> {
    yield this.first;
    this.#begin();
    await this.#waited;
    yield LAST;
  }
}

const LAST = Buffer.from(" and the last piece");
