/**
 * Where a ledger keeps its values: a database, an object store with conditional writes, or another store that all
 * processes of a connector share. `testStore` of `@saas-management/sdk/testing` checks these rules.
 *
 * Keys consist of parts of `[a-z0-9._-]` separated by slashes, up to 200 characters; no key is also a folder of others.
 * Values are streams of pieces of any size. They may be empty, and never change. Pieces may share a
 * buffer: copy what you keep. If a method throws, the run fails: nothing is completed, and nothing counts as damaged.
 * Throw an error with `retryable: true` if the store may be available again later; the `disposition` of the run's error
 * is then `retry-after`. A call, and each piece of a value, may take as long as the client's `timeoutMs`.
 */
export interface Store {
  /**
   * Stores a value, unless the key already has one. Atomic: if several calls use the same key, exactly one returns
   * true, and readers never see part of a value. Durable: once it has returned, the value survives a crash, and `get`
   * and `list` find it in every process. If the value throws, store nothing and reject.
   *
   * A run puts several values at once, and a value may come from the same store, so don't hold a lock during the call.
   * @returns whether this call stored its value
   */
  putIfAbsent(key: string, value: AsyncIterable<Uint8Array>): Promise<boolean>;
  /**
   * Returns the value of a key, undefined if it has none. If a value is deleted during a read, the read returns all of
   * it or throws.
   */
  get(key: string): Promise<AsyncIterable<Uint8Array> | undefined>;
  /**
   * Lists the keys that start with `prefix`, in any order. Keys that are added or deleted during the call may or
   * may not be listed.
   */
  list(prefix: string): AsyncIterable<string>;
  /** Deletes a key and its value, if they exist. */
  delete(key: string): Promise<void>;
}

/** A store that lives as long as the process, for tests. */
export function memoryStore(): Store {
  const values = new Map<string, readonly Uint8Array[]>();
  return {
    putIfAbsent: async (key, value) => {
      const pieces: Uint8Array[] = [];
      // A copy, because a piece may be a small part of a buffer that is reused later.
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
