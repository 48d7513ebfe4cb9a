import { SaasManagementClient } from "@saas-management/sdk";
import { GraphQLClient, type GraphQLOptions } from "@saas-management/sdk/graphql";
import fc from "fast-check";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { createSyncClient } from "../../src/sync/client.js";
import { holds, type Share } from "../support/fuzz.js";
import { hostileValue, hostileVariant, outcomeOf } from "../support/hostile.js";
import { TIMEOUT_MS } from "../support/property-runs.js";
import { START } from "../support/sync-client.js";
import { openSyncServer, type SyncServer } from "../support/sync-server.js";

const COMMON = {
  apiKey: "key-1",
  timeoutMs: 1000,
  retry: { retries: 0, minDelayMs: 1, maxDelayMs: 1 },
  headers: { "x-team": "a" },
  appInfo: { name: "app", version: "1" },
};
const COMMON_PATHS = [
  ...["apiKey", "authorization", "timeoutMs", "retry", "retry/retries", "retry/minDelayMs"],
  ...["retry/maxDelayMs", "headers", "headers/x-team", "headers/authorization", "headers/__proto__"],
  ...["headers/te", "headers/a b", "appInfo", "appInfo/name", "appInfo/version", "logger", "logger/debug"],
  ...["logger/error", "clock", "clock/now", "onEvent"],
];
const NETWORK_PATHS = ["tls", "tls/ca", "tls/cert", "tls/key", "tls/serverName", "proxy"];
const TUNING_PATHS = [
  ...["maxReceiveMessageBytes", "maxSendMessageBytes", "messageBytes", "windowBytes", "flushAfterMs"],
  ...["eventDelivery", "channelOptions"],
  ...[
    "grpc.keepalive_time_ms",
    "grpc.keepalive_timeout_ms",
    "grpc.service_config",
    "grpc.lb_policy_name",
    "grpc.initial_reconnect_backoff_ms",
    "grpc.default_authority",
    "grpc.default_compression_algorithm",
    "grpc.max_metadata_size",
    "grpc-node.max_session_memory",
    "grpc-node.flow_control_window",
    "grpc.enable_channelz",
    "grpc.enable_retries",
    "__proto__",
    "constructor",
  ].map((name) => `channelOptions/${name}`),
];

/** Takes what the platform's own would take, and answers. */
const answering: GraphQLOptions["fetch"] = async (url, init) => {
  await new Request(url, init).text();
  return new Response('{"data":{"a":1}}', { headers: { "content-type": "application/json" } });
};

/** JavaScript's way in: the types would not let any of this pass. */
const construct = <T>(Class: abstract new (...args: never[]) => T, options: unknown): T =>
  Reflect.construct(Class, [options]);

const share = (what: string, part: number): Share => ({
  group: "client options and environment",
  what,
  share: part,
});

let server: SyncServer;
beforeAll(async () => {
  server = await openSyncServer();
});
afterAll(() => server.close());

describe("hostile options", { timeout: TIMEOUT_MS }, () => {
  const BOTH = { ...COMMON, baseUrl: "https://127.0.0.1:9", syncUrl: "https://127.0.0.1:9", sync: {} };
  const GRAPHQL = { ...COMMON, baseUrl: "http://127.0.0.1:9", fetch: answering, maxResponseBytes: 1000 };

  test.each<[string, object, readonly string[], (options: unknown) => Promise<unknown>]>([
    [
      "a GraphQL client",
      GRAPHQL,
      [...COMMON_PATHS, "baseUrl", "fetch", "maxResponseBytes"],
      async (options) => {
        await using client = construct(GraphQLClient, options);
        expect(await client.request("query Q { a }", {})).toEqual({ a: 1 });
      },
    ],
    [
      "a client for both APIs",
      BOTH,
      [
        ...COMMON_PATHS,
        ...NETWORK_PATHS,
        ...TUNING_PATHS.map((path) => `sync/${path}`),
        ...["baseUrl", "syncUrl", "sync", "fetch"],
      ],
      (options) => construct(SaasManagementClient, options).close(),
    ],
    [
      "the network of a Sync API client",
      { ...COMMON, syncUrl: "https://127.0.0.1:9" },
      [...NETWORK_PATHS, "syncUrl"],
      (options) => construct(SaasManagementClient, options).close(),
    ],
  ])("of %s make one that works, or an SDK error", async (what, base, paths, use) => {
    const seen = { worked: 0, refused: 0 };
    const property = fc.asyncProperty(hostileVariant(base, paths), async (options) => {
      const outcome = await outcomeOf(() => use(options.open()));
      seen[outcome?.error === undefined ? "worked" : "refused"] += 1;
    });
    await holds(share(`options of ${what}`, 0.2), property);
    expect(Math.min(seen.worked, seen.refused)).toBeGreaterThan(0);
  });

  test("of a Sync API client make one that starts a batch, or an SDK error", async () => {
    const base = { ...COMMON, syncUrl: server.endpoint };
    // Not how long to wait for a connection that does not come about: a client may be told to wait for ever.
    const tuning = TUNING_PATHS.map((path) => `sync/${path}`);
    const paths = [...COMMON_PATHS, ...tuning, ...tuning, "syncUrl"].filter(
      (path) => path !== "timeoutMs" && !path.startsWith("clock/"),
    );
    const seen = { worked: 0, refused: 0 };
    const property = fc.asyncProperty(hostileVariant(base, paths), async (options) => {
      const outcome = await outcomeOf(async () => {
        await using client = construct(SaasManagementClient, options.open());
        return (await client.sync.startBatch(START)).id;
      });
      if (outcome?.error === undefined) expect(outcome?.value).toBe("batch-1");
      seen[outcome?.error === undefined ? "worked" : "refused"] += 1;
    });
    await holds(share("options of a Sync API client", 0.2), property);
    expect(Math.min(seen.worked, seen.refused)).toBeGreaterThan(0);
  });

  test("that are not an object are refused", async () => {
    const property = fc.asyncProperty(hostileValue, async (options) => {
      for (const Class of [GraphQLClient, SaasManagementClient]) {
        const outcome = await outcomeOf(() => construct<object>(Class, options.open()));
        expect(outcome?.error?.code).toBe("INVALID_CONFIGURATION");
      }
    });
    await holds(share("no options at all", 0.1), property);
  });
});

