import { createServer } from "node:net";
import { inspect } from "node:util";
import {
  AuthenticationError,
  BatchAlreadyInProgressError,
  ConfigurationError,
  InvalidInputError,
  type Logger,
  PermissionDeniedError,
  RateLimitError,
  SyncClient,
  TestClock,
  TimeoutError,
  TransportError,
} from "@saas-management/sdk/sync";
import { describe, expect, it } from "vitest";
import { accounts, until, useScriptedServer } from "../support/sync-harness.js";

const harness = useScriptedServer();
const START = { installationId: "installation-1" };
const LOST = { code: 14, details: "connection dropped" };

describe("starting a batch", () => {
  it("needs an installation id", async () => {
    await expect(harness.client().startBatch({ installationId: "" })).rejects.toBeInstanceOf(
      InvalidInputError,
    );
    expect(harness.server.calls).toEqual([]);
  });

  it("says what it takes where it is called with an id alone", async () => {
    const client = harness.client();
    const started: Promise<unknown> = Reflect.apply(client.startBatch, client, ["installation-1"]);
    await expect(started).rejects.toMatchObject({
      code: "INVALID_INPUT",
      message: 'The options must be an object, as in startBatch({ installationId: "…" }), got a string.',
    });
    expect(harness.server.calls).toEqual([]);
  });

  it.each([
    ["ALREADY_EXISTS", 6],
    ["FAILED_PRECONDITION", 9],
    ["ABORTED", 10],
  ])("that is refused with %s means that another batch holds the lock", async (_, code) => {
    harness.server.scripts.StartSyncBatch.push({ code, details: "locked" });
    const error = await harness
      .client()
      .startBatch(START)
      .catch((e: unknown) => e);
    expect(error).toBeInstanceOf(BatchAlreadyInProgressError);
    expect(error).toMatchObject({ ...START, serverMessage: "locked", attempts: 1 });
  });

  it("says that the lock may be its own where the answer to an earlier attempt was lost", async () => {
    harness.server.scripts.StartSyncBatch.push(LOST, { code: 6, details: "locked" });
    await expect(harness.client().startBatch(START)).rejects.toThrow(/may be this client's own/);
  });

  it("is answered at once when the caller aborts, and a batch that still starts is aborted", async () => {
    let answer = () => {};
    harness.server.beforeStart = () =>
      new Promise((resolve) => {
        answer = resolve;
      });
    const stop = new AbortController();
    const starting = harness.client().startBatch({ ...START, signal: stop.signal });
    await until(() => harness.server.calls.includes("StartSyncBatch"));
    const reason = { my: "reason" };
    stop.abort(reason);
    await expect(starting).rejects.toBe(reason);
    expect(harness.server.calls).not.toContain("AbortSyncBatch");
    answer();
    await until(() => harness.server.calls.includes("AbortSyncBatch"));
  });

  it("is answered when its time is up, and close waits until the batch is aborted", async () => {
    const clock = new TestClock({ startAt: 0 });
    let answer = () => {};
    harness.server.beforeStart = () =>
      new Promise((resolve) => {
        answer = resolve;
      });
    const client = harness.client({ clock, timeoutMs: 5000 });
    const starting = client.startBatch(START);
    await until(() => harness.server.calls.includes("StartSyncBatch"));
    clock.advance(5000);
    await expect(starting).rejects.toBeInstanceOf(TimeoutError);
    const closing = client.close();
    answer();
    await closing;
    expect(harness.server.calls).toContain("AbortSyncBatch");
    expect(clock.sleeping).toBe(0);
  });

  it("may have a time of its own, which ends neither the client's other calls nor its writes", async () => {
    const clock = new TestClock({ startAt: 0 });
    const client = harness.client({ clock, timeoutMs: 60_000 });
    let answer = () => {};
    harness.server.beforeStart = () =>
      new Promise((resolve) => {
        answer = resolve;
      });
    const starting = client.startBatch({ ...START, timeoutMs: 5000 });
    await until(() => harness.server.calls.includes("StartSyncBatch"));
    clock.advance(5000);
    await expect(starting).rejects.toMatchObject({ code: "TIMEOUT", timeoutMs: 5000 });
    answer();
    harness.server.beforeStart = async () => {};

    const batch = await client.startBatch({ ...START, timeoutMs: 5000 });
    harness.server.beforeAnswer = async () => clock.advance(6000);
    await batch.write("accounts", accounts(1));
    await batch.complete();
    expect(batch.state).toBe("completed");
  });

  // The first are more than a server of grpc-js can count, the others are more than gRPC has a header for.
  it.each([2 ** 31 - 1, 2 ** 31, 2 ** 53, Number.MAX_VALUE])("takes a time of %d ms", async (timeoutMs) => {
    const client = harness.client({ timeoutMs, retry: false });
    // A deadline that overflowed is a timer without a time, set earlier than this one.
    harness.server.beforeAnswer = () => new Promise((resolve) => setTimeout(resolve));
    const batch = await client.startBatch({ ...START, timeoutMs });
    await expect(batch.write("groups", [{ generic: { id: "g1", name: "Admins" } }])).resolves.toMatchObject({
      accepted: 1,
    });
    await expect(batch.complete()).resolves.toBeDefined();
  });

  it.each([0, -1, Number.NaN, Number.POSITIVE_INFINITY])("refuses a time of %d", async (timeoutMs) => {
    await expect(harness.client().startBatch({ ...START, timeoutMs })).rejects.toThrow(
      /timeoutMs must be a positive, finite number/,
    );
    expect(harness.server.calls).toEqual([]);
  });

  it("leaves no listener on the caller's signal", async () => {
    const stop = new AbortController();
    let listeners = 0;
    const { addEventListener, removeEventListener } = stop.signal;
    stop.signal.addEventListener = (...args: Parameters<typeof addEventListener>) => {
      listeners += 1;
      addEventListener.apply(stop.signal, args);
    };
    stop.signal.removeEventListener = (...args: Parameters<typeof removeEventListener>) => {
      listeners -= 1;
      removeEventListener.apply(stop.signal, args);
    };
    const batch = await harness.client().startBatch({ ...START, signal: stop.signal });
    await batch.write("accounts", accounts(3), { signal: stop.signal });
    expect(listeners).toBe(0);
  });
});

describe("the credential", () => {
  it("is sent as ApiKey metadata, with the default headers and the user agent", async () => {
    const batch = await harness.startBatch({
      headers: { "x-tenant": "t1" },
      appInfo: { name: "my-connector", version: "2.0" },
    });
    await batch.write("accounts", []);
    const metadata = harness.server.streams[0]?.metadata;
    expect(metadata?.get("authorization")).toEqual(["ApiKey key-1"]);
    expect(metadata?.get("x-tenant")).toEqual(["t1"]);
    expect(String(metadata?.get("user-agent"))).toMatch(/^my-connector\/2\.0 saas-management-sdk\/0\.1\.0 /);
  });

  it("may be a function, which is asked once per attempt", async () => {
    harness.server.scripts.SyncRecords.push(LOST);
    let asked = 0;
    const batch = await harness.startBatch({ apiKey: async () => `key-${++asked}` });
    await batch.write("accounts", []);
    expect(harness.server.streams.map((s) => s.metadata.get("authorization")[0])).toEqual([
      "ApiKey key-2",
      "ApiKey key-3",
    ]);
  });

  it("may be the whole value, from the platform", async () => {
    const client = new SyncClient({ endpoint: harness.server.endpoint, authorization: () => "Bearer token" });
    const batch = await client.startBatch(START);
    await batch.write("accounts", []);
    expect(harness.server.streams[0]?.metadata.get("authorization")).toEqual(["Bearer token"]);
    await client.close();
  });

  it.each<[string, () => string | Promise<string>]>([
    ["is empty", () => ""],
    ["has a line break", () => "key\n"],
    ["cannot be had", () => Promise.reject(new Error("vault is sealed"))],
  ])("that %s is an authentication error, and nothing is sent", async (_, apiKey) => {
    const error = await harness
      .client({ apiKey })
      .startBatch(START)
      .catch((e: unknown) => e);
    expect(error).toBeInstanceOf(AuthenticationError);
    expect(error).toMatchObject({ attempts: 1, retryable: false });
    expect(harness.server.calls).toEqual([]);
  });

  it.each(["Bearer canary-0815", "bearer  canary-0815", "ApiKey canary-0815"])(
    "that is an API key with a prefix is an authentication error that tells to leave it out: %s",
    async (apiKey) => {
      for (const given of [apiKey, async () => apiKey]) {
        const error = await harness
          .client({ apiKey: given })
          .startBatch(START)
          .catch((e: unknown) => e);
        expect(error).toBeInstanceOf(AuthenticationError);
        expect(String(error)).toMatch(/apiKey begins with (Bearer|ApiKey): give the key alone/);
        expect(inspect(error, { showHidden: true })).not.toContain("canary");
      }
      expect(harness.server.calls).toEqual([]);
    },
  );

  it.each([
    ["UNAUTHENTICATED", 16, AuthenticationError],
    ["PERMISSION_DENIED", 7, PermissionDeniedError],
  ])("that the service refuses with %s is not tried again", async (_, code, errorClass) => {
    harness.server.scripts.StartSyncBatch.push({ code, details: "no" });
    const error = await harness
      .client()
      .startBatch(START)
      .catch((e: unknown) => e);
    expect(error).toBeInstanceOf(errorClass);
    expect(harness.server.calls).toHaveLength(1);
  });

  it("never shows: not in a message, JSON, inspection or a log, not even when the server echoes it", async () => {
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
});

function thrownBy(make: () => unknown): unknown {
  try {
    return make();
  } catch (error) {
    return error;
  }
}

describe("the options", () => {
  it.each<[string, object, RegExp]>([
    ["an endpoint that is not absolute", { endpoint: "sync.example.com" }, /absolute URL/],
    ["plaintext to another machine", { endpoint: "http://sync.example.com" }, /https:\/\/.*loopback only/],
    [
      "an address that only looks like loopback",
      { endpoint: "http://127.0.0.1.example.com" },
      /loopback only/,
    ],
    ["a path", { endpoint: "https://sync.example.com/v1" }, /must not have a path/],
    ["user info in what is no address", { endpoint: "https://user:hunter2@:x" }, /absolute URL/],
    ["user info", { endpoint: "https://user:hunter2@sync.example.com" }, /user info/],
    ["a query", { endpoint: "https://sync.example.com?a=1" }, /query/],
    ["another scheme", { endpoint: "grpc://sync.example.com" }, /https:\/\//],
    ["no credential", { apiKey: undefined }, /No credential/],
    ["two credentials", { authorization: () => "x" }, /exactly one/],
    ["a timeout of zero", { timeoutMs: 0 }, /timeoutMs must be a positive, finite number/],
    ["an infinite timeout", { timeoutMs: Number.POSITIVE_INFINITY }, /timeoutMs/],
    ["negative retries", { retry: { retries: -1 } }, /retries/],
    ["a message size of 16 MiB", { maxSendMessageBytes: 16 * 1024 * 1024 }, /smaller than 16 MiB/],
    ["half a client certificate", { tls: { cert: "x" } }, /tls\.cert and tls\.key/],
    ["the authorization among the headers", { headers: { Authorization: "x" } }, /authorization/],
    ["a header whose name gRPC cannot send", { headers: { "x tenant": "a" } }, /headers: a name/],
    ["a header whose name is gRPC's own", { headers: { "grpc-timeout": "1S" } }, /headers: a name/],
    ["a header of binary metadata", { headers: { "x-bin": "a" } }, /headers: a name/],
    ["a header whose value gRPC cannot send", { headers: { "x-a": "hunter2\n" } }, /value of x-a/],
    ["a user agent with a line break", { appInfo: { name: "a\nb" } }, /appInfo/],
  ])("refuse %s", (_, wrong, message) => {
    const make = () => new SyncClient({ endpoint: "https://sync.example.com", apiKey: "k", ...wrong });
    expect(make).toThrow(ConfigurationError);
    expect(make).toThrow(message);
    expect(inspect(thrownBy(make), { depth: 9 })).not.toContain("hunter2");
  });

  it.each([
    "https://sync.example.com",
    "https://sync.example.com/",
    "HTTPS://SYNC.example.com:8443",
    "http://[::1]:5000",
    "http://localhost:1",
    "http://127.1.2.3:1",
  ])("take the endpoint %s", (endpoint) => {
    expect(() => new SyncClient({ endpoint, apiKey: "k" })).not.toThrow();
  });
});

describe("a failing service", () => {
  it("is asked again until the retries are used up, and the error says how often", async () => {
    harness.server.scripts.StartSyncBatch.push(LOST, LOST, LOST);
    const error = await harness
      .client()
      .startBatch(START)
      .catch((e: unknown) => e);
    expect(error).toBeInstanceOf(TransportError);
    expect(error).toMatchObject({ attempts: 3, grpcStatus: "UNAVAILABLE", retryable: true });
  });

  it.each([{ retry: false as const }, { retry: { retries: 0 } }])(
    "is not asked again with %j",
    async (options) => {
      harness.server.scripts.StartSyncBatch.push(LOST);
      await expect(harness.client(options).startBatch(START)).rejects.toMatchObject({ attempts: 1 });
      expect(harness.server.calls).toHaveLength(1);
    },
  );

  it("that asks for fewer requests is a rate limit, but a message that is too large is not", async () => {
    const tooMany = { code: 8, details: "quota exceeded" };
    harness.server.scripts.StartSyncBatch.push(tooMany, tooMany, tooMany);
    await expect(harness.client().startBatch(START)).rejects.toBeInstanceOf(RateLimitError);
    harness.server.scripts.SyncRecords.push({
      code: 8,
      details: "Received message larger than max (5 vs 4)",
    });
    const batch = await harness.startBatch();
    await expect(batch.write("accounts", [])).rejects.toMatchObject({ code: "SYNC_PROTOCOL", attempts: 1 });
  });

  it("that answers nothing ends in a timeout", async () => {
    harness.server.scripts.SyncRecords.push("never");
    const clock = new TestClock({ startAt: 0 });
    const batch = await harness.startBatch({ clock, timeoutMs: 3000 });
    const write = batch.write("accounts", accounts(1));
    await until(() => harness.server.streams[0]?.messages.length === 1);
    clock.advance(3000);
    const error = await write.catch((e: unknown) => e);
    expect(error).toBeInstanceOf(TimeoutError);
    expect(error).toMatchObject({
      timeoutMs: 3000,
      message: expect.stringContaining("SyncRecords of accounts"),
    });
    expect(batch.writes[0]?.ranges).toEqual([{ outcome: "unknown", firstIndex: 0, records: 1 }]);
  });

  it("that nobody listens for is named with its address and what to do", async () => {
    const server = createServer().listen(0, "127.0.0.1");
    await new Promise((resolve) => server.once("listening", resolve));
    const address = server.address();
    if (address === null || typeof address === "string") throw new Error("no port");
    await new Promise((resolve) => server.close(resolve));
    const client = harness.client({ endpoint: `http://127.0.0.1:${address.port}`, retry: false });
    await expect(client.startBatch(START)).rejects.toThrow(
      new RegExp(
        `StartSyncBatch: no connection to 127\\.0\\.0\\.1:${address.port}: the connection was refused\\. Check`,
      ),
    );
  });
});
