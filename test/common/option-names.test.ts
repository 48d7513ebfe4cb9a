import {
  fileLedger,
  GraphQLClient,
  memoryLedger,
  previewSync,
  SaasManagementClient,
  SyncClient,
} from "@saas-management/sdk";
import { type ReferenceServer, startReferenceServer } from "@saas-management/sdk/reference-server";
import { fromCsv, fromJsonl, fromPages } from "@saas-management/sdk/sources";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

const CLIENT = { baseUrl: "https://api.example.com", syncUrl: "https://sync.example.com", apiKey: "key-1" };
const GRAPHQL = { baseUrl: CLIENT.baseUrl, apiKey: "key-1" };
const SYNC = { endpoint: CLIENT.syncUrl, apiKey: "key-1" };
const NONE = async () => {};
const people = (count: number) => Array.from({ length: count }, (_, i) => ({ generic: { id: `u${i}` } }));

let server: ReferenceServer;
let client: SaasManagementClient;
beforeEach(async () => {
  server = await startReferenceServer();
  const { baseUrl, syncUrl, apiKey } = server;
  client = new SaasManagementClient({ baseUrl, syncUrl, apiKey, retry: false });
});
afterEach(async () => {
  await client.close();
  await server.close();
});

const start = () => ({ installationId: server.installationId });
const batch = () => client.sync.startBatch(start());
const run = () => ({ ...start(), snapshots: ["accounts"] as const, ledger: "none" as const });
const preview = { snapshots: [], ledger: "none" as const };
const page = { select: () => ({ nodes: [], pageInfo: {} }) };

/** An entry of the SDK, called with options that have a name too many; of JavaScript, as it were: types refuse it. */
type Call = (extra: object) => unknown;

const CLIENTS: readonly (readonly [place: string, misspelled: object, message: RegExp, call: Call])[] = [
  [
    "SaasManagementClient",
    { timeout: 1 },
    /^The options of SaasManagementClient: there is no timeout\. Did you mean timeoutMs\?$/,
    (extra) => new SaasManagementClient({ ...CLIENT, ...extra }),
  ],
  [
    "SaasManagementClient.fromEnv",
    { time_out_ms: undefined },
    /there is no time_out_ms\. Did you mean timeoutMs\?/,
    (extra) => SaasManagementClient.fromEnv({ ...CLIENT, ...extra }),
  ],
  [
    "SaasManagementClient, in the wrong place",
    { messageBytes: 1024 },
    /messageBytes belongs into sync, as in sync: \{ messageBytes \}\./,
    (extra) => new SaasManagementClient({ ...CLIENT, ...extra }),
  ],
  [
    "GraphQLClient",
    { maxResponseByte: 1 },
    /^The options of GraphQLClient: there is no maxResponseByte\. Did you mean maxResponseBytes\?$/,
    (extra) => new GraphQLClient({ ...GRAPHQL, ...extra }),
  ],
  [
    "SyncClient",
    { windowByte: 1 },
    /^The options of SyncClient: there is no windowByte\. Did you mean windowBytes\?$/,
    (extra) => new SyncClient({ ...SYNC, ...extra }),
  ],
  [
    "sync",
    { windowByte: 1 },
    /^sync: there is no windowByte\. Did you mean windowBytes\?/,
    (extra) => new SaasManagementClient({ ...CLIENT, sync: { ...extra } }),
  ],
  [
    "retry",
    { retry: 0 },
    /^retry: there is no retry\. Known are: retries, minDelayMs, maxDelayMs\.$/,
    (extra) => new GraphQLClient({ ...GRAPHQL, retry: { ...extra } }),
  ],
  [
    "retry, of the Sync API",
    { maxDelay: 1 },
    /^retry: there is no maxDelay\. Did you mean maxDelayMs\?/,
    (extra) => new SyncClient({ ...SYNC, retry: { ...extra } }),
  ],
  [
    "retry, of a request",
    { retires: 0 },
    /^retry: there is no retires\. Did you mean retries\?/,
    (extra) => client.graphql.request("{ a }", {}, { retry: { ...extra } }),
  ],
  [
    "tls",
    { servername: "a" },
    /^tls: there is no servername\. Did you mean serverName\?/,
    (extra) => new SyncClient({ ...SYNC, tls: { ...extra } }),
  ],
  [
    "tls, of the GraphQL API",
    { rejectUnauthorized: false },
    /^tls: there is no rejectUnauthorized\. Known are: ca, cert, key, serverName\.$/,
    (extra) => new SaasManagementClient({ ...GRAPHQL, tls: { ...extra } }),
  ],
  [
    "hooks",
    { onResponce: () => {} },
    /there is no onResponce\. Did you mean onResponse\?/,
    (extra) => new GraphQLClient({ ...GRAPHQL, ...extra }),
  ],
  [
    "fileLedger",
    { hashIDs: true },
    /^The options of fileLedger: there is no hashIDs\. Did you mean hashIds\?/,
    (extra) => fileLedger("ledger", { ...extra }),
  ],
];

