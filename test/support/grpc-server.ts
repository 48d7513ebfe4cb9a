import {
  type ReferenceServer,
  type ReferenceServerOptions,
  startReferenceServer,
  TestClock,
} from "@saas-management/sdk/reference-server";
import { onTestFinished } from "vitest";
import { PlainClient } from "./grpc-client.js";

/** A reference server whose clock stands still, and a plain client with the server's own key. */
export interface SyncFixture {
  readonly server: ReferenceServer;
  readonly client: PlainClient;
  readonly installationId: string;
  /** Another client, with its own connection. */
  connect(key?: string): PlainClient;
}

/** Runs until the test is finished. */
export async function startSync(options: ReferenceServerOptions = {}): Promise<SyncFixture> {
  const clock = new TestClock({ startAt: Date.UTC(2026, 5, 1) });
  const server = await startReferenceServer({ clock, ...options });
  onTestFinished(() => server.close());
  const connect = (key = server.apiKey): PlainClient => new PlainClient(server.syncUrl, `ApiKey ${key}`);
  return { server, client: connect(), installationId: server.installationId, connect };
}
