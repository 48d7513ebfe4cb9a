import { Lazy } from "../core/lazy.js";
import type { CallContext, SyncTransport } from "./transport.js";

/** A transport that is made, and whose library is loaded, with the first call. */
export function lazyTransport(make: () => Promise<SyncTransport>): SyncTransport {
  let closed = false;
  const transport = new Lazy("What the Sync API needs", async () => {
    const made = await make();
    if (closed) made.close();
    return made;
  });
  /** For no longer than the call may take. */
  const load = async ({ signal, unlessSent, onUnsent }: CallContext): Promise<SyncTransport> => {
    try {
      return await transport.load(signal, unlessSent);
    } catch (error) {
      onUnsent?.();
      throw error;
    }
  };
  const ready = (call: CallContext) => transport.loaded ?? load(call);
  return {
    startBatch: async (installationId, call) => (await ready(call)).startBatch(installationId, call),
    syncRecords: async (messages, call) => (await ready(call)).syncRecords(messages, call),
    completeBatch: async (batchId, call) => (await ready(call)).completeBatch(batchId, call),
    abortBatch: async (batchId, call) => (await ready(call)).abortBatch(batchId, call),
    close: () => {
      // One that is not there yet is closed as soon as it is.
      closed = true;
      transport.loaded?.close();
    },
  };
}
