import { createServer as createHttpServer } from "node:http";
import type { SecureServerOptions } from "node:http2";
import { createServer as createHttpsServer } from "node:https";
import { Metadata } from "@grpc/grpc-js";
import { TransportError } from "@saas-management/sdk";
import { expect, onTestFinished, test, vi } from "vitest";
import type { TlsOptions } from "../../src/core/endpoint.js";
import { NETWORK_ERRORS, type NetworkErrorCode } from "../../src/core/network-errors.js";
import { connectionFailure } from "../../src/sync/grpc/status.js";
import type { SyncClientOptions } from "../../src/sync/options.js";
import { startConnectProxy } from "../support/http-server.js";
import { observedHooks } from "../support/observed.js";
import { quickRetries, START, syncClient } from "../support/sync-client.js";
import { useScriptedServer } from "../support/sync-harness.js";
import { startSyncServer } from "../support/sync-server.js";
import { listen, listenTcp, unusedPort } from "../support/tcp-peers.js";
import { certificate, identity } from "../support/tls-certificates.js";

const TRUSTING: TlsOptions = { ca: certificate("authority") };
const MUTUAL = { ...identity("server"), requestCert: true, ca: certificate("authority") };
const API_KEY = "sk-canary-4711";

/** The error of a start. */
async function failure(endpoint: string, options: Partial<SyncClientOptions> = {}): Promise<TransportError> {
  const client = syncClient(endpoint, { apiKey: API_KEY, ...options });
  const error = await client.startBatch(START).catch((e: unknown) => e);
  if (error instanceof TransportError) return error;
  throw error;
}

const OVER_TLS = identity("server");
const WITH_AUTHORITY = { ...OVER_TLS, cert: OVER_TLS.cert + certificate("authority") };
const STRANGE = { ...TRUSTING, ...identity("strange-client") };
const sync = (tls?: SecureServerOptions) => () => startSyncServer(tls);
const nobody = async () => ({ port: await unusedPort() });

interface Way {
  readonly tls?: TlsOptions;
  /** @default "https://localhost" */
  readonly origin?: string;
}
const TRUSTED: Way = { tls: TRUSTING };
const UNENCRYPTED: Way = { origin: "http://localhost" };

/** What is wrong with a peer, the code in the table of network errors, the peer, and how the client calls it. */
const PEERS: readonly (readonly [string, NetworkErrorCode, () => Promise<{ port: number }>, Way])[] = [
  ["of another authority", "CERT_UNTRUSTED", sync(OVER_TLS), { tls: { ca: certificate("stranger") } }],
  ["whose certificate is of a private authority", "CERT_UNTRUSTED", sync(WITH_AUTHORITY), {}],
  ["whose certificate has expired", "CERT_EXPIRED", sync(identity("expired")), TRUSTED],
  ["whose certificate is for another host name", "CERT_HOST_NAME", sync(identity("named")), TRUSTED],
  [
    "of another address",
    "CERT_HOST_NAME",
    sync(identity("named")),
    { ...TRUSTED, origin: "https://127.0.0.1" },
  ],
  ["that requires a client certificate, by TLS 1.3", "CLIENT_CERT_REFUSED", sync(MUTUAL), TRUSTED],
  ["asking for a certificate, TLS 1.2", "TLS_REFUSED", sync({ ...MUTUAL, maxVersion: "TLSv1.2" }), TRUSTED],
  ["that does not accept the client certificate", "CLOSED_AFTER_HANDSHAKE", sync(MUTUAL), { tls: STRANGE }],
  ["that uses no TLS, called with it", "NOT_TLS", sync(), TRUSTED],
  ["that uses TLS, called without", "CLOSED", sync(OVER_TLS), UNENCRYPTED],
  ["that speaks HTTP/1 over TLS", "NOT_HTTP2", () => listen(createHttpsServer(OVER_TLS)), TRUSTED],
  ["that speaks HTTP/1", "NOT_HTTP2", () => listen(createHttpServer()), UNENCRYPTED],
  ["that does not listen", "ECONNREFUSED", nobody, UNENCRYPTED],
  ["that drops TLS connections", "CLOSED_IN_HANDSHAKE", () => listenTcp((socket) => socket.end()), TRUSTED],
  // The label is too long, so no name service is queried.
  ["whose name does not exist", "ENOTFOUND", nobody, { origin: `https://${"a".repeat(64)}.invalid` }],
];

