import { inspect } from "node:util";
import { GraphQLClient, type GraphQLOptions } from "@saas-management/sdk/graphql";
import { TestClock } from "@saas-management/sdk/testing";
import { onTestFinished } from "vitest";
import { type HttpServer, type Responder, startHttpServer } from "./http-server.js";
import { until } from "./promises.js";

export { rejection, until } from "./promises.js";

/** An API key that must appear only in the header. */
export const API_KEY = "canary-key-6f1d";

/** A client and a server; closed after the test. */
export interface ClientSetup {
  readonly client: GraphQLClient;
  readonly server: HttpServer;
  /** The frozen clock of the client. */
  readonly clock: TestClock;
}

export async function connectClient(
  respond: Responder,
  options: Partial<GraphQLOptions> = {},
): Promise<ClientSetup> {
  const server = await startHttpServer(respond);
  const clock = new TestClock({ startAt: new Date(Date.UTC(2026, 0, 15)) });
  const credential = options.authorization === undefined ? { apiKey: API_KEY } : {};
  const client = new GraphQLClient({ baseUrl: server.baseUrl, clock, ...credential, ...options });
  onTestFinished(() => client.close());
  return { client, server, clock };
}

/** Waits until a request pauses before its next attempt, and advances the clock. */
export async function passPause(clock: TestClock): Promise<void> {
  const DEADLINE_AND_PAUSE = 2;
  await until(() => clock.sleeping >= DEADLINE_AND_PAUSE);
  clock.advance(10_000);
}

/** Everything that a log could show of an error, including hidden properties. */
export function everythingIn(error: unknown): string {
  if (!(error instanceof Error)) return inspect(error);
  const own = Object.getOwnPropertyNames(error).map((name) => Reflect.get(error, name));
  return [
    String(error),
    JSON.stringify(error),
    inspect(error),
    inspect(own, { depth: 20, showHidden: true }),
  ].join("\n");
}