const CALLS: readonly (readonly [place: string, misspelled: object, message: RegExp, call: Call])[] = [
  [
    "startBatch",
    { waitForLock: 1 },
    /^The options of startBatch: there is no waitForLock\. Did you mean waitForLockMs\? Known are: /,
    (extra) => client.sync.startBatch({ ...start(), ...extra }),
  ],
  [
    "keepAlive",
    { maxIdle: 1 },
    /^keepAlive: there is no maxIdle\. Did you mean maxIdleMs\? Known are: maxIdleMs\.$/,
    (extra) => client.sync.startBatch({ ...start(), keepAlive: { maxIdleMs: 1, ...extra } }),
  ],
  [
    "openBatch",
    { onprogress: NONE },
    /^The options of openBatch: there is no onprogress\. Did you mean onProgress\?/,
    (extra) => client.sync.openBatch("batch-1", { ...extra }),
  ],
  [
    "write",
    { expectedcount: 40 },
    /^The options of write: there is no expectedcount\. Did you mean expectedCount\? Known are: signal, onProgress, expectedCount\.$/,
    async (extra) => (await batch()).write("accounts", [], { ...extra }),
  ],
  [
    "open",
    { expected: 40 },
    /^The options of open: there is no expected\. Did you mean expectedCount\?/,
    async (extra) => (await batch()).open("accounts", { ...extra }),
  ],
  [
    "seal",
    { expected_count: 40 },
    /^The options of seal: there is no expected_count\. Did you mean expectedCount\?/,
    async (extra) => (await batch()).open("accounts").seal({ ...extra }),
  ],
  [
    "complete",
    { unverifed: true },
    /^The options of complete: there is no unverifed\. Did you mean unverified\?/,
    async (extra) => (await batch()).complete({ ...extra }),
  ],
  [
    "run",
    { gaurd: { maxRemoved: 1 } },
    /^The options of run: there is no gaurd\. Did you mean guard\?/,
    (extra) => client.sync.run({ ...run(), ...extra }, (own) => own.write("accounts", [])),
  ],
  [
    "run, once more",
    { restart: 0 },
    /^The options of run: there is no restart\. Did you mean restarts\?/,
    (extra) => client.sync.run({ ...run(), ...extra }, (own) => own.write("accounts", [])),
  ],
  [
    "write, in a run",
    { onprogress: NONE },
    /^The options of write: there is no onprogress\. Did you mean onProgress\?/,
    (extra) => client.sync.run(run(), (own) => own.write("accounts", [], { ...extra })),
  ],
  [
    "guard",
    { maxRemove: 1 },
    /^guard: there is no maxRemove\. Did you mean maxRemoved\?/,
    (extra) => client.sync.run({ ...run(), guard: { ...extra } }, NONE),
  ],
  [
    "guard.collections",
    { maxShare: 1 },
    /^guard\.collections\.accounts: there is no maxShare\. Known are: maxRemovedShare, minRemoved, maxRemoved\.$/,
    (extra) => client.sync.run({ ...run(), guard: { collections: { accounts: { ...extra } } } }, NONE),
  ],
  [
    "previewSync",
    { maxIssue: 1 },
    /^The options of previewSync: there is no maxIssue\. Did you mean maxIssues\?/,
    (extra) => previewSync({ ...preview, ...extra }, NONE),
  ],
  [
    "request",
    { timeout: 1 },
    /^The options of request: there is no timeout\. Did you mean timeoutMs\?/,
    (extra) => client.graphql.request("{ a }", {}, { ...extra }),
  ],
  [
    "rawRequest",
    { header: {} },
    /^The options of rawRequest: there is no header\. Did you mean headers\?/,
    (extra) => client.graphql.rawRequest("{ a }", {}, { ...extra }),
  ],
  [
    "a mutation",
    { idempotant: true },
    /^The options of createProcurementCase: there is no idempotant\. Did you mean idempotent\?/,
    (extra) => client.graphql.createProcurementCase({ name: "a" }, { ...extra }),
  ],
  [
    "a mutation that does not throw",
    { idempotant: true },
    /^The options of changeVendorsState: there is no idempotant\. Did you mean idempotent\?/,
    (extra) => client.graphql.safe.changeVendorsState({ state: "ARCHIVED" }, "all", { ...extra }),
  ],
  [
    "the arguments of a connection",
    { oder: [] },
    /^The arguments of licenses: there is no oder\. Did you mean order\? .* Conditions belong into where/,
    (extra) => client.graphql.licenses({ ...extra }),
  ],
  [
    "the options of a connection",
    { limt: 1 },
    /^The options of applications: there is no limt\. Did you mean limit\?/,
    (extra) => client.graphql.applications({}, { ...extra }),
  ],
  [
    "toArray",
    { limits: 1 },
    /^The options of toArray: there is no limits\. Did you mean limit\?/,
    (extra) => client.graphql.licensePlans().toArray({ ...extra }),
  ],
  [
    "paginate",
    { pagesize: 1 },
    /^The options of paginate: there is no pagesize\. Did you mean pageSize\?/,
    (extra) => client.graphql.paginate("query Q { a }", {}, { ...page, ...extra }),
  ],
  [
    "fromCsv",
    { delimeter: ";" },
    /^The options of fromCsv: there is no delimeter\. Did you mean delimiter\?/,
    (extra) => fromCsv("a.csv", (row) => row, { ...extra }),
  ],
  [
    "fromJsonl",
    { allow_empty: true },
    /^The options of fromJsonl: there is no allow_empty\. Did you mean allowEmpty\?/,
    (extra) => fromJsonl("a.jsonl", undefined, { ...extra }),
  ],
  [
    "fromPages",
    { total: 40 },
    /^The options of fromPages: there is no total\. Known are: expectedTotal, /,
    (extra) => fromPages(async () => ({ items: [] }), { ...extra }),
  ],
];

