import type { SnapshotCollection } from "../../../sync/collections.js";
import type { Connector } from "../../../sync/run/connector.js";
import { enterVirtualTime } from "../time/context.js";
import { KitBatch } from "./batch.js";
import type { Passage } from "./passage.js";

/** The connector as the SDK runs it in a case: its code runs in its own time, and its records can be struck. */
export function kitConnector<S extends SnapshotCollection>(
  connector: Connector<S>,
  openPassage: () => Passage,
): Connector<S> {
  return {
    snapshots: connector.snapshots,
    run: (batch, context) => {
      const passage = openPassage();
      const kitBatch = new KitBatch(batch, passage);
      return passage.activity.during("running", async () => {
        const result = await enterVirtualTime(passage.time, () => connector.run(kitBatch, context));
        kitBatch.throwFailure();
        return result;
      });
    },
  };
}
