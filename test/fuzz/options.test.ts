import { SaasManagementClient } from "@saas-management/sdk";
import { GraphQLClient, type GraphQLOptions } from "@saas-management/sdk/graphql";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { holds, type Share, worksOrIsRefused } from "../support/fuzz.js";
import { type Boxed, hostileValue, hostileVariant, outcomeOf } from "../support/hostile.js";
import { TIMEOUT_MS } from "../support/property-runs.js";
import { START } from "../support/sync-client.js";
import { openSyncServer, type SyncServer } from "../support/sync-server.js";

vi.setConfig({ testTimeout: TIMEOUT_MS });

const CANARY = "canary-6f1d";
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
const CHANNEL_OPTIONS = [
  ...["keepalive_time_ms", "keepalive_timeout_ms", "service_config", "lb_policy_name", "enable_retries"],
  ...["initial_reconnect_backoff_ms", "default_authority", "default_compression_algorithm"],
  ...["max_metadata_size", "enable_channelz"],
];
const TUNING_PATHS = [
  ...["maxReceiveMessageBytes", "maxSendMessageBytes", "messageBytes", "windowBytes", "flushAfterMs"],
  ...["allowAnyEventTime"],
  "channelOptions",
  ...CHANNEL_OPTIONS.map((name) => `channelOptions/grpc.${name}`),
  ...["max_session_memory", "flow_control_window"].map((name) => `channelOptions/grpc-node.${name}`),
  ...["channelOptions/__proto__", "channelOptions/constructor"],
].map((path) => `sync/${path}`);

/** A fetch that accepts the same arguments as the platform's own, and answers. */
const answering: GraphQLOptions["fetch"] = async (url, init) => {
  await new Request(url, init).text();
  return new Response('{"data":{"a":1}}', { headers: { "content-type": "application/json" } });
};
const GRAPHQL = { ...COMMON, baseUrl: "http://127.0.0.1:9", fetch: answering };

/** Calls a function as only JavaScript can: the types would refuse such arguments. */
const construct = <T>(Class: abstract new (...args: never[]) => T, options: unknown): T =>
  Reflect.construct(Class, [options]);

async function useGraphQL(options: unknown): Promise<void> {
  await using client = construct(GraphQLClient, options);
  expect(await client.request("query Q { a }", {})).toEqual({ a: 1 });
}

const useBoth = (options: unknown) => construct(SaasManagementClient, options).close();

async function useSync(options: unknown): Promise<void> {
  await using client = construct(SaasManagementClient, options);
  expect((await client.sync.startBatch(START)).id).toBe("batch-1");
}

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

const OPTIONS: readonly (readonly [
  string,
  object,
  readonly string[],
  (options: unknown) => Promise<void>,
])[] = [
  [
    "a GraphQL client",
    { ...GRAPHQL, maxResponseBytes: 1000 },
    [...COMMON_PATHS, "baseUrl", "fetch", "maxResponseBytes"],
    useGraphQL,
  ],
  [
    "a client for both APIs",
    { ...COMMON, baseUrl: "https://127.0.0.1:9", syncUrl: "https://127.0.0.1:9", sync: {} },
    [...COMMON_PATHS, ...NETWORK_PATHS, ...TUNING_PATHS, "baseUrl", "syncUrl", "sync", "fetch"],
    useBoth,
  ],
  [
    "a network of the Sync API",
    { ...COMMON, syncUrl: "https://127.0.0.1:9" },
    [...NETWORK_PATHS, "syncUrl"],
    useBoth,
  ],
  [
    "a Sync API client that starts a batch",
    COMMON,
    // Leaves out the time limit for connecting, because a client may be told to wait for ever.
    [...COMMON_PATHS, ...TUNING_PATHS, ...TUNING_PATHS, "syncUrl"].filter(
      (path) => path !== "timeoutMs" && !path.startsWith("clock/"),
    ),
    useSync,
  ],
];

test.each(OPTIONS)(
  "hostile options of %s create one that works, or throw an SDK error",
  async (what, base, paths, use) => {
    const own = use === useSync ? { syncUrl: server.endpoint } : {};
    const options = hostileVariant({ ...base, ...own }, paths);
    await worksOrIsRefused(share(`options of ${what}`, 0.2), options, (given) => use(given.open()));
  },
);

test("options that are not an object are refused", async () => {
  const property = fc.asyncProperty(hostileValue, async (options) => {
    for (const Class of [GraphQLClient, SaasManagementClient]) {
      const outcome = await outcomeOf(() => construct<object>(Class, options.open()));
      expect(outcome?.error?.code).toBe("INVALID_CONFIGURATION");
    }
  });
  await holds(share("no options at all", 0.1), property);
});

const OWN = ["SAAS_MANAGEMENT_BASE_URL", "SAAS_MANAGEMENT_SYNC_URL", "SAAS_MANAGEMENT_API_KEY"];
const PROXIES = ["https_proxy", "HTTPS_PROXY", "http_proxy", "no_proxy", "NO_PROXY"];

/** Sets these variables, and clears the others that the SDK reads. */
function environment(variables: Readonly<Record<string, string>>): void {
  for (const name of [...OWN, ...PROXIES]) vi.stubEnv(name, variables[name]);
}

afterAll(() => void vi.unstubAllEnvs());

const variable = fc.oneof(
  fc.constantFrom(
    ...["", " ", "key-1", "key\r\nx: y", "http://127.0.0.1:9", "http://%zz", "socks5://a", "://", "[::1"],
    ...["__proto__", "undefined", "\u202e", "é".repeat(1000), "*", ",,,"],
    ...[`https://user:${CANARY}@api.example.com`, `https://api.example.com/?key=${CANARY}`],
  ),
  fc.string({ unit: "binary", maxLength: 20 }),
);

test("a hostile environment creates a client, or an SDK error that quotes none of it", async () => {
  const overrides: fc.Arbitrary<Boxed<unknown> | undefined> = fc.oneof(
    { weight: 2, arbitrary: fc.constant(undefined) },
    {
      weight: 1,
      arbitrary: hostileVariant({}, ["baseUrl", "syncUrl", "apiKey", "authorization", "retry", "tls"]),
    },
    { weight: 1, arbitrary: hostileValue },
  );
  const variables = fc.dictionary(fc.constantFrom(...OWN, ...PROXIES), variable, { maxKeys: 5 });
  await worksOrIsRefused(
    share("environment variables and overrides", 0.2),
    fc.tuple(variables, overrides),
    async ([given, override]) => {
      environment({ SAAS_MANAGEMENT_SYNC_URL: server.endpoint, ...given });
      const args = override === undefined ? [] : [override.open()];
      const make = async () =>
        Reflect.apply(SaasManagementClient.fromEnv, SaasManagementClient, args).close();
      await make().catch((error: unknown) => {
        expect(String(error)).not.toContain("canary");
        throw error;
      });
    },
  );
});

test.each([
  ["a fetch", "TRANSPORT_FAILED", (value: unknown) => ({ fetch: async () => value })],
  ["a function of the key", "AUTHENTICATION_FAILED", (value: unknown) => ({ apiKey: () => value })],
])(
  "the caller's %s may return anything: it is used, or the request fails with %s",
  async (what, code, own) => {
    const property = fc.asyncProperty(hostileValue, async (value) => {
      const outcome = await outcomeOf(() => useGraphQL({ ...GRAPHQL, ...own(value.open()) }));
      if (what === "a fetch" || outcome?.error !== undefined) expect(outcome?.error?.code).toBe(code);
    });
    await holds(share(`what ${what} returns`, 0.05), property);
  },
);