const SERVERS: readonly (readonly [place: string, misspelled: object, message: RegExp, call: Call])[] = [
  [
    "startReferenceServer",
    { prot: 1 },
    /^The options of startReferenceServer: there is no prot\. Did you mean port\?/,
    (extra) => startReferenceServer({ ...extra }),
  ],
  [
    "startReferenceServer, tls",
    { ca: "" },
    /^tls: there is no ca\. Known are: cert, key\.$/,
    (extra) => startReferenceServer({ tls: { cert: "", key: "", ...extra } }),
  ],
];

/** What a call fails with, at once or later. */
async function failureOf(call: () => unknown): Promise<unknown> {
  try {
    await call();
  } catch (error) {
    return error;
  }
  throw new Error("The call did not fail.");
}

describe("a misspelled option", () => {
  it.each(CLIENTS)("of %s is a wrong configuration, which says what was meant", async (...row) => {
    const [, misspelled, message, call] = row;
    const failure = await failureOf(() => call(misspelled));
    expect(failure).toMatchObject({ code: "INVALID_CONFIGURATION", message: expect.stringMatching(message) });
  });

  it.each(CALLS)("of %s is a wrong input, which says what was meant", async (...row) => {
    const [, misspelled, message, call] = row;
    const failure = await failureOf(() => call(misspelled));
    expect(failure).toMatchObject({ code: "INVALID_INPUT", message: expect.stringMatching(message) });
  });

  it.each(SERVERS)("of %s is a wrong type, which says what was meant", async (...row) => {
    const [, misspelled, message, call] = row;
    const failure = await failureOf(() => call(misspelled));
    expect(failure).toBeInstanceOf(TypeError);
    expect(failure).toMatchObject({ message: expect.stringMatching(message) });
  });

  it.each([...CLIENTS, ...CALLS, ...SERVERS])(
    "of %s is one although its value is undefined",
    async (...row) => {
      const [, misspelled, message, call] = row;
      const empty = Object.fromEntries(Object.keys(misspelled).map((name) => [name, undefined]));
      const failure = await failureOf(() => call(empty));
      expect(failure).toMatchObject({ message: expect.stringMatching(message) });
    },
  );

  it("of a run is refused before the lock is taken", async () => {
    const misspelled = { gaurd: { maxRemoved: 1 } };
    await failureOf(() => client.sync.run({ ...run(), ...misspelled }, NONE));
    expect(server.inspect(server.installationId)).toMatchObject({ lock: null, batches: [] });
  });

  it.each(["write", "seal"])("of %s keeps the batch from being completed", async (method) => {
    const own = await batch();
    const misspelled: object = { expectedcount: 40 };
    const failed =
      method === "write"
        ? own.write("accounts", people(31), misspelled)
        : own.open("accounts").seal(misspelled);
    await expect(failed).rejects.toMatchObject({ code: "INVALID_INPUT" });
    await expect(own.complete()).rejects.toMatchObject({ code: "BATCH_STATE", reason: "incomplete" });
  });

  it.each<[string, object, object]>([
    ["write", { expectedcount: 40 }, {}],
    ["write", { expected: 40 }, {}],
    ["run", {}, { gaurd: { maxRemovedShare: 0.1 } }],
  ])("of %s, %j %j, removes nothing of a snapshot that came short", async (_, writing, running) => {
    const options = { ...run(), ledger: memoryLedger() };
    await client.sync.run(options, (own) => own.write("accounts", people(40)));
    await failureOf(() =>
      client.sync.run({ ...options, ...running }, (own) => own.write("accounts", people(31), { ...writing })),
    );
    const { accounts } = server.inspect(server.installationId).snapshots;
    expect(accounts).toHaveLength(40);
    expect(accounts?.every(({ removed }) => removed)).toBe(false);
  });

  it("is not shown where it does not look like a name, as a key in the wrong place", async () => {
    const options = { ...start(), ...{ "smk_canary\n6f1d": true } };
    const failure = await failureOf(() => client.sync.startBatch(options));
    expect(failure).toMatchObject({
      message: expect.stringMatching(
        /^The options of startBatch: there is no option of that name\. Known are: [^_]*$/,
      ),
    });
  });
});

