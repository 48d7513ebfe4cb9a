import type { ServerOptions } from "node:https";
import { SaasManagementClient } from "@saas-management/sdk";
import { expect, onTestFinished, test } from "vitest";
import { everythingIn } from "../support/http-client.js";
import { json, startHttpServer, startTlsServer } from "../support/http-server.js";
import { startSyncServer } from "../support/sync-server.js";
import { certificate, identity } from "../support/tls-certificates.js";

const KEY = "canary-key-6f1d";
const QUERY = "query Q { a }";
const START = { installationId: "installation-1" };

/** Calls both APIs on servers with this identity. Returns the errors, and how many requests the servers saw. */
async function refusals(options: ServerOptions) {
  const graphql = await startTlsServer(options);
  const sync = await startSyncServer(options);
  const client = new SaasManagementClient({
    baseUrl: `https://localhost:${graphql.port}`,
    syncUrl: `https://localhost:${sync.port}`,
    apiKey: KEY,
    tls: { ca: certificate("authority") },
  });
  onTestFinished(() => client.close());
  const calls = [client.graphql.request(QUERY, {}), client.sync.startBatch(START)];
  const errors = await Promise.all(calls.map((call) => call.catch((reason: unknown) => reason)));
  return { errors, requests: graphql.requests.length + sync.headers.length };
}

test.each<[string, ServerOptions]>([
  ["whose certificate has expired", identity("expired")],
  ["whose certificate is for another host", identity("named")],
  ["whose certificate is self-signed", identity("self-signed")],
  [
    "that speaks TLS 1.1 only",
    { ...identity("server"), minVersion: "TLSv1.1", maxVersion: "TLSv1.1", ciphers: "DEFAULT@SECLEVEL=0" },
  ],
])("both APIs refuse a server %s before the key is sent, and don't retry", async (_, options) => {
  const { errors, requests } = await refusals(options);
  expect(requests).toBe(0);
  for (const error of errors) {
    expect(error).toMatchObject({ code: "TRANSPORT_FAILED", attempts: 1 });
  }
});

test.each([
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
  "https://api.example.com/?key=canary",
])("the unencrypted endpoint %s is refused before anything is sent", (url) => {
  for (const name of ["baseUrl", "syncUrl"]) {
    expect(() => new SaasManagementClient({ apiKey: KEY, [name]: url })).toThrow(
      expect.objectContaining({ code: "INVALID_CONFIGURATION" }),
    );
  }
});

test.each([
  "http://2130706433",
  "http://0x7f.1",
  "http://127.1",
  "http://LOCALHOST",
  "http://[0:0:0:0:0:0:0:1]",
])("the unencrypted endpoint %s is allowed because it is loopback", async (url) => {
  for (const name of ["baseUrl", "syncUrl"]) {
    await using client = new SaasManagementClient({ apiKey: KEY, [name]: url });
    expect(client).toBeDefined();
  }
});

test.each(["http://proxy.example.com:3128", "https://proxy.example.com", "http://10.0.0.1:3128"])(
  "the proxy %s on another machine receives nothing for an unencrypted endpoint",
  (proxy) => {
    for (const name of ["baseUrl", "syncUrl"]) {
      const make = () => new SaasManagementClient({ apiKey: KEY, [name]: "http://127.0.0.1:8080", proxy });
      expect(make).toThrow(expect.objectContaining({ code: "INVALID_CONFIGURATION" }));
    }
  },
);

test.each([301, 302, 303, 307, 308])(
  "a redirect of the Sync API is not followed (HTTP %i)",
  async (status) => {
    const elsewhere = await startSyncServer();
    const server = await startSyncServer();
    server.answer = (stream) =>
      stream.respond(
        { ":status": status, location: `http://127.0.0.1:${elsewhere.port}/` },
        { endStream: true },
      );
    await using client = new SaasManagementClient({
      syncUrl: `http://127.0.0.1:${server.port}`,
      apiKey: KEY,
    });
    await expect(client.sync.startBatch(START)).rejects.toMatchObject({ code: "TRANSPORT_FAILED", status });
    expect([server.headers.length, elsewhere.accepted()]).toEqual([1, 0]);
  },
);

test("errors show no part of a credential, even a truncated one", async () => {
  const errors = [{ message: `token ${KEY} and Bearer ${KEY}`, extensions: { [KEY]: [KEY] } }];
  const type = `text/x-${"x".repeat(185)}${KEY}`;
  const server = await startHttpServer((_, response, index) => {
    if (index === 0) json(response, { errors });
    else response.writeHead(200, { "content-type": type }).end();
  });
  const authorization = () => `Bearer ${KEY}`;
  await using client = new SaasManagementClient({ baseUrl: server.baseUrl, authorization });
  const first = await client.graphql.request(QUERY, {}).catch((reason: unknown) => reason);
  expect(first).toMatchObject({ serverMessage: "token [redacted] and [redacted]" });
  expect(everythingIn(first)).not.toContain(KEY);
  const second = await client.graphql.request(QUERY, {}).catch((reason: unknown) => reason);
  expect(second).toMatchObject({ code: "TRANSPORT_FAILED", contentType: expect.stringMatching(/^text/) });
  expect(everythingIn(second)).not.toContain(KEY.slice(0, 8));
});
