import type { Store } from "@saas-management/sdk";
import { TestClock } from "@saas-management/sdk/testing";
import { expect, test } from "vitest";
import { memoryStore } from "../../src/runs/ledger/store.js";
import { checkStore } from "../../src/testing/test-store.js";
import { driven } from "../support/promises.js";

const clock = new TestClock({ startAt: new Date(0) });

type Value = AsyncIterable<Uint8Array>;
type Plant = (below: Store, values: Map<string, Buffer[]>) => Partial<Store>;

/** A store with one fault, which can use the store `below` it or keep its own `values`. */
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

/** `get`, `list` and `delete` on these values, and a `putIfAbsent` that stores what `take` returns. */
const over = (
  values: Map<string, Buffer[]>,
  take: (value: Value, key: string) => Promise<Buffer[] | undefined>,
): Store => ({
  get: async (key) => {
    const pieces = values.get(key);
    return pieces && piecesOf(...pieces);
  },
  list: (prefix) => keysOf([...values.keys()].filter((key) => key.startsWith(prefix))),
  delete: async (key) => void values.delete(key),
  putIfAbsent: async (key, value) => {
    const pieces = await take(value, key);
    if (pieces !== undefined) values.set(key, pieces);
    return pieces !== undefined;
  },
});

/** A store that changes values before it puts them. */
const puts =
  (change: (value: Value) => Value): Plant =>
  (below) => ({
    putIfAbsent: (key, value) => below.putIfAbsent(key, change(value)),
  });

/** A store that lists the wrong keys. */
const lists =
  (change: (keys: readonly string[], prefix: string) => Iterable<string>, from?: ""): Plant =>
  (below) => ({
    async *list(prefix) {
      yield* change(await listed(below, from ?? prefix), prefix);
    },
  });

async function* keysOf(keys: readonly string[]): AsyncGenerator<string, void, undefined> {
  yield* keys;
}

async function listed(store: Store, prefix: string): Promise<string[]> {
  const keys: string[] = [];
  for await (const key of store.list(prefix)) keys.push(key);
  return keys;
}

/** Runs calls one at a time, like a pool with one connection. */
function lock() {
  let last: Promise<unknown> = Promise.resolve();
  return <T>(call: () => Promise<T>): Promise<T> => {
    const result = last.then(call);
    last = result.catch(() => {});
    return result;
  };
}

type Fault = readonly [fault: string, found: RegExp, plant: Plant];

const OF_VALUES: readonly Fault[] = [
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
    (_, values) => over(values, async (value, key) => (values.has(key) ? undefined : [await whole(value)])),
  ],
  [
    "stores pieces as they come",
    /get returned a value before its value had ended/,
    (_, values) =>
      over(values, async (value, key) => {
        if (values.has(key)) return undefined;
        const pieces: Buffer[] = [];
        values.set(key, pieces);
        for await (const piece of value) pieces.push(Buffer.from(piece));
        return pieces;
      }),
  ],
  [
    "keeps the buffers of its caller",
    /comes back as it was put/,
    (_, values) =>
      over(values, async (value, key) => {
        const pieces: Buffer[] = [];
        for await (const { buffer, byteOffset, length } of value)
          pieces.push(Buffer.from(buffer, byteOffset, length));
        if (values.has(key)) return undefined;
        values.set(key, pieces);
        return pieces;
      }),
  ],
  [
    "stores what it has got of a value that throws",
    /if a value throws, nothing is stored.*putIfAbsent returned\./,
    puts(async function* (value) {
      try {
        yield* value;
      } catch {}
    }),
  ],
  [
    "ends a value that is deleted while it is read",
    /A reader got only part/,
    (below) => ({
      get: async (key) => {
        const value = await below.get(key);
        const bytes = value && (await whole(value));
        if (bytes === undefined) return undefined;
        return (async function* () {
          for (let at = 0; at < bytes.length; at += 1_000_000)
            if ((await below.get(key)) !== undefined) yield bytes.subarray(at, at + 1_000_000);
        })();
      },
    }),
  ],
];

const OF_KEYS: readonly Fault[] = [
  [
    "lists a key before its value has ended",
    /no call sees an incomplete value.* list had its key/,
    (below) => {
      const taken = new Set<string>();
      return {
        putIfAbsent: async (key, value) => {
          taken.add(key);
          return below.putIfAbsent(key, value).finally(() => taken.delete(key));
        },
        ...lists((keys, prefix) => new Set([...keys, ...taken].filter((key) => key.startsWith(prefix))))(
          below,
          new Map(),
        ),
      };
    },
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
    lists((keys, prefix) => {
      const pattern = prefix.replace(/[.*+?^${}()|[\]\\]/g, "\\$&").replace(/_/g, ".");
      return keys.filter((key) => new RegExp(`^${pattern}`).test(key));
    }, ""),
  ],
  ["lists a thousand keys", /list returns the keys.*had 1000 keys/, lists((keys) => keys.slice(0, 1000))],
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
];

const OF_CONNECTIONS: readonly Fault[] = [
  [
    "holds its connection while a value is put",
    /did not answer for 3 seconds when this rule was checked: (no call sees|if a value throws)/,
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
      async function* held(value: Value) {
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
      }
      return {
        get: async (key) => {
          const value = await below.get(key);
          return value && held(value);
        },
      };
    },
  ],
];

test.each([...OF_VALUES, ...OF_KEYS, ...OF_CONNECTIONS])("finds a store that %s", async (_, found, fault) => {
  await expect(driven(clock, checkStore(plant(fault), 3000, clock))).rejects.toThrow(found);
});

test("finds nothing wrong with an in-memory store, and leaves it unchanged", async () => {
  const store = memoryStore();
  await store.putIfAbsent("other", piecesOf(Buffer.from("value")));
  await checkStore(() => store, 60_000);
  expect(await listed(store, "")).toEqual(["other"]);
});
