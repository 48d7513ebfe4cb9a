import type { ServerOptions } from "node:https";
import { SaasManagementClient, TransportError } from "@saas-management/sdk";
import { describe, expect, it, onTestFinished } from "vitest";
import { startAnsweringServer } from "../support/answering-server.js";
import { everythingIn } from "../support/http-client.js";
import { json, startHttpServer } from "../support/http-server.js";
import { startBareServer } from "../support/tls-bare-server.js";
import { certificate, identity } from "../support/tls-certificates.js";
import { startTlsGraphQLServer } from "../support/tls-graphql-server.js";

const KEY = "canary-key-6f1d";
const QUERY = "query Q { a }";
const START = { installationId: "installation-1" };

/** What a client of both APIs says to servers with this identity, and how many of its requests they saw. */
async function refusals(options: ServerOptions) {
  const graphql = await startTlsGraphQLServer(options);
  const sync = await startBareServer(options);
  const client = new SaasManagementClient({
    baseUrl: `https://localhost:${graphql.port}`,
    syncUrl: `https://localhost:${sync.port}`,
    apiKey: KEY,
    tls: { ca: certificate("authority") },
  });
  onTestFinished(() => client.close());
  const calls = [client.graphql.request(QUERY), client.sync.startBatch(START)];
  const errors = await Promise.all(calls.map((call) => call.catch((reason: unknown) => reason)));
  return { errors, requests: graphql.peers.length + sync.calls.length };
}

describe("both APIs refuse, without a second attempt and before the key is sent, a server", () => {
  it.each<[string, ServerOptions, RegExp]>([
    ["whose certificate has expired", identity("expired"), /not valid|expired/],
    ["whose certificate is for another host", identity("named"), /host name/],
    ["whose certificate signs itself", identity("self-signed"), /not trusted|not signed by an authority/],
    [
      "that speaks TLS 1.1 only",
      { ...identity("server"), minVersion: "TLSv1.1", maxVersion: "TLSv1.1", ciphers: "DEFAULT@SECLEVEL=0" },
      /./,
    ],
  ])("%s", async (_, options, message) => {
    const { errors, requests } = await refusals(options);
    expect(requests).toBe(0);
    for (const error of errors) {
      expect(error).toBeInstanceOf(TransportError);
      expect(error).toMatchObject({ message: expect.stringMatching(message) });
    }
  });
});

describe("an endpoint without encryption", () => {
  it.each([
    "http://api.example.com",
    "http://localhost.example.com",
    "http://localhost.",
    "http://127.0.0.1.nip.io",
    "http://localhost@evil.example",
    "http://127.0.0.1:80@evil.example",
    "http://[::1]@evil.example",
    "http://[::ffff:127.0.0.1]",
    "http://[fe80::1]",
    "http://2130706434.example",
    "http://0x7f.1.example",
    "http://0",
    "http://\u24db\u24de\u24d2\u24d0\u24db.example",
    "http://127.0.0.1.example.com",
    "http://0.0.0.0",
    "http://[::ffff:7f00:1]",
    "http://[::2]",
    "http://128.0.0.1",
    "http://10.0.0.1",
    "ftp://127.0.0.1",
    "ws://127.0.0.1",
    "unix:///tmp/socket",
    "//127.0.0.1",
    "https://user:password@api.example.com",
  ])("such as %s is refused before anything is sent", (url) => {
    for (const name of ["baseUrl", "syncUrl"]) {
      expect(() => new SaasManagementClient({ apiKey: KEY, [name]: url })).toThrow(
        expect.objectContaining({ code: "INVALID_CONFIGURATION" }),
      );
    }
  });
});

it.each([
  "http://2130706433",
  "http://0x7f.1",
  "http://127.1",
  "http://LOCALHOST",
  "http://[0:0:0:0:0:0:0:1]",
])("an endpoint without encryption may be this machine under another spelling, such as %s", async (url) => {
  for (const name of ["baseUrl", "syncUrl"]) {
    await using client = new SaasManagementClient({ apiKey: KEY, [name]: url });
    expect(client).toBeDefined();
  }
});

