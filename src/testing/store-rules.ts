import type { Store } from "../runs/ledger/store.js";

/** A check of one rule. Throws a `BrokenRule`. */
export type StoreRule = (store: TestedStore) => Promise<void>;

/** An error whose message says, as a sentence, what the store did. */
export class BrokenRule extends Error {}

const MEBIBYTE = 1024 * 1024;
/** More values than a typical pool has connections. */
const UNFINISHED = 16;
/** More keys than stores list in one page. */
const MANY = 1100;
const LONGEST_KEY = 200;

/** The rules of a store, as sentences without their full stops. */
export const STORE_RULES: Readonly<Record<string, StoreRule>> = {
  "a key keeps its first value": async (store) => {
    await store.put("key", "first");
    must(!(await store.put("key", "other")), "putIfAbsent returned true for a key that had a value.");
    await store.mustRead("key", "first");
    for (const [name, count, length] of [
      ["small", 20, 1000],
      ["large", 4, 2 * MEBIBYTE + 1],
    ] as const) {
      const values = Array.from({ length: count }, (_, i) => bytesOf(length, i));
      const stored = await Promise.all(values.map((value) => store.put(name, value)));
      const winners = values.filter((_, i) => stored[i]);
      must(winners.length === 1, `putIfAbsent returned true ${winners.length} times for one key.`);
      for (const winner of winners) await store.mustRead(name, winner);
    }
  },
  "no call sees an incomplete value, and the first complete value is stored": async (store) => {
    for (const first of [Buffer.from("first"), bytesOf(3 * MEBIBYTE)]) {
      const [whole, early] = [`whole-${first.length}`, `early-${first.length}`];
      const [value, later] = [new PausedValue(first), new PausedValue(first)];
      const [stored, refused] = [store.begin(whole, value), store.begin(early, later)];
      await Promise.all([value.paused, later.paused]);
      await store.mustLack(whole, "before its value had ended");
      must(await store.put(early, "early"), "putIfAbsent returned false because of an unfinished value.");
      for (const paused of [value, later]) paused.goOn();
      must(await stored, "putIfAbsent returned false.");
      must(!(await refused), "putIfAbsent returned true for the later value.");
      await store.mustRead(whole, value.whole);
      await store.mustRead(early, "early");
    }
  },
  "if a value throws, nothing is stored and putIfAbsent throws": async (store) => {
    for (const first of [Buffer.from("a part"), bytesOf(3 * MEBIBYTE)]) {
      const key = `key-${first.length}`;
      const failing = async function* () {
        yield first;
        throw new Error("The value throws on purpose.");
      };
      const outcome = await store.put(key, failing()).then(
        () => "returned",
        () => "threw",
      );
      must(outcome === "threw", "putIfAbsent returned.");
      await store.mustLack(key, "though its value threw");
      must(await store.put(key, "whole"), "The key could not be put afterwards.");
    }
  },
  "a value comes back as it was put, however it was split": async (store) => {
    const whole = bytesOf(10 * MEBIBYTE + 7);
    const lengths = [1, MEBIBYTE - 1, 0, 70_001, 3 * MEBIBYTE + 1, 4095, whole.length];
    const buffer = Buffer.alloc(whole.length);
    const reused = async function* () {
      let from = 0;
      for (const length of lengths) {
        const piece = whole.subarray(from, from + length);
        from += length;
        buffer.set(piece);
        yield buffer.subarray(0, piece.length);
      }
      buffer.fill(0);
    };
    await store.put("large", reused());
    for (const [name, value] of [
      ["empty", ""],
      ["bytes", Uint8Array.from({ length: 256 }, (_, i) => i)],
      ["exact", whole.subarray(0, 5 * MEBIBYTE)],
    ] as const) {
      must(await store.put(name, value), "putIfAbsent returned false for a new key.");
      await store.mustRead(name, value);
      must(!(await store.put(name, "other")), "putIfAbsent returned true for a key that had a value.");
    }
    for (let times = 0; times < 2; times += 1) await store.mustRead("large", whole);
  },
  "an unfinished value doesn't hold up other calls": async (store) => {
    const values = Array.from({ length: UNFINISHED }, (_, i) => new PausedValue(bytesOf(MEBIBYTE, i)));
    const puts = values.map((value, i) => store.begin(`slow-${i}`, value));
    await Promise.all(values.map(({ paused }) => paused));
    must(await store.put("other", "other"), "putIfAbsent of another key returned false.");
    await store.mustRead("other", "other");
    await store.mustList("", ["other"]);
    await store.delete("other");
    for (const value of values) value.goOn();
    must(!(await Promise.all(puts)).includes(false), "putIfAbsent returned false.");
    for (const [i, value] of values.entries()) await store.mustRead(`slow-${i}`, value.whole);
  },
  "a value that is read slowly or only in part doesn't hold up other calls": async (store) => {
    await store.put("key", bytesOf(3 * MEBIBYTE));
    const readers: AsyncIterator<Uint8Array>[] = [];
    for (let i = 0; i < UNFINISHED; i += 1) {
      const reader = ((await store.get("key")) ?? piecesOf())[Symbol.asyncIterator]();
      must((await reader.next()).done !== true, "get returned an empty value.");
      readers.push(reader);
    }
    must(await store.put("other", "other"), "putIfAbsent of another key returned false.");
    await store.mustRead("other", "other");
    for (const reader of readers) await reader.return?.();
  },
  "list returns the keys that start with a prefix, each once, and no others": async (store) => {
    const long = "0123456789-abcdefghijklmnopqrstuvwxyz_.".padEnd(LONGEST_KEY - store.folder.length - 1, "k");
    const many = Array.from({ length: MANY }, (_, i) => `many/${i.toString(36).padStart(3, "0")}`);
    const few = ["a/b", "a/b.c", "a/bc", "a/d/e", "ab", "c_d/e_f", "cxd/e_f", "c-d", `${long}x`, `${long}y`];
    for (const name of few) must(await store.put(name, name), `putIfAbsent returned false for ${name}.`);
    const left = [...many];
    while (left.length > 0) await Promise.all(left.splice(0, 50).map((name) => store.put(name, name)));
    for (const prefix of ["", "a", "a/", "a/b", "a/b.", "c_", "c_d/e_", "c-", "many/", "many/0", "d", "%"])
      await store.mustList(
        prefix,
        [...few, ...many].filter((name) => name.startsWith(prefix)),
      );
    await store.mustRead(`${long}x`, `${long}x`);
  },
  "delete deletes one value, and its key can be put again": async (store) => {
    const whole = bytesOf(4 * MEBIBYTE);
    await store.mustLack("none", "for a key that was never put");
    await store.delete("none");
    await store.put("key2", "another");
    await store.put("key", whole);
    const deleting = async function* (value: AsyncIterable<Uint8Array>) {
      for await (const piece of value) {
        await store.delete("key");
        yield piece;
      }
    };
    const read = await toBytes(deleting((await store.get("key")) ?? piecesOf())).catch(() => whole);
    must(read.equals(whole), "A reader got only part of the value, without an error.");
    await store.mustLack("key", "after it was deleted");
    must(await store.put("key", "again"), "putIfAbsent returned false after the key was deleted.");
    await store.mustRead("key", "again");
    await store.mustRead("key2", "another");
  },
};