test.each(PEERS)("says why there is no connection to a server %s (%s)", async (_, code, listening, way) => {
  const { tls, origin = "https://localhost" } = way;
  expectReason(await failure(`${origin}:${(await listening()).port}`, { tls }), code);
});

test("says which proxy has refused or cannot be reached", async () => {
  const proxy = await startConnectProxy({ status: 407 });
  // grpc-js writes the proxy's answer to the console.
  vi.spyOn(console, "error").mockImplementation(() => {});
  onTestFinished(() => void vi.restoreAllMocks());
  for (const { port } of [proxy, await nobody()]) {
    const options = { proxy: `http://127.0.0.1:${port}` };
    expectReason(await failure("https://sync.example.test", options), "PROXY_FAILED");
  }
});

function expectReason(error: TransportError, code: NetworkErrorCode): void {
  const { description, advice, retryable } = NETWORK_ERRORS[code];
  expect(error.message).toMatch(/^StartSyncBatch: no connection to [\w.]+:\d+: /);
  expect(error.message.replace(/ \(proxy: http:\S+ of the option proxy\)/, "")).toContain(
    `: ${description}. ${advice}.`,
  );
  expect(error).toMatchObject({
    grpcStatus: "UNAVAILABLE",
    retryable,
    attempts: 1,
    serverMessage: undefined,
  });
  expect(error.message).not.toMatch(/OpenSSL|error:|altnames|Z\)|sk-canary/);
}

test.each<[string, NetworkErrorCode]>([
  ["Error: certificate is not yet valid", "CERT_EXPIRED"],
  ["Error: self-signed certificate; if the root CA is installed locally, try …", "CERT_UNTRUSTED"],
  ["40CD:error:0A000410:SSL routines::ssl/tls alert handshake failure:SSL alert number 40\n", "TLS_REFUSED"],
  ["40CD:error:0A000418:SSL routines::tlsv1 alert unknown ca:SSL alert number 48\n", "CLIENT_CERT_REFUSED"],
  ["Error: connect ETIMEDOUT 192.0.2.1:443", "ETIMEDOUT"],
  ["Error: connect ENETUNREACH 2001:db8::1:443", "ENETUNREACH"],
  ["Error: connect EHOSTUNREACH 192.0.2.1:443", "EHOSTUNREACH"],
  ["Error: read ECONNRESET", "ECONNRESET"],
  ["something new", "UNKNOWN"],
  ["null", "UNKNOWN"],
])("understands the last error %j of grpc-js as %s", (lastError, code) => {
  const details = `No connection established. Last error: ${lastError}. Resolution note: `;
  expect(connectionFailure(details, { secure: true, clientCertificate: false })).toBe(NETWORK_ERRORS[code]);
});

test.each(["Connection dropped", "read ECONNRESET", "Stream refused by server", ""])(
  "does not take the details %j of a running call for a failed connection",
  (details) => {
    expect(connectionFailure(details, { secure: true, clientCertificate: false })).toBeUndefined();
  },
);

test("does not retry when the server's certificate is wrong", async () => {
  const server = await startSyncServer(identity("expired"));
  const error = await failure(`https://localhost:${server.port}`, { tls: TRUSTING, retry: quickRetries(3) });
  expect(error.attempts).toBe(1);
  expect(server.accepted()).toBe(1);
});