describe("a proxy on another machine", () => {
  it.each(["http://proxy.example.com:3128", "https://proxy.example.com", "http://10.0.0.1:3128"])(
    "such as %s gets nothing of an endpoint without encryption",
    (proxy) => {
      for (const name of ["baseUrl", "syncUrl"]) {
        const make = () => new SaasManagementClient({ apiKey: KEY, [name]: "http://127.0.0.1:8080", proxy });
        expect(make).toThrow(expect.objectContaining({ code: "INVALID_CONFIGURATION" }));
        expect(make).toThrow(/which would get the API key unencrypted/);
      }
    },
  );
});

it.each([301, 302, 303, 307, 308])("HTTP %i from the Sync API is not followed", async (status) => {
  const elsewhere = await startBareServer();
  const server = await startBareServer();
  server.answer = (stream) =>
    stream.respond(
      { ":status": status, location: `http://127.0.0.1:${elsewhere.port}/` },
      { endStream: true },
    );
  await using client = new SaasManagementClient({ syncUrl: `http://127.0.0.1:${server.port}`, apiKey: KEY });
  await expect(client.sync.startBatch(START)).rejects.toMatchObject({ code: "TRANSPORT_FAILED", status });
  expect([server.calls.length, elsewhere.accepted()]).toEqual([1, 0]);
});

describe("what a server says", () => {
  const FORGED = "\r\n2026-01-01 INFO forged line\u001b[2J\u202e";

  it("over GraphQL cannot begin a line of the message, nor name a code that is none", async () => {
    const errors = [{ message: FORGED, extensions: { code: `A${FORGED}` } }];
    const server = await startHttpServer((_, response) => json(response, { errors, data: { a: 1 } }));
    await using client = new SaasManagementClient({ baseUrl: server.baseUrl, apiKey: KEY });
    const error = await client.graphql.request(QUERY).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: "GRAPHQL_ERRORS", serverMessage: FORGED });
    expect(JSON.stringify(error)).not.toContain("forged");
    expect(String(error)).not.toContain("forged");
  });

  it("holds no part of a credential that has several, nor one that was cut off", async () => {
    const errors = [{ message: `token ${KEY} and Bearer ${KEY}`, extensions: { [KEY]: [KEY] } }];
    const type = `text/x-${"x".repeat(185)}${KEY}`;
    const server = await startHttpServer((_, response, index) => {
      if (index === 0) json(response, { errors });
      else response.writeHead(200, { "content-type": type }).end();
    });
    const authorization = () => `Bearer ${KEY}`;
    await using client = new SaasManagementClient({ baseUrl: server.baseUrl, authorization });
    const first = await client.graphql.request(QUERY).catch((reason: unknown) => reason);
    expect(first).toMatchObject({ serverMessage: "token [redacted] and [redacted]" });
    expect(everythingIn(first)).not.toContain(KEY);
    const second = await client.graphql.request(QUERY).catch((reason: unknown) => reason);
    expect(second).toMatchObject({ code: "TRANSPORT_FAILED", contentType: expect.stringMatching(/^text/) });
    expect(everythingIn(second)).not.toContain(KEY.slice(0, 8));
  });

  it("over gRPC cannot either, nor through its trailers", async () => {
    const server = await startAnsweringServer();
    onTestFinished(() => server.close());
    server.answers = {
      StartSyncBatch: { status: 3, details: `%0D%0AINFO forged line ${KEY}`, state: `completed ${KEY}` },
    };
    await using client = new SaasManagementClient({ syncUrl: server.endpoint, apiKey: KEY });
    const error = await client.sync.startBatch(START).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: "SYNC_PROTOCOL", batchState: undefined });
    expect(String(error)).not.toContain("forged");
    expect(everythingIn(error)).not.toContain(KEY);
  });
});
