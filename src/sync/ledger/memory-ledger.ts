import { type Ledger, makeLedger } from "./ledger.js";
import type { Store } from "./store.js";

/** A ledger that lives as long as the process, for tests. */
export function memoryLedger(): Ledger {
  return makeLedger("memory", { store: memoryStore(), hashIds: false });
}

export function memoryStore(): Store {
  const values = new Map<string, readonly Uint8Array[]>();
  return {
    putIfAbsent: async (key, value) => {
      const pieces: Uint8Array[] = [];
      // A copy: a piece may be a small part of its buffer, which may be used again.
      for await (const piece of value) pieces.push(new Uint8Array(piece));
      if (values.has(key)) return false;
      values.set(key, pieces);
      return true;
    },
    get: async (key) => {
      const pieces = values.get(key);
      return pieces === undefined ? undefined : streamOf(pieces);
    },
    list: (prefix) => streamOf([...values.keys()].filter((key) => key.startsWith(prefix))),
    delete: async (key) => void values.delete(key),
  };
}

async function* streamOf<T>(items: readonly T[]): AsyncGenerator<T, void, undefined> {
  yield* items;
}
