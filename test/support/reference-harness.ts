import { type ReferenceServer, startReferenceServer } from "@saas-management/sdk/reference-server";
import { SyncClient, type SyncClientOptions } from "@saas-management/sdk/sync";
import { afterEach, beforeEach } from "vitest";

/** A reference server and a client of it, for each test of a file. */
export interface ReferenceHarness {
  readonly server: ReferenceServer;
  readonly client: SyncClient;
  /** Ids of the accounts that the service has and has not marked as removed, sorted. */
  present(): string[];
}

export function useReferenceServer(options: Partial<SyncClientOptions> = {}): ReferenceHarness {
  let server: ReferenceServer | undefined;
  let client: SyncClient | undefined;
  beforeEach(async () => {
    server = await startReferenceServer();
    client = new SyncClient({
      endpoint: server.syncUrl,
      apiKey: server.apiKey,
      clock: server.clock,
      retry: { retries: 1, minDelayMs: 1, maxDelayMs: 1 },
      ...options,
    });
  });
  afterEach(async () => {
    await client?.close();
    await server?.close();
  });
  const harness: ReferenceHarness = {
    get server() {
      return there(server);
    },
    get client() {
      return there(client);
    },
    present: () =>
      harness.server
        .inspect(harness.server.installationId)
        .snapshots.accounts.filter(({ removed }) => !removed)
        .map(({ id }) => id)
        .sort(),
  };
  return harness;
}

/** What a harness makes before each test. */
export function there<T>(value: T | undefined): T {
  if (value === undefined) throw new Error("it is there within a test only");
  return value;
}