test("connects once for each attempt", async () => {
  const peer = await listenTcp((socket) => socket.destroy());
  const error = await failure(`http://127.0.0.1:${peer.port}`, { retry: quickRetries(3) });
  expect(error.attempts).toBe(4);
  expect(peer.accepted()).toBe(4);
});

test.each([
  [401, false, "credentials and the rules of the proxies"],
  [403, false, "credentials and the rules of the proxies"],
  [404, false, "address of the Sync API"],
  [413, false, "client_max_body_size 0), or set windowBytes"],
  [429, true, "Try again later"],
  [502, true, "Try again later"],
  [503, true, "Try again later"],
])("says that something in between answered with HTTP status %i", async (status, retryable, advice) => {
  const server = await startSyncServer();
  for (const body of ["<html>Nothing here, but a text of some length.</html>", undefined]) {
    server.answer = (stream) => {
      stream.respond({ ":status": status, "content-type": "text/html" }, { endStream: body === undefined });
      if (body !== undefined) stream.end(body);
    };
    const error = await failure(`http://127.0.0.1:${server.port}`);
    expect(error).toMatchObject({ status, retryable, grpcStatus: undefined });
    expect(error.message).toContain(
      `such as a proxy, answered with HTTP status ${status} instead of the service`,
    );
    expect(error.message).toContain(advice);
  }
});

test("a gRPC status counts as the service's answer, no matter what the HTTP status is", async () => {
  const server = await startSyncServer();
  server.answer = (stream) => {
    const grpc = { "grpc-status": "16", "grpc-message": "no such key" };
    stream.respond({ ":status": 401, "content-type": "application/grpc", ...grpc }, { endStream: true });
  };
  await expect(failure(`http://127.0.0.1:${server.port}`)).rejects.toMatchObject({
    code: "AUTHENTICATION_FAILED",
    serverMessage: "no such key",
  });
});

const harness = useScriptedServer();
const UNAVAILABLE = { code: 14, details: "try later" };
const EXHAUSTED = { code: 8, details: "too many requests" };

function trailer(name: string, value: string): Metadata {
  const metadata = new Metadata();
  metadata.set(name, value);
  return metadata;
}

test.each([
  ["grpc-retry-pushback-ms", "25"],
  ["retry-after", "0.025"],
])("waits as long as the trailer %s says", async (name, value) => {
  const metadata = trailer(name, value);
  const { hooks, retries } = observedHooks();
  harness.server.scripts.StartSyncBatch.push({ ...UNAVAILABLE, metadata }, { ...EXHAUSTED, metadata });
  await harness.startBatch(hooks);
  expect(retries).toMatchObject([
    { delayMs: 25, code: "TRANSPORT_FAILED" },
    { delayMs: 25, code: "RATE_LIMITED" },
  ]);
});

test.each([
  ["grpc-retry-pushback-ms", "259200000"],
  ["retry-after", "259200"],
])("fails at once if the trailer %s exceeds the time left", async (name, value) => {
  const metadata = trailer(name, value);
  harness.server.scripts.StartSyncBatch.push({ ...UNAVAILABLE, metadata }, { ...EXHAUSTED, metadata });
  for (const code of ["TRANSPORT_FAILED", "RATE_LIMITED"])
    await expect(harness.startBatch()).rejects.toMatchObject({
      code,
      retryAfterMs: 259_200_000,
      attempts: 1,
      retryable: true,
      stoppedBecause: "retry-after-exceeds-deadline",
    });
});

test.each([
  ["grpc-retry-pushback-ms", "-1", false],
  ["grpc-retry-pushback-ms", "soon", false],
  ["grpc-retry-pushback-ms", "", false],
  ["retry-after", "soon", true],
])("reads no time from %s: %j, and retryable is %s", async (name, value, retryable) => {
  harness.server.scripts.StartSyncBatch.push({ ...UNAVAILABLE, metadata: trailer(name, value) });
  await expect(harness.startBatch({ retry: false })).rejects.toMatchObject({
    retryable,
    attempts: 1,
    retryAfterMs: undefined,
  });
});
