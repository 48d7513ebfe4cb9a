import { writing } from "../write/load-writing.js";
import type { MutableWriteReport } from "../write/outcomes.js";
import type { WriteOptions } from "../write/write-options.js";
import type { BatchSession } from "./session.js";

/**
 * A sink for a collection that is written piece by piece.
 * @param fail Is told why, where the batch or the caller's signal ends it.
 */
export async function openedSink(
  session: BatchSession,
  { signal, onProgress }: WriteOptions,
  report: MutableWriteReport,
  fail: (error: unknown) => void,
) {
  const { RecordSink, COLLECTIONS } = writing.loaded ?? (await writing.load(session.signal, signal));
  const collection = COLLECTIONS[report.collection];
  const { context, stop, unlink } = session.openSink(collection, report, signal, onProgress);
  const sink = new RecordSink({ ...context, stop });
  const close = () => {
    sink.close();
    unlink();
  };
  const stopped = () => {
    close();
    fail(stop.signal.reason);
  };
  report.state = "writing";
  if (stop.signal.aborted) stopped();
  else stop.signal.addEventListener("abort", stopped, { once: true });
  return {
    take: async (records: unknown) => {
      stop.signal.throwIfAborted();
      await sink.take(records);
      sink.throwIssues();
    },
    finish: async () => {
      await sink.finish();
      close();
      return sink.taken;
    },
  };
}
