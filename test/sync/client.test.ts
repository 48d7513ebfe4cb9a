import { inspect } from "node:util";
import {
  AuthenticationError,
  ConfigurationError,
  type Logger,
  PermissionDeniedError,
  RateLimitError,
} from "@saas-management/sdk";
import { expect, test } from "vitest";
import { createSyncClient } from "../../src/runs/engine.js";
import { START, syncClient } from "../support/sync-client.js";
import { useScriptedServer } from "../support/sync-harness.js";

const harness = useScriptedServer();

test("sends the key as ApiKey metadata, with the default headers and the user agent", async () => {
  const batch = await harness.startBatch({
    headers: { "x-tenant": "t1" },
    appInfo: { name: "my-connector", version: "2.0" },
  });
  await batch.write("accounts", []);
  expect(harness.server.streams[0]?.headers).toMatchObject({
    authorization: "ApiKey key-1",
    "x-tenant": "t1",
    "user-agent": expect.stringMatching(/^my-connector\/2\.0 saas-management-sdk\/0\.1\.0 /),
  });
});

test("sends the whole value that the authorization option returns", async () => {
  const client = syncClient(harness.server.endpoint, {
    apiKey: undefined,
    authorization: () => "Bearer token",
  });
  const batch = await client.startBatch(START);
  await batch.write("accounts", []);
  expect(harness.server.streams[0]?.headers).toMatchObject({ authorization: "Bearer token" });
});

test.each([
  ["UNAUTHENTICATED", 16, AuthenticationError],
  ["PERMISSION_DENIED", 7, PermissionDeniedError],
])("does not retry a start that is refused with %s", async (_, code, errorClass) => {
  harness.server.scripts.StartSyncBatch.push({ code, details: "no" });
  await expect(harness.startBatch()).rejects.toBeInstanceOf(errorClass);
  expect(harness.server.calls).toHaveLength(1);
});

test("never shows the key in a message, JSON, inspection or a log, even if the server echoes it", async () => {
  const secret = "sk-canary-0815";
  const logged: unknown[] = [];
  const log = (...args: unknown[]) => void logged.push(args);
  const logger: Logger = { debug: log, info: log, warn: log, error: log };
  harness.server.scripts.StartSyncBatch.push(
    { code: 14, details: `try again, ${secret}` },
    { code: 16, details: `bad key ApiKey ${secret}` },
  );
  const client = harness.client({ apiKey: secret, logger });
  const error = await client.startBatch(START).catch((e: unknown) => e);
  const batch = await client.startBatch(START);
  for (const value of [error, client, batch, logged]) {
    expect(inspect(value, { depth: 9, showHidden: true })).not.toContain(secret);
    expect(JSON.stringify(value)).not.toContain(secret);
    expect(String(value)).not.toContain(secret);
  }
  expect(error).toMatchObject({ serverMessage: "bad key ApiKey [redacted]" });
  expect(logged.length).toBeGreaterThan(0);
});

test.each<[string, object, string]>([
  ["plaintext to another machine", { endpoint: "http://sync.example.com" }, "loopback"],
  ["a path", { endpoint: "https://sync.example.com/v1" }, "path"],
  ["user info", { endpoint: "https://user:hunter2@sync.example.com" }, "syncUrl"],
  ["a message size of 16 MiB", { maxSendMessageBytes: 16 * 1024 * 1024 }, "maxSendMessageBytes"],
  ["a size that is not whole", { windowBytes: 1.5 }, "windowBytes"],
  ["flushAfterMs as long as the lease", { flushAfterMs: 900_000 }, "flushAfterMs"],
  ["half a client certificate", { tls: { cert: "x" } }, "tls.cert"],
  ["a proxy with TLS", { proxy: "https://proxy.example.com" }, "proxy"],
  ["a proxy to an IPv6 address", { endpoint: "https://[2001:db8::1]", proxy: "http://localhost:1" }, "proxy"],
  ["a header name that gRPC cannot send", { headers: { "x tenant": "a" } }, "headers"],
  ["a header name of gRPC itself", { headers: { "grpc-timeout": "1S" } }, "headers"],
  ["a header of binary metadata", { headers: { "x-bin": "a" } }, "headers"],
  ["a header value that gRPC cannot send", { headers: { "x-a": "hunter2\n" } }, "x-a"],
])("refuses %s and names the option", (_, wrong, named) => {
  const make = () => createSyncClient({ endpoint: "https://sync.example.com", apiKey: "k", ...wrong });
  expect(make).toThrow(ConfigurationError);
  expect(make).toThrow(named);
  expect(make).toThrow(expect.objectContaining({ message: expect.not.stringContaining("hunter2") }));
});

test("distinguishes a rate limit from a message that is too large, although they share a status", async () => {
  const tooMany = { code: 8, details: "quota exceeded" };
  harness.server.scripts.StartSyncBatch.push(tooMany, tooMany, tooMany);
  await expect(harness.startBatch()).rejects.toBeInstanceOf(RateLimitError);
  harness.server.scripts.SyncRecords.push({ code: 8, details: "Received message larger than max (5 vs 4)" });
  const batch = await harness.startBatch();
  await expect(batch.write("accounts", [])).rejects.toMatchObject({ code: "SYNC_PROTOCOL", attempts: 1 });
});