function must(condition: boolean, otherwise: string): void {
  if (!condition) throw new BrokenRule(otherwise);
}

/** The store under test, in its own folder: names are keys without that folder. */
export class TestedStore {
  constructor(
    readonly store: Store,
    readonly folder: string,
  ) {}

  async put(name: string, value: AsyncIterable<Uint8Array> | Uint8Array | string): Promise<boolean> {
    const pieces = typeof value === "string" || value instanceof Uint8Array ? piecesOf(value) : value;
    const isNew: unknown = await this.store.putIfAbsent(this.folder + name, pieces);
    if (typeof isNew !== "boolean") throw new BrokenRule("putIfAbsent returned neither true nor false.");
    return isNew;
  }

  /** Starts to put a value that pauses; the store may abandon it. */
  begin(name: string, value: PausedValue): Promise<boolean> {
    const stored = this.put(name, value.pieces());
    // A put that fails after the check has ended must not cause an unhandled rejection.
    stored.then(value.begin, value.begin);
    return stored;
  }

  get(name: string): Promise<AsyncIterable<Uint8Array> | undefined> {
    return this.store.get(this.folder + name);
  }

  async mustRead(name: string, expected: string | Uint8Array): Promise<void> {
    const pieces = await this.get(name);
    const value = pieces && (await toBytes(pieces));
    const found = value === undefined ? "found no value" : `returned ${value.length} bytes`;
    must(
      value?.equals(Buffer.from(expected)) === true,
      `get ${found} instead of the ${expected.length} bytes that were put.`,
    );
  }

  async mustLack(name: string, when: string): Promise<void> {
    must((await this.get(name)) === undefined, `get returned a value ${when}.`);
    must(!(await this.list(name)).includes(name), `list had its key ${when}.`);
  }

  async list(prefix: string): Promise<string[]> {
    const names: string[] = [];
    for await (const key of this.store.list(this.folder + prefix)) names.push(key.slice(this.folder.length));
    return names;
  }

  async mustList(prefix: string, expected: readonly string[]): Promise<void> {
    const found = (await this.list(prefix)).sort();
    const [all, place] = [[...expected].sort(), `list("${this.folder}${prefix}")`];
    must(
      found.join("\n") === all.join("\n"),
      `${place} had ${found.length} keys instead of the ${all.length} that were put; the first that differs is ${found.find((name, i) => name !== all[i])}.`,
    );
  }

  async delete(name: string): Promise<void> {
    await this.store.delete(this.folder + name);
  }
}

async function* piecesOf(
  ...pieces: readonly (string | Uint8Array)[]
): AsyncGenerator<Uint8Array, void, undefined> {
  for (const piece of pieces) yield Buffer.from(piece);
}

/** Reads a whole value, and copies the pieces because a store may reuse its buffer. */
async function toBytes(value: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  for await (const piece of value) pieces.push(new Uint8Array(piece));
  return Buffer.concat(pieces);
}

/** Bytes that don't repeat, so that swapped or lost pieces show. */
function bytesOf(length: number, seed = 1): Buffer {
  const bytes = Buffer.alloc(length);
  for (let i = 0, state = seed; i < length; i += 1) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    bytes[i] = state >>> 24;
  }
  return bytes;
}

const LAST = Buffer.from(" and the last piece");

/** A value that pauses after its first piece, like one from a slow source. */
class PausedValue {
  begin = () => {};
  /** Releases the rest of the value. */
  goOn = () => {};
  /** Resolves when the store asks for the second piece or abandons the value. */
  readonly paused = new Promise<void>((resolve) => {
    this.begin = resolve;
  });
  readonly #waited = new Promise<void>((resolve) => {
    this.goOn = resolve;
  });
  readonly whole: Buffer;

  constructor(readonly first: Uint8Array) {
    this.whole = Buffer.concat([first, LAST]);
  }

  async *pieces(): AsyncGenerator<Uint8Array, void, undefined> {
    yield this.first;
    this.begin();
    await this.#waited;
    yield LAST;
  }
}
