/** Pushes the collections of one source as one batch. */
import type {
  CollectionName,
  CompletionCounts,
  RecordSource,
  RecordTypes,
  SyncClient,
} from "@saas-management/sdk";
import { count } from "./print.js";
import { startProgress } from "./progress.js";

/** What a source has, by collection. */
export type Collections = { readonly [C in CollectionName]?: RecordSource<RecordTypes[C]> };

/** Starts a batch, writes every collection in full, and completes it; whatever fails aborts it. */
export async function push(
  sync: SyncClient,
  source: { readonly name: string; readonly installationId: string; readonly collections: Collections },
): Promise<CompletionCounts> {
  const progress = startProgress(source.name);
  const batch = await sync.startBatch({ installationId: source.installationId });
  const written: string[] = [];
  const write = async <C extends CollectionName>(
    collection: C,
    records: RecordSource<RecordTypes[C]> | undefined,
  ) => {
    if (records === undefined) return;
    const { accepted } = await batch.write(collection, records, {
      onProgress: (event) => {
        if (event.type === "window-accepted") progress.update(event.collection, event.accepted);
      },
    });
    written.push(`${collection} ${count(accepted)}`);
  };
  try {
    const { employees, accounts, plans, licenses, groups, groupMembers, devices, usage } = source.collections;
    await write("employees", employees);
    await write("accounts", accounts);
    await write("plans", plans);
    await write("licenses", licenses);
    await write("groups", groups);
    await write("groupMembers", groupMembers);
    await write("devices", devices);
    await write("usage", usage);
    const counts = await batch.complete();
    progress.end(written.join(", "));
    return counts;
  } catch (error) {
    // Completing a batch that was sent in part would mark everything that it lacks as removed.
    await batch.abort();
    progress.end("failed: the batch was aborted, nothing was removed");
    throw error;
  }
}
