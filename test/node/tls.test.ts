import {
  type ClientOptions,
  ConfigurationError,
  SaasManagementClient,
  TransportError,
} from "@saas-management/sdk";
import { expect, onTestFinished, test, vi } from "vitest";
import type { TlsOptions } from "../../src/core/endpoint.js";
import { json, startHttpServer, startTlsServer } from "../support/http-server.js";
import { accounts } from "../support/records.js";
import { startTestService } from "../support/test-service.js";
import { certificate, identity } from "../support/tls-certificates.js";

const QUERY = "query Probe { __typename }";
const authority = certificate("authority");

function connect(options: ClientOptions): SaasManagementClient {
  const client = new SaasManagementClient({ apiKey: "key-1", retry: false, ...options });
  onTestFinished(() => client.close());
  return client;
}

function probe(port: number, tls: TlsOptions, host = "localhost"): Promise<unknown> {
  return connect({ baseUrl: `https://${host}:${port}`, tls }).graphql.request(QUERY, {});
}

test("tls.ca trusts a private authority for both APIs", async () => {
  const { server } = await startTestService({ server: { tls: identity("server") } });
  const { baseUrl, syncUrl, apiKey, installationId } = server;
  const client = connect({ baseUrl, syncUrl, apiKey, tls: { ca: authority } });
  const batch = await client.sync.startBatch({ installationId });
  await batch.write("accounts", accounts(1));
  await batch.complete();
  expect(await client.graphql.licenses().totalCount()).toBe(0);
  expect(server.inspect(installationId).snapshots.accounts).toHaveLength(1);
});

test("a server whose certificate isn't from tls.ca is refused", async () => {
  const { port, requests } = await startTlsServer(identity("server"));
  for (const tls of [{ ca: certificate("stranger") }, {}])
    await expect(probe(port, tls)).rejects.toMatchObject({ retryable: false });
  expect(requests).toEqual([]);
});

test("tls.cert and tls.key present a client certificate", async () => {
  const mutual = { ...identity("server"), requestCert: true, ca: authority };
  const { port, requests } = await startTlsServer(mutual);
  await probe(port, { ca: authority, ...identity("client") });
  expect(requests.map(({ peer }) => peer)).toEqual([{ serverName: "localhost", client: "connector" }]);
  await expect(probe(port, { ca: authority })).rejects.toBeInstanceOf(TransportError);
  expect(requests).toHaveLength(1);
});

test("the certificate must have the name tls.serverName, which is sent unless it is an address", async () => {
  const named = await startTlsServer(identity("named"));
  const tls = { ca: authority, serverName: "sync.example.test" };
  await probe(named.port, tls);
  await probe(named.port, tls, "127.0.0.1");
  expect(named.requests.map(({ peer }) => peer?.serverName)).toEqual([tls.serverName, tls.serverName]);
  await expect(probe(named.port, { ca: authority })).rejects.toMatchObject({ retryable: false });

  const byAddress = { ca: authority, serverName: "127.0.0.1" };
  const server = await startTlsServer(identity("server"));
  await probe(server.port, byAddress);
  await expect(probe(named.port, byAddress)).rejects.toMatchObject({ retryable: false });
});

test("timeoutMs may exceed the five minutes of undici", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  const minutes = (count: number) => count * 60_000;
  const { port } = await startHttpServer(async (_, response) => {
    await vi.advanceTimersByTimeAsync(minutes(10));
    json(response, { data: {} });
  }, identity("server"));
  const baseUrl = `https://localhost:${port}`;
  const client = connect({ baseUrl, tls: { ca: authority }, timeoutMs: minutes(11) });
  expect(await client.graphql.request(QUERY, {})).toEqual({});
});

test("tls accepts PEM as bytes", async () => {
  const { port } = await startTlsServer(identity("server"));
  expect(await probe(port, { ca: Buffer.from(authority) })).toEqual({});
});

test.each<[string, TlsOptions]>([
  ["ca", { ca: "secret-canary" }],
  ["key", { ...identity("client"), key: "secret-canary" }],
  ["key of another certificate", { ...identity("client"), key: identity("server").key }],
])("an invalid %s is a configuration error that quotes nothing", (_, tls) => {
  let error: unknown;
  try {
    connect({ baseUrl: "https://localhost:1", tls });
  } catch (thrown) {
    error = thrown;
  }
  if (!(error instanceof ConfigurationError)) throw error;
  expect(error.message).not.toContain("canary");
  expect(error).not.toHaveProperty("cause");
});
