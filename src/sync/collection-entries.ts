import type { CollectionName } from "./collections.js";

/** What a record by collection holds, with the names of the collections. */
export function collectionEntries<Value>(
  record: Partial<Record<CollectionName, Value>>,
): [CollectionName, Value][] {
  const names = Object.keys(record).filter((name): name is CollectionName => Object.hasOwn(record, name));
  return names.flatMap((name) => {
    const value = record[name];
    return value === undefined ? [] : [[name, value]];
  });
}
