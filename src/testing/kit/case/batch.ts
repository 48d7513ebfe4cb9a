import type { Collection, SnapshotCollection } from "../../../sync/collections.js";
import type { Connector, RunBatch } from "../../../sync/run/connector.js";
import type { EndOptions, WriteOptions, WriteStats } from "../../../sync/write/options.js";
import { enterVirtualTime, leaveVirtualTime } from "../time/context.js";
import type { Passage } from "./passage.js";
import { passedSource, recordsOf } from "./source.js";

/** A batch of any collections. */
export interface AnyBatch extends Pick<RunBatch, "signal" | "stats"> {
  write(collection: Collection, source: unknown, options?: WriteOptions): Promise<WriteStats>;
  writer(collection: Collection, options?: WriteOptions): AnyWriter;
}

interface AnyWriter {
  write(records: unknown): Promise<void>;
  end(options?: EndOptions): Promise<WriteStats>;
}

/** The connector as the SDK runs it in a case: its code runs in its own time, and its records can be struck. */
export function kitConnector(
  connector: Connector<SnapshotCollection>,
  passage: Passage,
): Connector<SnapshotCollection> {
  return {
    snapshots: connector.snapshots,
    run: (batch, context) =>
      passage.activity.during("running", async () => {
        const kitBatch = passedBatch(batch, passage);
        const result = await enterVirtualTime(passage.time, () => connector.run(kitBatch, context));
        passage.throwFailure();
        return result;
      }),
  };
}

/**
 * The batch that a connector gets: in the SDK, time is that of the test's clock without the connector's context; records
 * are noted and struck on their way.
 */
function passedBatch(batch: AnyBatch, passage: Passage): AnyBatch {
  const call = <T>(work: () => Promise<T>): Promise<T> => {
    const called = passage.activity.during("calls", () => leaveVirtualTime(work));
    // As in the SDK: the run fails for a write that nobody awaits.
    called.catch(() => {});
    return called;
  };
  return {
    signal: batch.signal,
    get stats() {
      return batch.stats;
    },
    write(collection, source, options) {
      const passed = passedSource(collection, source, passage);
      return call(() => batch.write(collection, passed, options));
    },
    writer(collection, options) {
      const writer = leaveVirtualTime(() => batch.writer(collection, options));
      let last: Promise<unknown> = Promise.resolve();
      const next = <T>(step: () => Promise<T>): Promise<T> => {
        const done = last.then(step);
        last = done.catch((error: unknown) => {
          passage.failure ??= { error };
        });
        return done;
      };
      return {
        write: (records) =>
          next(async () => {
            const passed = passage.pass(collection, recordsOf(records));
            return call(() => writer.write(passed));
          }),
        end: (ending) =>
          next(async () => {
            await call(() => writer.write(passage.end(collection)));
            return call(() => writer.end(ending));
          }),
      };
    },
  };
}
