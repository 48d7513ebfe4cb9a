import type { Store } from "@saas-management/sdk";
import { expect, test } from "vitest";
import { memoryStore } from "../../src/sync/ledger/store.js";
import { checkStore } from "../../src/testing/test-store.js";

type Value = AsyncIterable<Uint8Array>;
type Plant = (below: Store, values: Map<string, Buffer[]>) => Partial<Store>;

/** A store over `values`, or over `below`, with one fault. */
const plant = (fault: Plant) => (): Store => {
  const below = memoryStore();
  return { ...below, ...fault(below, new Map()) };
};

async function whole(value: Value): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  for await (const piece of value) pieces.push(new Uint8Array(piece));
  return Buffer.concat(pieces);
}

async function* piecesOf(...pieces: readonly Uint8Array[]): AsyncGenerator<Uint8Array, void, undefined> {
  yield* pieces;
}

/** `get`, `list` and `delete` over these values. */
const over = (values: Map<string, Buffer[]>) => ({
  get: async (key: string) => {
    const pieces = values.get(key);
    return pieces && piecesOf(...pieces);
  },
  list: (prefix: string) => keysOf([...values.keys()].filter((key) => key.startsWith(prefix))),
  delete: async (key: string) => void values.delete(key),
});

async function* keysOf(keys: readonly string[]): AsyncGenerator<string, void, undefined> {
  yield* keys;
}

async function listed(store: Store, prefix: string): Promise<string[]> {
  const keys: string[] = [];
  for await (const key of store.list(prefix)) keys.push(key);
  return keys;
}

/** Calls one after the other, as with a pool of one connection. */
function lock() {
  let last: Promise<unknown> = Promise.resolve();
  return <T>(call: () => Promise<T>): Promise<T> => {
    const result = last.then(call);
    last = result.catch(() => {});
    return result;
  };
}

