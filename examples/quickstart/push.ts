/** Pushes the collections of one source as one run, and shows beforehand what such a run would do. */
import {
  type CollectionName,
  formatPreview,
  type Ledger,
  previewSync,
  type RecordSource,
  type RecordTypes,
  type RunFunction,
  type SnapshotCollection,
  type SyncClient,
  type SyncReceipt,
} from "@saas-management/sdk";
import { count } from "./print.js";
import { startProgress } from "./progress.js";

/** What a source has, by collection. */
export type Collections = { readonly [C in CollectionName]?: RecordSource<RecordTypes[C]> };

/** Where records come from, and where they go. */
export interface Source {
  readonly name: string;
  readonly installationId: string;
  /** The snapshot collections that it has: what a completed run does not bring again is marked removed. */
  readonly snapshots: readonly SnapshotCollection[];
  /** Reads everything from the beginning: a run that is started anew asks again. */
  collections(): Collections;
}

/** Writes every collection in full; whatever fails aborts the run, and a list that is far too short is held. */
export async function push(sync: SyncClient, source: Source, ledger: Ledger): Promise<SyncReceipt> {
  const progress = startProgress(source.name);
  const { installationId, snapshots } = source;
  try {
    const receipt = await sync.run(
      {
        installationId,
        snapshots,
        ledger,
        onProgress: (event) => {
          if (event.type === "window-accepted") progress.update(event.collection, event.accepted);
        },
      },
      writing(source),
    );
    const written = Object.entries(receipt.collections).map(
      ([collection, { accepted }]) => `${collection} ${count(accepted)}`,
    );
    progress.end(written.join(", "));
    return receipt;
  } catch (error) {
    progress.end("failed: the error says why");
    throw error;
  }
}

/** Prints what a push would do: the same function, without the service. */
export async function preview(endpoint: string, source: Source, ledger: Ledger): Promise<void> {
  const { installationId, snapshots } = source;
  const previewed = await previewSync({ endpoint, installationId, snapshots, ledger }, writing(source));
  console.log(formatPreview(previewed).replace(/^/gm, "    "));
}

/** The function of a run. */
function writing(source: Source): RunFunction<SnapshotCollection> {
  return async (batch) => {
    const { employees, accounts, plans, licenses, groups, groupMembers, devices, usage } =
      source.collections();
    if (employees !== undefined) await batch.write("employees", employees);
    if (accounts !== undefined) await batch.write("accounts", accounts);
    if (plans !== undefined) await batch.write("plans", plans);
    if (licenses !== undefined) await batch.write("licenses", licenses);
    if (groups !== undefined) await batch.write("groups", groups);
    if (groupMembers !== undefined) await batch.write("groupMembers", groupMembers);
    if (devices !== undefined) await batch.write("devices", devices);
    if (usage !== undefined) await batch.write("usage", usage);
  };
}
