import {
  defineConnector,
  fileLedger,
  type RecordOf,
  type RecordSource,
  SaasManagementClient,
} from "@saas-management/sdk";
import { GraphQLClient } from "@saas-management/sdk/graphql";
import { fromCsv, fromJsonl, fromPages } from "@saas-management/sdk/sources";
import { startReferenceServer, TestClock } from "@saas-management/sdk/testing";
import { expect, test } from "vitest";
import { suggestKey } from "../../src/core/validate.js";
import { createSyncClient } from "../../src/runs/engine.js";
import { connectorOf } from "../support/connector.js";
import { rejection } from "../support/promises.js";
import { accounts, NEW_CASE } from "../support/records.js";
import { testService } from "../support/test-service.js";

const service = testService();
const CLIENT = { baseUrl: "https://api.example.com", syncUrl: "https://sync.example.com", apiKey: "key-1" };
const GRAPHQL = { baseUrl: CLIENT.baseUrl, apiKey: "key-1" };
const SYNC = { endpoint: CLIENT.syncUrl, apiKey: "key-1" };
const NONE = async () => {};
const start = () => ({ installationId: service.installationId });
const batch = () => service.startBatch();
const run = () => ({ ...start(), ledger: "none" as const });
const writing = (source: RecordSource<RecordOf<"accounts">>, options?: object) =>
  defineConnector({ snapshots: ["accounts"], run: (own) => own.write("accounts", source, options) });
const EMPTY = writing([]);
const page = { select: () => ({ nodes: [], pageInfo: {} }) };
const graphql = () => service.graphql;
const sync = () => service.sync;

/** Calls the SDK with an extra option, as only JavaScript can, because the types refuse the option. */
type Call = (extra: object) => unknown;

const CONFIGURATIONS: Readonly<Record<string, Call>> = {
  SaasManagementClient: (extra) => new SaasManagementClient({ ...CLIENT, ...extra }),
  "SaasManagementClient.fromEnv": (extra) => SaasManagementClient.fromEnv({ ...CLIENT, ...extra }),
  sync: (extra) => new SaasManagementClient({ ...CLIENT, sync: { ...extra } }),
  "sync.spool": (extra) => new SaasManagementClient({ ...CLIENT, sync: { spool: { ...extra } } }),
  tls: (extra) => new SaasManagementClient({ ...GRAPHQL, tls: { ...extra } }),
  GraphQLClient: (extra) => new GraphQLClient({ ...GRAPHQL, ...extra }),
  "retry of GraphQLClient": (extra) => new GraphQLClient({ ...GRAPHQL, retry: { ...extra } }),
  "retry of request": (extra) => graphql().request("{ a }", {}, { retry: { ...extra } }),
  "retry of SyncEngine": (extra) => createSyncClient({ ...SYNC, retry: { ...extra } }),
  "tls of SyncEngine": (extra) => createSyncClient({ ...SYNC, tls: { ...extra } }),
  appInfo: (extra) => new GraphQLClient({ ...GRAPHQL, appInfo: { name: "app", ...extra } }),
  fileLedger: (extra) => fileLedger("ledger", { ...extra }),
};

