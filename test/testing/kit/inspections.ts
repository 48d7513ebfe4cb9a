import type { Collection, RecordOf } from "@saas-management/sdk";
import type { Inspection } from "@saas-management/sdk/testing";
import { inspect } from "../../../src/reference-server/sync/inspect.js";
import { Installation } from "../../../src/reference-server/sync/state.js";
import { Workspace } from "../../../src/reference-server/workspace.js";

type Row<C extends Collection> = readonly [id: string, record: RecordOf<C>, removed?: "removed"];
type Rows = { readonly [C in Collection]?: readonly Row<C>[] };

/** The inspection of an empty server, with the collections of the current contract. */
const { snapshots: NONE } = inspect(new Installation(new Workspace("Test", {}), "Test"), 0);

/** What a server holds, set by hand. */
export function holding({ accounts = [], usage = [], externallyDiscoveredUsage = [] }: Rows): Inspection {
  const snapshots = {
    ...NONE,
    accounts: accounts.map(rowOf),
    usage: usage.map(rowOf),
    externallyDiscoveredUsage: externallyDiscoveredUsage.map(rowOf),
  };
  return { snapshots, lock: null, batches: [] };
}

function rowOf<R>([id, record, removed]: readonly [string, R, "removed"?]) {
  return { id, record, removed: removed === "removed" };
}