const FAULTS: readonly (readonly [fault: string, found: RegExp, fault: Plant])[] = [
  [
    "says that it stored every value",
    /a key keeps its first value\. putIfAbsent returned true/,
    (below) => ({ putIfAbsent: async (key, value) => (await below.putIfAbsent(key, value)) || true }),
  ],
  [
    "replaces values and says that it did not",
    /a key keeps its first value\. get returned 5 bytes/,
    (below) => ({
      putIfAbsent: async (key, value) => {
        const isNew = (await below.get(key)) === undefined;
        const pieces = await whole(value);
        await below.delete(key);
        await below.putIfAbsent(key, piecesOf(pieces));
        return isNew;
      },
    }),
  ],
  [
    "looks for the key before it reads the value, and not again",
    /a key keeps its first value\. putIfAbsent returned true 20 times/,
    (_, values) => ({
      ...over(values),
      putIfAbsent: async (key, value) => {
        if (values.has(key)) return false;
        values.set(key, [await whole(value)]);
        return true;
      },
    }),
  ],
  [
    "lists a key before its value has ended",
    /nobody sees a value before its end.* list had its key/,
    (below) => {
      const taken = new Set<string>();
      return {
        putIfAbsent: async (key, value) => {
          taken.add(key);
          return below.putIfAbsent(key, value).finally(() => taken.delete(key));
        },
        async *list(prefix) {
          const keys = [...(await listed(below, prefix)), ...taken];
          yield* new Set(keys.filter((key) => key.startsWith(prefix)));
        },
      };
    },
  ],
  [
    "stores pieces as they come",
    /get returned a value before its value had ended/,
    (_, values) => ({
      ...over(values),
      putIfAbsent: async (key, value) => {
        if (values.has(key)) return false;
        const pieces: Buffer[] = [];
        values.set(key, pieces);
        for await (const piece of value) pieces.push(Buffer.from(piece));
        return true;
      },
    }),
  ],
  [
    "stores what it has got of a value that throws",
    /a value that throws stores nothing.*putIfAbsent returned\./,
    (below) => ({
      putIfAbsent: (key, value) => {
        const some = async function* () {
          try {
            yield* value;
          } catch {}
        };
        return below.putIfAbsent(key, some());
      },
    }),
  ],
  [
    "keeps the buffers of its caller",
    /comes back as it was put/,
    (_, values) => ({
      ...over(values),
      putIfAbsent: async (key, value) => {
        const pieces: Buffer[] = [];
        for await (const piece of value)
          pieces.push(Buffer.from(piece.buffer, piece.byteOffset, piece.length));
        if (values.has(key)) return false;
        values.set(key, pieces);
        return true;
      },
    }),
  ],
  [
    "keeps text",
    /a key keeps its first value\. get returned .* and not the 1000 bytes/,
    (below) => ({
      putIfAbsent: async (key, value) =>
        below.putIfAbsent(key, piecesOf(Buffer.from((await whole(value)).toString("utf8")))),
    }),
  ],
  [
    "cuts large values",
    /comes back as it was put/,
    (below) => ({
      putIfAbsent: async (key, value) =>
        below.putIfAbsent(key, piecesOf((await whole(value)).subarray(0, 8_000_000))),
    }),
  ],
  [
    "cuts long keys",
    /list returns the keys.*putIfAbsent returned false/,
    (below) => ({
      putIfAbsent: (key, value) => below.putIfAbsent(key.slice(0, 199), value),
      get: (key) => below.get(key.slice(0, 199)),
    }),
  ],
  [
    "lists with LIKE, for which _ is any character",
    /list returns the keys that start with a prefix/,
    (below) => ({
      async *list(prefix) {
        const pattern = prefix.replace(/[.*+?^${}()|[\]\\]/g, "\\$&").replace(/_/g, ".");
        for await (const key of below.list("")) if (new RegExp(`^${pattern}`).test(key)) yield key;
      },
    }),
  ],
  [
    "lists a folder only",
    /list returns the keys that start with a prefix/,
    (below) => ({
      async *list(prefix) {
        for await (const key of below.list(prefix)) if (!key.slice(prefix.length).includes("/")) yield key;
      },
    }),
  ],
  [
    "lists a thousand keys",
    /list returns the keys.*had 1000 keys/,
    (below) => ({
      async *list(prefix) {
        yield* (await listed(below, prefix)).slice(0, 1000);
      },
    }),
  ],
  [
    "lists a key of two pages twice",
    /list returns the keys.*had 1111 keys/,
    (below) => ({
      async *list(prefix) {
        const keys = await listed(below, prefix);
        yield* keys;
        if (keys.length > 1000) yield* keys.slice(999, 1000);
      },
    }),
  ],
  [
    "cannot delete what is not there",
    /The store failed when this rule was checked: delete deletes one value/,
    (below) => ({
      delete: async (key) => {
        if ((await below.get(key)) === undefined) throw new Error("NoSuchKey");
        await below.delete(key);
      },
    }),
  ],
  [
    "deletes all keys with a prefix",
    /delete deletes one value/,
    (below) => ({
      delete: async (key) => {
        for (const found of await listed(below, key)) await below.delete(found);
      },
    }),
  ],
  [
    "marks deleted keys",
    /its key can be put again\. putIfAbsent returned false/,
    (below) => {
      const deleted = new Set<string>();
      return {
        putIfAbsent: async (key, value) => !deleted.has(key) && (await below.putIfAbsent(key, value)),
        delete: async (key) => {
          deleted.add(key);
          await below.delete(key);
        },
      };
    },
  ],
  [
    "ends a value that is deleted while it is read",
    /A reader got a part/,
    (below) => ({
      get: async (key) => {
        const value = await below.get(key);
        const bytes = value && (await whole(value));
        if (bytes === undefined) return undefined;
        return (async function* () {
          for (let at = 0; at < bytes.length; at += 1_000_000) {
            if ((await below.get(key)) !== undefined) yield bytes.subarray(at, at + 1_000_000);
          }
        })();
      },
    }),
  ],
  [
    "holds its connection while a value is put",
    /did not answer for 3 seconds when this rule was checked: (nobody sees|a value that throws)/,
    (below) => {
      const queue = lock();
      return {
        putIfAbsent: (key, value) => queue(() => below.putIfAbsent(key, value)),
        get: (key) => queue(() => below.get(key)),
      };
    },
  ],
  [
    "holds its connection while a value is read",
    /did not answer for 3 seconds when this rule was checked: a value that is read slowly/,
    (below) => {
      const queue = lock();
      return {
        get: async (key) => {
          const value = await below.get(key);
          return (
            value &&
            (async function* () {
              let end = () => {};
              const ended = new Promise<void>((resolve) => {
                end = resolve;
              });
              await new Promise<void>((begin) => {
                void queue(async () => {
                  begin();
                  await ended;
                });
              });
              try {
                yield* value;
              } finally {
                end();
              }
            })()
          );
        },
      };
    },
  ],
];

test.each(FAULTS)("finds a store that %s", async (_, found, fault) => {
  await expect(checkStore(plant(fault), 3000)).rejects.toThrow(found);
});

test("finds nothing wrong with a store in memory, which it leaves as it was", async () => {
  const store = memoryStore();
  await store.putIfAbsent("other", piecesOf(Buffer.from("value")));
  await checkStore(() => store, 60_000);
  expect(await listed(store, "")).toEqual(["other"]);
});