describe("what is obeyed stays obeyed:", () => {
  it.each([
    "syncInterval",
    "proxyUser",
    "loggerLevel",
    "apiKeyId",
    "endpointName",
    "retryable",
    "window",
    "message",
    "author",
  ])("a client's object with a %s of somebody else's", (name) => {
    expect(new GraphQLClient({ ...GRAPHQL, ...{ [name]: 1 } })).toBeDefined();
    expect(new SyncClient({ ...SYNC, ...{ [name]: 1 } })).toBeDefined();
  });

  it("options that an object of a class inherits, as getters", async () => {
    class Expectation {
      get expectedCount() {
        return 99;
      }
    }
    const own = await batch();
    await expect(own.write("accounts", people(1), new Expectation())).rejects.toThrow(
      /expectedCount says 99/,
    );
    const guarded = Object.assign(Object.create({ restarts: -1 }), run());
    await expect(client.sync.run(guarded, NONE)).rejects.toThrow(/restarts/);
  });

  it("an object that holds more than a client's options, as a server does", async () => {
    const { id } = server.workspace;
    await using own = new SaasManagementClient({ ...server, ...{ id, close: NONE, requests: [] } });
    expect(await own.graphql.applications().firstPage()).toMatchObject({ totalCount: expect.any(Number) });
    await using whole = new SaasManagementClient(server);
    expect(await whole.graphql.applications().firstPage()).toMatchObject({ totalCount: expect.any(Number) });
  });

  it("an option that is undefined", async () => {
    const own = await client.sync.startBatch({ ...start(), signal: undefined, keepAlive: undefined });
    await own.write("accounts", people(1), { expectedCount: undefined, onProgress: undefined });
    await own.complete({ unverified: undefined });
    expect(own.state).toBe("completed");
  });

  it("options with symbols, and with what they inherit", async () => {
    const inherited: object = Object.create({ expectedcount: 40 });
    const own = await batch();
    await own.write("accounts", people(1), { ...{ [Symbol("own")]: 1 } });
    await own.write("groups", [], inherited);
    await own.complete();
    expect(own.state).toBe("completed");
  });

  it("one object of options for all clients", async () => {
    const shared = { ...CLIENT, endpoint: CLIENT.syncUrl, maxResponseBytes: 1024 };
    for (const made of [
      new GraphQLClient(shared),
      new SyncClient(shared),
      new SaasManagementClient(shared),
    ]) {
      await made.close();
    }
  });

  it("the options of a run, for its preview", async () => {
    const options = { ...run(), restarts: 1, signals: false, waitForLockMs: 1, maxDurationMs: 1000 };
    const { collections } = await previewSync(options, (own) => own.write("accounts", people(2)));
    expect(collections.accounts?.records).toBe(2);
  });
});
