import type { Store } from "@saas-management/sdk";

/** A call of a store: its method, and the last part of its key, such as `ids`. */
export interface StoreCall {
  readonly method: keyof Store;
  readonly key: string;
}

/** Handles a call; `go` passes it on to the underlying store. */
type Proceed = <T>(call: StoreCall, go: () => Promise<T>) => Promise<T>;

/**
 * A store whose calls can be watched, delayed or failed. Calls of the journal and calls that only check whether the
 * store is writable go straight to the underlying store.
 */
export function watchedStore(below: Store, around: Proceed): Store {
  const call = <T>(method: keyof Store, key: string, go: () => Promise<T>) =>
    /\/(journal\.|probe-)/.test(key) ? go() : around({ method, key }, go);
  return {
    putIfAbsent: (key, value) => call("putIfAbsent", key, () => below.putIfAbsent(key, value)),
    get: (key) => call("get", key, () => below.get(key)),
    async *list(prefix) {
      yield* await call("list", prefix, async () => {
        const keys: string[] = [];
        for await (const key of below.list(prefix)) keys.push(key);
        return keys;
      });
    },
    delete: (key) => call("delete", key, () => below.delete(key)),
  };
}

/** A store in which some calls fail. */
export function failingStore(below: Store, fails: (call: StoreCall) => boolean, error: Error): Store {
  return watchedStore(below, async (call, go) => {
    if (fails(call)) throw error;
    return go();
  });
}

/** Whether a call puts an entry of this kind: the ids of a snapshot, the state after a run, or a list of removals. */
export const isPutOf =
  (kind: "ids" | "state" | "removals.txt") =>
  ({ method, key }: StoreCall): boolean =>
    method === "putIfAbsent" && (kind === "state" ? isState(key) : key.endsWith(kind));

/** Whether a key is that of a ledger's state. */
export function isState(key: string): boolean {
  return /\/state\.\d+$/.test(key);
}