describe("a hostile environment", { timeout: TIMEOUT_MS }, () => {
  const OWN = ["SAAS_MANAGEMENT_BASE_URL", "SAAS_MANAGEMENT_SYNC_URL", "SAAS_MANAGEMENT_API_KEY"];
  const PROXIES = ["https_proxy", "HTTPS_PROXY", "http_proxy", "no_proxy", "NO_PROXY"];
  const before = { ...process.env };
  afterEach(() => {
    for (const name of [...OWN, ...PROXIES]) {
      if (before[name] === undefined) delete process.env[name];
      else process.env[name] = before[name];
    }
  });

  const text = fc.oneof(
    fc.constantFrom(
      ...["", " ", "key-1", "key\r\nx: y", "http://127.0.0.1:9", "http://%zz", "socks5://a", "://", "[::1"],
      ...["__proto__", "undefined", "\u202e", "é".repeat(1000), "*", ",,,"],
      "https://user:canary-6f1d@api.example.com",
      "https://api.example.com/?key=canary-6f1d",
    ),
    fc.string({ unit: "binary", maxLength: 20 }),
  );

  test("makes a client, or an SDK error that quotes nothing of it", async () => {
    const environment = fc.dictionary(fc.constantFrom(...OWN, ...PROXIES), text, { maxKeys: 5 });
    const overrides = fc.oneof(
      { weight: 2, arbitrary: fc.constant(undefined) },
      {
        weight: 1,
        arbitrary: hostileVariant({}, ["baseUrl", "syncUrl", "apiKey", "authorization", "retry", "tls"]),
      },
      { weight: 1, arbitrary: hostileValue },
    );
    const seen = { worked: 0, refused: 0 };
    const property = fc.asyncProperty(environment, overrides, async (variables, given) => {
      for (const name of [...OWN, ...PROXIES]) delete process.env[name];
      Object.assign(process.env, { SAAS_MANAGEMENT_SYNC_URL: server.endpoint }, variables);
      const args = given === undefined ? [] : [given.open()];
      const outcome = await outcomeOf(async () => {
        const client: SaasManagementClient = Reflect.apply(
          SaasManagementClient.fromEnv,
          SaasManagementClient,
          args,
        );
        await client.close();
      });
      expect(`${outcome?.error?.message}`).not.toContain("canary");
      seen[outcome?.error === undefined ? "worked" : "refused"] += 1;
    });
    await holds(share("environment variables and overrides", 0.2), property);
    expect(Math.min(seen.worked, seen.refused)).toBeGreaterThan(0);
  });

  test("of proxies captures no call to loopback, and breaks none", async () => {
    const environment = fc.dictionary(fc.constantFrom(...PROXIES), text, { maxKeys: 5 });
    const property = fc.asyncProperty(environment, async (variables) => {
      for (const name of PROXIES) delete process.env[name];
      Object.assign(process.env, variables);
      await using client = createSyncClient({ ...COMMON, endpoint: server.endpoint, timeoutMs: 100_000 });
      expect((await client.startBatch(START)).id).toBe("batch-1");
    });
    await holds(share("proxies of the environment", 0.02), property);
  });
});

describe("a function of the caller's", { timeout: TIMEOUT_MS }, () => {
  const options = { ...COMMON, baseUrl: "http://127.0.0.1:9", fetch: answering };

  test("may throw anything from a hook or a logger, and nothing fails", async () => {
    const names = fc.subarray(["onEvent", "logger"], { minLength: 1 });
    const throwing = fc.tuple(hostileValue, fc.boolean()).map(([value, rejects]) => () => {
      if (rejects) return Promise.reject(value.open());
      throw value.open();
    });
    const property = fc.asyncProperty(names, throwing, async (which, fails) => {
      const logger = { debug: fails, info: fails, warn: fails, error: fails };
      const hooks = Object.fromEntries(which.map((name) => [name, name === "logger" ? logger : fails]));
      await using client = construct(GraphQLClient, { ...options, ...hooks });
      expect(await client.request("query Q { a }", {})).toEqual({ a: 1 });
    });
    await holds(share("hooks and loggers that throw", 0.05), property);
  });

  test("may be a fetch that answers with anything: that is a failed request", async () => {
    const property = fc.asyncProperty(hostileValue, async (answer) => {
      const client = construct(GraphQLClient, { ...options, fetch: async () => answer.open() });
      const outcome = await outcomeOf(() => client.request("query Q { a }", {}));
      expect(outcome?.error?.code).toBe("TRANSPORT_FAILED");
    });
    await holds(share("what fetch answers with", 0.05), property);
  });

  test("may return anything as a key: it is sent, or refused as a credential", async () => {
    const property = fc.asyncProperty(hostileValue, async (key) => {
      const client = construct(GraphQLClient, { ...options, apiKey: () => key.open() });
      const outcome = await outcomeOf(() => client.request("query Q { a }", {}));
      if (outcome?.error !== undefined) expect(outcome.error.code).toBe("AUTHENTICATION_FAILED");
    });
    await holds(share("keys that a function gives", 0.05), property);
  });
});
