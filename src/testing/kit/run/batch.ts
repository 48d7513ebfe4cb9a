import type { Connector, RunBatch, RunContext } from "../../../runs/connector.js";
import type { Collection, SnapshotCollection } from "../../../sync/collections.js";
import type { WriteOptions, WriteStats } from "../../../sync/write/options.js";
import { enterVirtualTime, leaveVirtualTime } from "../time/context.js";
import { recordsOf, type WatchedRecords, watchedSource } from "./records.js";

/** A batch of any collections. */
export interface AnyBatch extends Pick<RunBatch, "signal" | "stats"> {
  write(collection: Collection, source: unknown, options?: WriteOptions): Promise<WriteStats>;
  writer(collection: Collection, options?: WriteOptions): AnyWriter;
}

interface AnyWriter {
  write(records: unknown): Promise<void>;
  end(): Promise<WriteStats>;
}

/**
 * Wraps a connector so that its code runs in virtual time and a fault can change its records.
 * @param onWatermark Receives each watermark that the connector gets.
 */
export function kitConnector(
  connector: Connector<SnapshotCollection>,
  watched: WatchedRecords,
  onWatermark: (value: string) => void,
): Connector<SnapshotCollection> {
  return {
    snapshots: connector.snapshots,
    run: (batch, context) =>
      watched.activity.during("running", async () => {
        const watermark: RunContext["watermark"] = (name) => {
          const value = context.watermark(name);
          if (value !== undefined) onWatermark(value);
          return value;
        };
        const result = await enterVirtualTime(watched.time, () =>
          connector.run(watchedBatch(batch, watched), { ...context, watermark }),
        );
        watched.throwFailure();
        return result;
      }),
  };
}

/**
 * Wraps a connector's batch: the SDK's code runs outside the connector's virtual time. Records are noted before they
 * are passed on, and a fault may change them.
 */
function watchedBatch(batch: AnyBatch, watched: WatchedRecords): AnyBatch {
  const call = <T>(work: () => Promise<T>): Promise<T> => {
    const called = watched.activity.during("calls", () => leaveVirtualTime(work));
    // As in the SDK, a failed write fails the run even if the connector doesn't await it.
    called.catch(() => {});
    return called;
  };
  return {
    signal: batch.signal,
    get stats() {
      return batch.stats;
    },
    write(collection, source, options) {
      const passed = watchedSource(collection, source, watched);
      return call(() => batch.write(collection, passed, options));
    },
    writer(collection, options) {
      const writer = leaveVirtualTime(() => batch.writer(collection, options));
      let last: Promise<unknown> = Promise.resolve();
      const next = <T>(step: () => Promise<T>): Promise<T> => {
        const done = last.then(step);
        last = done.catch((error: unknown) => {
          watched.failure ??= { error };
        });
        return done;
      };
      return {
        write: (records) =>
          next(async () => {
            const passed = watched.pass(collection, recordsOf(records));
            return call(() => writer.write(passed));
          }),
        end: () =>
          next(async () => {
            await call(() => writer.write(watched.end(collection)));
            return call(() => writer.end());
          }),
      };
    },
  };
}
