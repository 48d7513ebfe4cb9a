import type { Inspection } from "../../../reference-server/sync/inspect.js";
import type { SnapshotCollection } from "../../../sync/collections.js";
import { idPathOf } from "../faults/record-faults.js";
import { valueAt, withValueAt } from "../structure/json-path.js";

/** From so many records on, some are new today, and one of yesterday is gone. */
const ENOUGH = 4;
const NEW_EACH = 10;

/** Makes up what was completed the day before from what the clean run writes. */
export function yesterdayOf(
  { snapshots }: Inspection,
  declared: readonly SnapshotCollection[],
): Partial<Record<SnapshotCollection, readonly object[]>> {
  return Object.fromEntries(
    declared.map((collection) => {
      const today = snapshots[collection].map(({ record }) => record);
      const [first] = today;
      if (first === undefined || today.length < ENOUGH) return [collection, today];
      const id = idPathOf({ collection, records: [first] }) ?? [];
      const gone = withValueAt(first, id, `gone-${valueAt(first, id)}`);
      return [collection, [...today.filter((_, index) => index % NEW_EACH !== ENOUGH - 1), gone]];
    }),
  );
}
