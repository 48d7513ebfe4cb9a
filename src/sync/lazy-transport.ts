import { Lazy } from "../lazy.js";
import type { SyncTransport } from "./transport.js";

/** A transport that is made, and whose library is loaded, with the first call. */
export function lazyTransport(make: () => Promise<SyncTransport>): SyncTransport {
  let closed = false;
  const transport = new Lazy(async () => {
    const made = await make();
    if (closed) made.close();
    return made;
  });
  return {
    startBatch: async (...args) => (await transport.load()).startBatch(...args),
    syncRecords: async (...args) => (await transport.load()).syncRecords(...args),
    completeBatch: async (...args) => (await transport.load()).completeBatch(...args),
    abortBatch: async (...args) => (await transport.load()).abortBatch(...args),
    close: () => {
      // One that is not there yet is closed as soon as it is.
      closed = true;
      transport.loaded?.close();
    },
  };
}
