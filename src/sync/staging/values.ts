/** Keys and small values of a staging. */
import { text } from "node:stream/consumers";
import type { Store } from "../ledger/store.js";

/** Lists the keys that begin with this. */
export async function listKeys(store: Store, prefix: string): Promise<readonly string[]> {
  const keys: string[] = [];
  for await (const key of store.list(prefix)) if (key.startsWith(prefix)) keys.push(key);
  return keys;
}

/** Whether a key has a value. */
export async function exists(store: Store, key: string): Promise<boolean> {
  return (await listKeys(store, key)).includes(key);
}

/** Puts a small value. Returns false if the key has one. */
export async function putJson(store: Store, key: string, value: unknown): Promise<boolean> {
  return store.putIfAbsent(
    key,
    (async function* () {
      yield Buffer.from(`${JSON.stringify(value)}\n`);
    })(),
  );
}

/** Reads a small value: null if it is damaged, undefined if there is none. */
export async function readJson(store: Store, key: string): Promise<unknown> {
  const value = await store.get(key);
  if (value === undefined) return undefined;
  const json = await text(value);
  try {
    return JSON.parse(json);
  } catch {
    return null;
  }
}
