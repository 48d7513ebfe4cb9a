import type { CollectionName } from "@saas-management/sdk/sync";
import { recordsOf } from "./scripted-sync-server.js";
import type { SyncHarness } from "./sync-harness.js";

/** Writes records that the types do not know, and gives what arrived of them. */
export async function sentRecords(
  harness: SyncHarness,
  collection: CollectionName,
  records: readonly unknown[],
): Promise<unknown[]> {
  const batch = await harness.startBatch();
  // The records are wrong on purpose, or chosen at run time: the types cannot follow.
  await Reflect.apply(batch.write, batch, [collection, records]);
  return harness.server.streams.flatMap((stream) => stream.messages).flatMap(recordsOf);
}
