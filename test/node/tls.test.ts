import {
  ConfigurationError,
  SaasManagementClient,
  type SaasManagementClientOptions,
  type TlsOptions,
  TransportError,
} from "@saas-management/sdk";
import { startReferenceServer } from "@saas-management/sdk/reference-server";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { certificate, identity } from "../support/tls-certificates.js";
import { startTlsGraphQLServer } from "../support/tls-graphql-server.js";

const QUERY = "query Probe { __typename }";
const authority = certificate("authority");

function connect(options: SaasManagementClientOptions): SaasManagementClient {
  const client = new SaasManagementClient({ apiKey: "key-1", retry: false, ...options });
  onTestFinished(() => client.close());
  return client;
}

function probe(port: number, tls: TlsOptions, host = "localhost"): Promise<unknown> {
  return connect({ baseUrl: `https://${host}:${port}`, tls }).graphql.request(QUERY);
}

describe("tls", () => {
  it("with a private authority serves both APIs of a server that is signed by it", async () => {
    const server = await startReferenceServer({ tls: identity("server") });
    onTestFinished(() => server.close());
    const { baseUrl, syncUrl, apiKey, installationId } = server;
    const client = connect({ baseUrl, syncUrl, apiKey, tls: { ca: authority } });
    const batch = await client.sync.startBatch({ installationId });
    await batch.write("groups", [{ generic: { id: "g1", name: "Admins" } }]);
    await batch.complete();
    expect(await client.graphql.licenses().totalCount()).toBe(0);
    expect(server.inspect(installationId).snapshots.groups).toHaveLength(1);
  });

  it("is what such a server needs: without it the certificate is refused, and nobody asks again", async () => {
    const server = await startReferenceServer({ tls: identity("server") });
    onTestFinished(() => server.close());
    const { baseUrl, syncUrl, apiKey, installationId } = server;
    const client = connect({ baseUrl, syncUrl, apiKey });
    const refusals = [client.graphql.request(QUERY), client.sync.startBatch({ installationId })];
    for (const refusal of refusals) {
      const error = await refusal.catch((reason: unknown) => reason);
      expect(error).toBeInstanceOf(TransportError);
      expect(error).toMatchObject({ retryable: false, message: expect.stringContaining("as tls.ca") });
    }
  });

  it("is what it was when the client was made, whatever becomes of its object", async () => {
    const { port, peers } = await startTlsGraphQLServer(identity("server"));
    const tls = { ca: authority };
    const client = connect({ baseUrl: `https://localhost:${port}`, tls });
    tls.ca = certificate("stranger");
    await client.graphql.request(QUERY);
    expect(peers).toHaveLength(1);
  });

  it("with another authority than the server's refuses the server", async () => {
    const { port, peers } = await startTlsGraphQLServer(identity("server"));
    await expect(probe(port, { ca: certificate("stranger") })).rejects.toThrow(
      /certificate is not trusted .* as tls\.ca\.$/,
    );
    expect(peers).toEqual([]);
  });

  it("with a certificate of the client shows it to the server", async () => {
    const mutual = { ...identity("server"), requestCert: true, ca: authority };
    const { port, peers } = await startTlsGraphQLServer(mutual);
    await probe(port, { ca: authority, ...identity("client") });
    expect(peers).toEqual([{ serverName: "localhost", client: "connector" }]);
    await expect(probe(port, { ca: authority })).rejects.toBeInstanceOf(TransportError);
    expect(peers).toHaveLength(1);
  });

  it("with serverName knows a server by it, and sends it unless it is an address", async () => {
    const named = await startTlsGraphQLServer(identity("named"));
    const tls = { ca: authority, serverName: "sync.example.test" };
    await probe(named.port, tls);
    await probe(named.port, tls, "127.0.0.1");
    expect(named.peers.map((peer) => peer.serverName)).toEqual([tls.serverName, tls.serverName]);
    await expect(probe(named.port, { ca: authority })).rejects.toThrow(
      /not for this host name.*tls\.serverName/,
    );

    const byAddress = { ca: authority, serverName: "127.0.0.1" };
    const server = await startTlsGraphQLServer(identity("server"));
    await probe(server.port, byAddress);
    await expect(probe(named.port, byAddress)).rejects.toThrow(/certificate/);
  });

  it("waits as long as timeoutMs says, also above the five minutes of undici", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    const minutes = (count: number) => count * 60_000;
    const { port } = await startTlsGraphQLServer(identity("server"), () =>
      vi.advanceTimersByTimeAsync(minutes(10)),
    );
    const baseUrl = `https://localhost:${port}`;
    const client = connect({ baseUrl, tls: { ca: authority }, timeoutMs: minutes(11) });
    expect(await client.graphql.request(QUERY)).toEqual({});
  });

  it("accepts PEM as bytes", async () => {
    const { port } = await startTlsGraphQLServer(identity("server"));
    expect(await probe(port, { ca: Buffer.from(authority) })).toEqual({});
  });

  it.each<[string, TlsOptions, RegExp]>([
    ["ca that is no PEM", { ca: "secret-canary" }, /^tls\.ca holds no certificate/],
    ["key that is no PEM", { ...identity("client"), key: "secret-canary" }, /^tls\.key holds no private key/],
    [
      "key of another certificate",
      { ...identity("client"), key: identity("server").key },
      /^tls\.key is not the key/,
    ],
  ])("with a %s is a configuration error of the constructor that quotes nothing", (_, tls, message) => {
    let error: unknown;
    try {
      connect({ baseUrl: "https://localhost:1", tls });
    } catch (thrown) {
      error = thrown;
    }
    if (!(error instanceof ConfigurationError)) throw error;
    expect(error.message).toMatch(message);
    expect(error.message).not.toContain("canary");
    expect(error).not.toHaveProperty("cause");
  });
});
