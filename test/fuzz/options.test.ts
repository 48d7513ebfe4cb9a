import { SaasManagementClient } from "@saas-management/sdk";
import { GraphQLClient, type GraphQLClientOptions } from "@saas-management/sdk/graphql";
import { SyncClient } from "@saas-management/sdk/sync";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { hostileValue, hostileVariant, outcomeOf, Thrown } from "../support/hostile.js";
import { LIMITS, RUNS, TIMEOUT_MS } from "../support/property-runs.js";

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
  "retry.retries",
  "retry.minDelayMs",
  "retry.maxDelayMs",
  "headers",
  "headers.x-team",
  "headers.authorization",
  "headers.__proto__",
  "appInfo",
  "appInfo.name",
  "appInfo.version",
  "logger",
  "logger.debug",
  "clock",
  "clock.now",
  "onRequest",
  "onResponse",
  "onRetry",
];
const NETWORK_PATHS = ["tls", "tls.ca", "tls.cert", "tls.key", "tls.serverName", "proxy"];
const TUNING_PATHS = [
  "maxReceiveMessageBytes",
  "maxSendMessageBytes",
  "messageBytes",
  "windowBytes",
  "flushAfterMs",
  "unknownEvents",
  "channelOptions",
  "channelOptions.grpc.keepalive_time_ms",
  "channelOptions.__proto__",
];

const answering: GraphQLClientOptions["fetch"] = async () =>
  new Response('{"data":{"a":1}}', { headers: { "content-type": "application/json" } });

/** JavaScript's way in: the types would not let any of this pass. */
const construct = <T>(Class: abstract new (...args: never[]) => T, options: unknown): T =>
  Reflect.construct(Class, [options]);

