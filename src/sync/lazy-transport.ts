import { Lazy } from "../lazy.js";
import type { SyncTransport } from "./transport.js";

/** A transport that is made, and whose library is loaded, with the first call. */
export function lazyTransport(make: () => Promise<SyncTransport>): SyncTransport {
  const transport = new Lazy(make);
  return {
    startBatch: async (...args) => (await transport.load()).startBatch(...args),
    syncRecords: async (...args) => (await transport.load()).syncRecords(...args),
    completeBatch: async (...args) => (await transport.load()).completeBatch(...args),
    abortBatch: async (...args) => (await transport.load()).abortBatch(...args),
    close: () => {
      // One that is still loading is closed as soon as it is there.
      transport.started?.then(
        (open) => open.close(),
        () => {},
      );
    },
  };
}
