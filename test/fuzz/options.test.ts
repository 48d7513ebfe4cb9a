import { SaasManagementClient } from "@saas-management/sdk";
import { GraphQLClient, type GraphQLClientOptions } from "@saas-management/sdk/graphql";
import { SyncClient } from "@saas-management/sdk/sync";
import fc from "fast-check";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { holds, type Share } from "../support/fuzz.js";
import {
  hostileValue,
  hostileVariant,
  outcomeOf,
  Thrown,
  type UnstableOptions,
  unstableVariant,
} from "../support/hostile.js";
import { TIMEOUT_MS } from "../support/property-runs.js";
import { type ScriptedSyncServer, startScriptedSyncServer } from "../support/scripted-sync-server.js";
import { certificate, identity } from "../support/tls-certificates.js";

const COMMON = {
  apiKey: "key-1",
  timeoutMs: 1000,
  retry: { retries: 0, minDelayMs: 1, maxDelayMs: 1 },
  headers: { "x-team": "a" },
  appInfo: { name: "app", version: "1" },
};
const COMMON_PATHS = [
  "apiKey",
  "authorization",
  "timeoutMs",
  "retry",
  "retry/retries",
  "retry/minDelayMs",
  "retry/maxDelayMs",
  "headers",
  "headers/x-team",
  "headers/authorization",
  "headers/__proto__",
  "headers/te",
  "headers/a b",
  "appInfo",
  "appInfo/name",
  "appInfo/version",
  "logger",
  "logger/debug",
  "logger/error",
  "clock",
  "clock/now",
  "clock/after",
  "onRequest",
  "onResponse",
  "onRetry",
];
const NETWORK_PATHS = ["tls", "tls/ca", "tls/cert", "tls/key", "tls/serverName", "proxy"];
const TUNING_PATHS = [
  "maxReceiveMessageBytes",
  "maxSendMessageBytes",
  "messageBytes",
  "windowBytes",
  "flushAfterMs",
  "unknownEvents",
  "channelOptions",
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
const answering: GraphQLClientOptions["fetch"] = async (url, init) => {
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

let server: ScriptedSyncServer;
beforeAll(async () => {
  server = await startScriptedSyncServer();
});
afterAll(() => server.close());

describe("hostile options", { timeout: TIMEOUT_MS }, () => {
  it("of a GraphQL client make one that works, or an error of the SDK's", async () => {
    const base = { ...COMMON, baseUrl: "http://127.0.0.1:9", fetch: answering, maxResponseBytes: 1000 };
    const paths = [...COMMON_PATHS, "baseUrl", "fetch", "maxResponseBytes"];
    const seen = { worked: 0, refused: 0 };
    const property = fc.asyncProperty(hostileVariant(base, paths), async (options) => {
      const outcome = await outcomeOf(async () => {
        const client = construct(GraphQLClient, options.open());
        const data = await client.request("query Q { a }");
        await client.close();
        return data;
      });
      seen[outcome?.error === undefined ? "worked" : "refused"] += 1;
    });
    await holds(share("options of a GraphQL client", 0.2), property);
    expect(Math.min(seen.worked, seen.refused)).toBeGreaterThan(0);
  });

  it("of a client for both APIs do so too", async () => {
    const base = { ...COMMON, baseUrl: "https://127.0.0.1:9", syncUrl: "https://127.0.0.1:9", sync: {} };
    const paths = [
      ...COMMON_PATHS,
      ...NETWORK_PATHS,
      ...TUNING_PATHS.map((path) => `sync/${path}`),
      "baseUrl",
      "syncUrl",
      "sync",
      "fetch",
    ];
    const property = fc.asyncProperty(hostileVariant(base, paths), async (options) => {
      await outcomeOf(() => construct(SaasManagementClient, options.open()).close());
    });
    await holds(share("options of a client for both APIs", 0.2), property);
  });

  it("of a Sync API client make one that starts a batch, or an error of the SDK's", async () => {
    const base = { ...COMMON, endpoint: server.endpoint };
    // Not how long to wait for a connection that does not come about: a client may be told to wait for ever.
    const paths = [...COMMON_PATHS, ...TUNING_PATHS, ...TUNING_PATHS, "endpoint"].filter(
      (path) => path !== "timeoutMs" && !path.startsWith("clock/"),
    );
    const seen = { worked: 0, refused: 0 };
    const property = fc.asyncProperty(hostileVariant(base, paths), async (options) => {
      const outcome = await outcomeOf(async () => {
        const client = construct(SyncClient, options.open());
        try {
          return (await client.startBatch({ installationId: "installation-1" })).id;
        } finally {
          await client.close();
        }
      });
      if (outcome?.error === undefined) expect(outcome?.value).toBe("batch-1");
      seen[outcome?.error === undefined ? "worked" : "refused"] += 1;
    });
    await holds(share("options of a Sync API client", 0.2), property);
    expect(Math.min(seen.worked, seen.refused)).toBeGreaterThan(0);
  });

  it("of a network make a Sync API client, or an error of the SDK's", async () => {
    const base = { ...COMMON, endpoint: "https://127.0.0.1:9" };
    const property = fc.asyncProperty(
      hostileVariant(base, [...NETWORK_PATHS, "endpoint"]),
      async (options) => {
        await outcomeOf(() => construct(SyncClient, options.open()).close());
      },
    );
    await holds(share("tls and proxy", 0.1), property);
  });

  it("that are no options at all are refused", async () => {
    const property = fc.asyncProperty(hostileValue, async (options) => {
      for (const Class of [GraphQLClient, SaasManagementClient, SyncClient]) {
        const outcome = await outcomeOf(() => construct<object>(Class, options.open()));
        expect(outcome?.error?.code).toBe("INVALID_CONFIGURATION");
      }
    });
    await holds(share("no options at all", 0.1), property);
  });
});

describe("options that change while they are read", { timeout: TIMEOUT_MS }, () => {
  /** Neither how long something takes, which the machine would decide, nor what is the caller's own and alive. */
  const steady = (path: string) =>
    !/^(timeoutMs|retry|clock|logger)|__proto__|grpc.keepalive|backoff/.test(path);

  /** Expects that both come to the same, and tells whether it worked. */
  async function expectSame(
    { stable, unstable }: UnstableOptions,
    use: (options: object) => Promise<unknown>,
  ): Promise<"worked" | "refused"> {
    const first = await outcomeOf(() => use(stable));
    const other = await outcomeOf(() => use(unstable));
    expect(other?.error?.message).toBe(first?.error?.message);
    if (first?.error !== undefined || other?.error !== undefined) return "refused";
    expect(other?.value).toEqual(first?.value);
    return "worked";
  }

  it("make a GraphQL client of what they were when they were read first", async () => {
    let sent: unknown[] = [];
    const recording: GraphQLClientOptions["fetch"] = async (url, init) => {
      sent.push([url, init.method, [...new Headers(init.headers)], init.body]);
      return new Response('{"data":{"a":1}}', { headers: { "content-type": "application/json" } });
    };
    const base = { ...COMMON, baseUrl: "http://127.0.0.1:9", fetch: recording, maxResponseBytes: 1000 };
    const paths = [...COMMON_PATHS.filter(steady), "baseUrl", "fetch", "maxResponseBytes", "tls", "proxy"];
    const seen = { worked: 0, refused: 0 };
    const property = fc.asyncProperty(unstableVariant(base, paths), async (options) => {
      const came = await expectSame(options.open(), async (given) => {
        sent = [];
        await using client = construct(GraphQLClient, given);
        await client.request("query Q { a }");
        return sent;
      });
      seen[came] += 1;
    });
    await holds(share("options of a GraphQL client that change", 0.1), property);
    expect(Math.min(seen.worked, seen.refused)).toBeGreaterThan(0);
  });

  it("make a Sync API client of what they were when they were read first", async () => {
    const base = { ...COMMON, endpoint: server.endpoint, channelOptions: {} };
    const paths = [...COMMON_PATHS, ...TUNING_PATHS, "endpoint", "fetch", "sync", "tls", "proxy"];
    const seen = { worked: 0, refused: 0 };
    const property = fc.asyncProperty(unstableVariant(base, paths.filter(steady)), async (options) => {
      const came = await expectSame(options.open(), async (given) => {
        server.streams.length = 0;
        await using client = construct(SyncClient, given);
        using batch = await client.startBatch({ installationId: "installation-1" });
        await batch.write("accounts", [{ generic: { id: "u1" } }]);
        return server.streams.map(({ metadata, messages }) => [metadata.getMap(), messages]);
      });
      seen[came] += 1;
    });
    await holds(share("options of a Sync API client that change", 0.1), property);
    expect(Math.min(seen.worked, seen.refused)).toBeGreaterThan(0);
  });

  it("make a client for both APIs of what they were when they were read first", async () => {
    const base = {
      ...COMMON,
      baseUrl: "https://127.0.0.1:9",
      syncUrl: "https://127.0.0.1:9",
      tls: { ca: certificate("authority"), ...identity("client") },
      sync: {},
    };
    const sync = TUNING_PATHS.map((path) => `sync/${path}`);
    const paths = [...COMMON_PATHS, ...NETWORK_PATHS, ...sync, "baseUrl", "syncUrl", "sync", "fetch"];
    const seen = { worked: 0, refused: 0 };
    const property = fc.asyncProperty(unstableVariant(base, paths), async (options) => {
      const came = await expectSame(options.open(), (given) =>
        construct(SaasManagementClient, given).close(),
      );
      seen[came] += 1;
    });
    await holds(share("options of a client for both APIs that change", 0.1), property);
    expect(Math.min(seen.worked, seen.refused)).toBeGreaterThan(0);
  });
});

describe("a hostile environment", { timeout: TIMEOUT_MS }, () => {
  const OWN = ["SAAS_MANAGEMENT_BASE_URL", "SAAS_MANAGEMENT_SYNC_URL", "SAAS_MANAGEMENT_API_KEY"];
  const PROXIES = ["grpc_proxy", "https_proxy", "http_proxy", "no_grpc_proxy", "no_proxy"];
  const before = { ...process.env };
  const restore = () => {
    for (const name of [...OWN, ...PROXIES]) {
      if (before[name] === undefined) delete process.env[name];
      else process.env[name] = before[name];
    }
  };
  afterEach(restore);

  const text = fc.oneof(
    fc.constantFrom(
      "",
      " ",
      "key-1",
      "key\r\nx: y",
      "http://127.0.0.1:9",
      "https://user:canary-6f1d@api.example.com",
      "https://api.example.com/?key=canary-6f1d",
      "http://%zz",
      "socks5://a",
      "://",
      "[::1",
      "__proto__",
      "undefined",
      "\u202e",
      "é".repeat(1000),
      "*",
      ",,,",
    ),
    fc.string({ unit: "binary", maxLength: 20 }),
  );

  it("makes a client, or an error of the SDK's that quotes nothing of it", async () => {
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

  it("of proxies captures no call to loopback, and breaks none", async () => {
    const environment = fc.dictionary(fc.constantFrom(...PROXIES), text, { maxKeys: 5 });
    const property = fc.asyncProperty(environment, async (variables) => {
      for (const name of PROXIES) delete process.env[name];
      Object.assign(process.env, variables);
      const client = new SyncClient({ ...COMMON, endpoint: server.endpoint, timeoutMs: 100_000 });
      expect((await client.startBatch({ installationId: "installation-1" })).id).toBe("batch-1");
      await client.close();
    });
    await holds(share("proxies of the environment", 0.02), property);
  });
});

describe("a function of the caller's", { timeout: TIMEOUT_MS }, () => {
  const reason = new Thrown("from a callback");
  const throws = () => {
    throw reason;
  };
  const throwsNothingKnown = fc.tuple(hostileValue, fc.boolean()).map(([value, rejects]) => () => {
    if (rejects) return Promise.reject(value.open());
    throw value.open();
  });

  it("may throw anything from a hook or a logger, and nothing fails", async () => {
    const names = fc.subarray(["onRequest", "onResponse", "onRetry", "logger"], { minLength: 1 });
    const property = fc.asyncProperty(names, throwsNothingKnown, async (which, fails) => {
      const logger = { debug: fails, info: fails, warn: fails, error: fails };
      const hooks = Object.fromEntries(which.map((name) => [name, name === "logger" ? logger : fails]));
      const options = { ...COMMON, baseUrl: "http://127.0.0.1:9", fetch: answering, ...hooks };
      await using client = construct(GraphQLClient, options);
      expect(await client.request("query Q { a }")).toEqual({ a: 1 });
    });
    await holds(share("hooks and loggers that throw", 0.05), property);
  });

  it.each(["onRequest", "onResponse", "onRetry"])("may throw from %s, and nothing fails", async (name) => {
    const options = { ...COMMON, baseUrl: "http://127.0.0.1:9", fetch: answering, [name]: throws };
    await using client = new GraphQLClient(options);
    expect(await client.request("query Q { a }")).toEqual({ a: 1 });
  });

  it("may be a fetch that answers with anything: that is a failed request", async () => {
    const property = fc.asyncProperty(hostileValue, async (answer) => {
      const fetch = async () => answer.open();
      const client = construct(GraphQLClient, { ...COMMON, baseUrl: "http://127.0.0.1:9", fetch });
      const outcome = await outcomeOf(() => client.request("query Q { a }"));
      expect(outcome?.error?.code).toBe("TRANSPORT_FAILED");
    });
    await holds(share("what fetch answers with", 0.05), property);
  });

  it("may give anything for a key: it is sent, or refused as no credential", async () => {
    const property = fc.asyncProperty(hostileValue, async (key) => {
      const options = {
        ...COMMON,
        apiKey: () => key.open(),
        baseUrl: "http://127.0.0.1:9",
        fetch: answering,
      };
      const outcome = await outcomeOf(() => construct(GraphQLClient, options).request("query Q { a }"));
      if (outcome?.error !== undefined) expect(outcome.error.code).toBe("AUTHENTICATION_FAILED");
    });
    await holds(share("keys that a function gives", 0.05), property);
  });
});