const limits = { ...LIMITS, numRuns: RUNS };

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
    await fc.assert(property, limits);
    expect(Math.min(seen.worked, seen.refused)).toBeGreaterThan(0);
  });

  it("of a client for both APIs do so too", async () => {
    const base = { ...COMMON, baseUrl: "https://127.0.0.1:9", syncUrl: "https://127.0.0.1:9", sync: {} };
    const paths = [
      ...COMMON_PATHS,
      ...NETWORK_PATHS,
      ...TUNING_PATHS.map((path) => `sync.${path}`),
      "baseUrl",
      "syncUrl",
      "sync",
      "fetch",
    ];
    const property = fc.asyncProperty(hostileVariant(base, paths), async (options) => {
      await outcomeOf(() => construct(SaasManagementClient, options.open()).close());
    });
    await fc.assert(property, limits);
  });

  it("of a Sync API client do so too", async () => {
    const base = { ...COMMON, endpoint: "https://127.0.0.1:9" };
    const paths = [...COMMON_PATHS, ...NETWORK_PATHS, ...TUNING_PATHS, "endpoint"];
    const property = fc.asyncProperty(hostileVariant(base, paths), async (options) => {
      await outcomeOf(() => construct(SyncClient, options.open()).close());
    });
    await fc.assert(property, limits);
  });

  it("that are no options at all are refused", async () => {
    const property = fc.asyncProperty(hostileValue, async (options) => {
      for (const Class of [GraphQLClient, SaasManagementClient, SyncClient]) {
        const outcome = await outcomeOf(() => construct<object>(Class, options.open()));
        expect(outcome?.error?.code).toBe("INVALID_CONFIGURATION");
      }
      await outcomeOf(() =>
        Reflect.apply(SaasManagementClient.fromEnv, SaasManagementClient, [options.open()]),
      );
    });
    await fc.assert(property, limits);
  });

  it("of a batch and of a run are refused, or obeyed", async () => {
    const client = new SyncClient({ ...COMMON, endpoint: "http://127.0.0.1:9", retry: false });
    const start = [
      "installationId",
      "waitForLockMs",
      "signal",
      "onProgress",
      "keepAlive",
      "keepAlive.maxIdleMs",
    ];
    const run = ["snapshots", "ledger", "guard", "guard.maxRemoved", "restarts", "maxDurationMs", "signals"];
    const base = {
      installationId: "i",
      ledger: "none",
      snapshots: [],
      restarts: 0,
      guard: {},
      keepAlive: {},
    };
    const options = fc.oneof(hostileVariant(base, [...start, ...run]), hostileValue);
    const property = fc.asyncProperty(options, hostileValue, async (own, odd) => {
      await outcomeOf(() => Reflect.apply(client.startBatch, client, [own.open()]));
      await outcomeOf(() => Reflect.apply(client.run, client, [own.open(), async () => {}]));
      await outcomeOf(() => Reflect.apply(client.run, client, [base, odd.open()]));
      await outcomeOf(async () => Reflect.apply(client.openBatch, client, [odd.open(), own.open()]).close());
    });
    await fc.assert(property, limits);
    await client.close();
  });

  it("of a request are refused, or obeyed", async () => {
    const client = new GraphQLClient({ apiKey: "key-1", baseUrl: "http://127.0.0.1:9", fetch: answering });
    const names = ["signal", "timeoutMs", "headers", "headers.a", "retry", "retry.retries", "idempotent"];
    const options = fc.oneof(hostileVariant({}, names), hostileValue);
    const property = fc.asyncProperty(
      options,
      hostileValue,
      fc.boolean(),
      async (own, odd, withVariables) => {
        const args = ["query Q { a }", withVariables ? odd : undefined, own];
        await outcomeOf(() => Reflect.apply(client.request, client, args));
        await outcomeOf(() => Reflect.apply(client.rawRequest, client, [odd.open(), {}, own]));
        await outcomeOf(() => Reflect.apply(client.createProcurementCase, client, [odd.open(), own]));
        await outcomeOf(() => Reflect.apply(client.changeVendorsState, client, [{}, odd.open(), own]));
      },
    );
    await fc.assert(property, limits);
    await client.close();
  });

  it("of a connection are refused, or obeyed", async () => {
    const page = { nodes: [], pageInfo: { hasNextPage: false, hasPreviousPage: false } };
    const fetch = async () =>
      new Response(JSON.stringify({ data: { licenses: page } }), {
        headers: { "content-type": "application/json" },
      });
    const client = new GraphQLClient({ apiKey: "key-1", baseUrl: "http://127.0.0.1:9", fetch });
    const args = fc.oneof(
      hostileVariant({}, ["first", "after", "last", "before", "where", "order", "where.state"]),
      hostileValue,
    );
    const options = fc.oneof(hostileVariant({}, ["limit", "prefetch", "signal", "timeoutMs"]), hostileValue);
    const property = fc.asyncProperty(args, options, async (given, own) => {
      await outcomeOf(async () => {
        const connection: AsyncIterable<unknown> = Reflect.apply(client.licenses, client, [
          given.open(),
          own.open(),
        ]);
        for await (const _ of connection);
      });
    });
    await fc.assert(property, limits);
    await client.close();
  });
});

describe("a function of the caller's", { timeout: TIMEOUT_MS }, () => {
  const reason = new Thrown("from a callback");
  const throws = () => {
    throw reason;
  };

  it.each(["onRequest", "onResponse", "onRetry"])("may throw from %s, and nothing fails", async (name) => {
    const options = { ...COMMON, baseUrl: "http://127.0.0.1:9", fetch: answering, [name]: throws };
    await using client = new GraphQLClient(options);
    expect(await client.request("query Q { a }")).toEqual({ a: 1 });
  });

  it("may be a logger that throws, and nothing fails", async () => {
    const logger = { debug: throws, info: throws, warn: throws, error: throws };
    await using client = new GraphQLClient({
      ...COMMON,
      baseUrl: "http://127.0.0.1:9",
      fetch: answering,
      onRequest: throws,
      logger,
    });
    expect(await client.request("query Q { a }")).toEqual({ a: 1 });
  });

  it("may be a fetch that answers with anything: that is a failed request", async () => {
    const property = fc.asyncProperty(hostileValue, async (answer) => {
      const fetch = async () => answer.open();
      const client = construct(GraphQLClient, { ...COMMON, baseUrl: "http://127.0.0.1:9", fetch });
      const outcome = await outcomeOf(() => client.request("query Q { a }"));
      expect(outcome?.error?.code).toBe("TRANSPORT_FAILED");
    });
    await fc.assert(property, limits);
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
    await fc.assert(property, limits);
  });
});
