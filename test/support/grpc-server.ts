import { type ReferenceServer, TestClock } from "@saas-management/sdk/testing";
import type { PlainClient } from "./grpc-client.js";
import { type ServerOptions, startTestService, type TestService, testService } from "./test-service.js";

/** A reference server whose clock stands still, and a plain client. */
export interface SyncFixture {
  readonly server: ReferenceServer;
  readonly client: PlainClient;
  readonly installationId: string;
  /** Another client, with its own connection. */
  connect(key?: string): PlainClient;
}

const startAt = new Date(Date.UTC(2026, 5, 1));

/** One server for all tests of a file; the returned function gives each test its own installation and client. */
export function syncFixture(): () => SyncFixture {
  const service = testService({ server: { clock: new TestClock({ startAt }) } });
  return () => fixtureOf(service);
}

/** A server for one test. */
export async function startSync(options: ServerOptions = {}): Promise<SyncFixture> {
  return fixtureOf(await startTestService({ server: { clock: new TestClock({ startAt }), ...options } }));
}

function fixtureOf(service: TestService): SyncFixture {
  const { server, installationId } = service;
  const connect = (key?: string) => service.plainClient(key);
  return { server, installationId, client: connect(), connect };
}
