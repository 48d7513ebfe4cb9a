import type { Lines } from "./entry.js";
import type { Store } from "./store.js";

/**
 * Puts the value of a new key.
 * @param onBegun Called when the store begins to read it.
 * @throws the store failed, did not read all of it, or has a value already
 */
export async function putWhole(store: Store, key: string, value: Lines, onBegun = () => {}): Promise<void> {
  let isWhole = false;
  const whole = async function* () {
    onBegun();
    yield* value;
    isWhole = true;
  };
  const isNew: unknown = await store.putIfAbsent(key, whole());
  if (isNew !== true) throw new Error(`The store has a value for ${key} already.`);
  if (!isWhole) throw new Error(`The store has not read the whole value of ${key}.`);
}

export async function deleteAll(store: Store, entries: readonly { readonly key: string }[]): Promise<void> {
  for (const { key } of entries) await store.delete(key);
}
