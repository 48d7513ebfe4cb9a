import type { SyncTransport } from "./transport.js";

/** A transport that is made, and whose library is loaded, with the first call. */
export function lazyTransport(make: () => Promise<SyncTransport>): SyncTransport {
  let made: Promise<SyncTransport> | undefined;
  const transport = (): Promise<SyncTransport> => {
    made ??= make().catch((error: unknown) => {
      // The next call tries again.
      made = undefined;
      throw error;
    });
    return made;
  };
  return {
    startBatch: async (...args) => (await transport()).startBatch(...args),
    syncRecords: async (...args) => (await transport()).syncRecords(...args),
    completeBatch: async (...args) => (await transport()).completeBatch(...args),
    abortBatch: async (...args) => (await transport()).abortBatch(...args),
    close: () => {
      made?.then(
        (open) => open.close(),
        () => {},
      );
    },
  };
}