const CALLS: Readonly<Record<string, Call>> = {
  TestClock: (extra) => new TestClock({ ...extra }),
  startBatch: (extra) => sync().startBatch({ ...start(), ...extra }),
  abortBatch: (extra) => sync().abortBatch("batch-1", { ...extra }),
  write: async (extra) => (await batch()).write("accounts", [], { ...extra }),
  writer: async (extra) => (await batch()).writer("accounts", { ...extra }),
  complete: async (extra) => (await batch()).complete({ ...extra }),
  run: (extra) => sync().run(EMPTY, { ...run(), ...extra }),
  "write in a run": (extra) => sync().run(writing([], extra), run()),
  spool: (extra) => sync().run(EMPTY, { ...run(), spool: { ...extra } }),
  guard: (extra) => sync().run(EMPTY, { ...run(), guard: { ...extra } }),
  "guard.collections": (extra) =>
    sync().run(EMPTY, { ...run(), guard: { collections: { accounts: { ...extra } } } }),
  preview: (extra) => sync().preview(EMPTY, { ...run(), ...extra }),
  request: (extra) => graphql().request("{ a }", {}, { ...extra }),
  rawRequest: (extra) => graphql().rawRequest("{ a }", {}, { ...extra }),
  "a mutation": (extra) => graphql().createProcurementCase(NEW_CASE, { ...extra }),
  "another mutation": (extra) => graphql().changeVendorsState({ state: "ARCHIVED" }, "all", { ...extra }),
  "a connection": (extra) => graphql().licenses({ ...extra }),
  paginate: (extra) => graphql().paginate("query Q { a }", {}, { ...page, ...extra }),
  variableNames: (extra) => graphql().paginate("query Q { a }", {}, { ...page, variableNames: { ...extra } }),
  fromCsv: (extra) => fromCsv("a.csv", { map: (row) => row, ...extra }),
  fromJsonl: (extra) => fromJsonl("a.jsonl", { ...extra }),
  fromPages: (extra) => fromPages(async () => ({ items: [] }), { ...extra }),
};

const SERVERS: Readonly<Record<string, Call>> = {
  startReferenceServer: (extra) => startReferenceServer({ ...extra }),
  "tls of startReferenceServer": (extra) => startReferenceServer({ tls: { cert: "", key: "", ...extra } }),
};

const failure = (call: Call, extra: object) => rejection(Promise.resolve(extra).then(call));

test.each([
  ...Object.entries(CONFIGURATIONS).map(([place, call]) => [place, "INVALID_CONFIGURATION", call] as const),
  ...Object.entries(CALLS).map(([place, call]) => [place, "INVALID_INPUT", call] as const),
])("rejects an unknown option of %s with %s", async (_, code, call) => {
  expect(await failure(call, { unknownOption: undefined })).toMatchObject({ code });
});

test.each(Object.entries(SERVERS))("rejects an unknown option of %s with a TypeError", async (_, call) => {
  expect(await failure(call, { unknownOption: 1 })).toBeInstanceOf(TypeError);
});

test.each([
  ["time_out_ms", " Did you mean timeoutMs?"],
  ["TIMEOUT-MS", " Did you mean timeoutMs?"],
  ["timeout", ""],
])("suggests a known key that differs only in case and separators: %s", (key, suggestion) => {
  expect(suggestKey(key, ["retry", "timeoutMs"])).toBe(suggestion);
});

test.each(["gaurd", "maxDurationMs"])(
  "a run refuses the option %s before it calls its connector",
  async (name) => {
    let isCalled = false;
    const connector = connectorOf([], async () => {
      isCalled = true;
    });
    const call: Call = (extra) => sync().run(connector, { ...run(), ...extra });
    expect(await failure(call, { [name]: 60_000 })).toMatchObject({ code: "INVALID_INPUT" });
    expect(isCalled).toBe(false);
  },
);

test("an unknown option of write keeps the batch from being completed", async () => {
  const own = await batch();
  const misspelled: object = { expectedcount: 40 };
  await expect(own.write("accounts", accounts(31), misspelled)).rejects.toMatchObject({
    code: "INVALID_INPUT",
  });
  await expect(own.complete()).rejects.toMatchObject({ code: "BATCH_STATE", reason: "incomplete" });
});

test("an unknown option that does not look like a name is not quoted, because it may be a key", async () => {
  const error = await failure(CALLS["startBatch"] ?? NONE, { "smk_canary\n6f1d": true });
  expect(String(error)).not.toContain("canary");
});

test("a preview accepts the options of a run", async () => {
  const options = { ...run(), retryForMs: 1, stopOnSignals: false, waitForLockMs: 1 };
  const { collections } = await service.sync.preview(writing(accounts(2)), options);
  expect(collections.accounts?.stats.sent).toBe(2);
});
