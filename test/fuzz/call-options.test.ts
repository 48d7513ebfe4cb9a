import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileLedger, type SyncBatch } from "@saas-management/sdk";
import { GraphQLClient } from "@saas-management/sdk/graphql";
import { fromCsv, fromJsonl, fromPages } from "@saas-management/sdk/sources";
import { memoryLedger } from "@saas-management/sdk/testing";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import type { SyncEngine } from "../../src/runs/engine.js";
import { createSyncClient } from "../../src/runs/engine.js";
import { holds, type Share, worksOrIsRefused } from "../support/fuzz.js";
import { Boxed, hostileValue, hostileVariant, outcomeOf } from "../support/hostile.js";
import { TIMEOUT_MS } from "../support/property-runs.js";
import { openSyncServer, type SyncServer } from "../support/sync-server.js";

const share = (what: string, part: number): Share => ({
  group: "options of calls and sources",
  what,
  share: part,
});

let server: SyncServer;
let client: SyncEngine;
const home = process.cwd();
let folder: string;
beforeAll(async () => {
  // A hostile `directory` may be a valid name, and then the directory is created here.
  folder = await mkdtemp(join(tmpdir(), "call-options-"));
  process.chdir(folder);
  // Without this ledger, the user's own would be used.
  vi.stubEnv("XDG_STATE_HOME", join(folder, "state"));
  server = await openSyncServer();
  client = createSyncClient({ endpoint: server.endpoint, apiKey: "key-1", retry: false });
  await call(client, "run", [CONNECTOR, { ...RUN, firstRun: true }]);
});
afterAll(async () => {
  await client.close();
  server.close();
  process.chdir(home);
  vi.unstubAllEnvs();
  await rm(folder, { recursive: true, force: true });
});

const RECORD = { id: "u1", name: "Ada" };

/** Calls a method with any arguments, as JavaScript can. */
function call<T>(target: object, name: string, args: readonly unknown[]): T {
  const method: (...given: unknown[]) => T = Reflect.get(target, name);
  return Reflect.apply(method, target, args);
}

const apply = <T>(fn: (...args: never[]) => T, ...args: readonly unknown[]): T =>
  Reflect.apply(fn, undefined, args);

async function readAll(source: AsyncIterable<unknown>): Promise<unknown[]> {
  const all: unknown[] = [];
  for await (const some of source) all.push(some);
  return all;
}

/** Options of one call: an object with valid values, one with some hostile values, or another hostile value. */
const options = (base: object, names: readonly string[]) =>
  fc.oneof(
    { weight: 5, arbitrary: hostileVariant(base, names) },
    { weight: 1, arbitrary: hostileValue },
    { weight: 1, arbitrary: fc.constant(new Boxed<unknown>("as they should be", () => base)) },
  );

const RULE = [
  ...["removed", "removed/maxShare", "removed/min", "removed/max", "window", "window/days", "emptied"],
  ...["flipped", "flipped/maxDistance", "added", "added/maxShare", "values", "values/min"],
];
const GUARD = [
  ...["guard", "guard/offUntil", "guard/collections"],
  "guard/collections/accounts",
  ...["guard/collections/__proto__", ...RULE.map((name) => `guard/${name}`)],
  ...RULE.map((name) => `guard/collections/accounts/${name}`),
];
const LEDGER = ["ledger", "ledger/location"];
const START = { installationId: "installation-1" };
const RUN = {
  installationId: "installation-1",
  ledger: memoryLedger(),
  retryForMs: 0,
  guard: { collections: { accounts: { removed: { max: 5 } } } },
};
const RUN_NAMES = [
  ...["installationId", "retryForMs", "stopOnSignals", "waitForLockMs"],
  ...["approve", "firstRun", "signal", "onProgress", "onHeld"],
  ...["spool", "spool/directory", "spool/memoryBytes"],
];
const PREVIEW_NAMES = ["installationId", "maxIssues", "signal"];
const WRITE = ["signal", "expectedCount"];
const CONNECTOR = {
  snapshots: ["accounts"],
  run: (batch: SyncBatch) => batch.write("accounts", [RECORD]),
};

const answering = (data: unknown) =>
  new GraphQLClient({
    apiKey: "key-1",
    baseUrl: "http://127.0.0.1:9",
    fetch: async (url, init) => {
      await new Request(url, init).text();
      return new Response(JSON.stringify({ data }), { headers: { "content-type": "application/json" } });
    },
  });
const graphql = answering({ a: 1 });
const licenses = answering({
  licenses: { nodes: [], pageInfo: { hasNextPage: false, hasPreviousPage: false } },
});
const DOCUMENT = "query Q($first: Int, $after: String) { licenses { nodes { id } } }";
const select = (data: { readonly licenses: unknown }) => data.licenses;

async function* lines(text: string): AsyncGenerator<Uint8Array, void, undefined> {
  yield Buffer.from(text);
}
const row = (value: unknown) => value;
const fetchPage = async () => ({ items: [RECORD], next: null });

interface Row {
  readonly base: object;
  readonly names: readonly string[];
  readonly use: (options: unknown) => unknown;
  /** Whether the outcome is the caller's own reason. */
  readonly own?: (reason: unknown) => boolean;
}

/** Whether a class was passed as a function: it throws when it is called, which is the caller's own error. */
const isClassCalled = (reason: unknown) => /^TypeError: Class constructor/.test(String(reason));

const CALLS: Readonly<Record<string, Row>> = {
  startBatch: {
    base: START,
    names: ["installationId", "waitForLockMs", "signal", "onProgress"],
    use: async (given) => (await call<Promise<SyncBatch>>(client, "startBatch", [given])).close(),
  },
  abortBatch: {
    base: {},
    names: ["signal", "timeoutMs", "headers"],
    use: (given) => call<Promise<void>>(client, "abortBatch", ["batch-1", given]),
  },
  run: {
    base: RUN,
    names: [...RUN_NAMES, ...RUN_NAMES, ...GUARD, ...LEDGER],
    use: async (given) => {
      server.calls.length = 0;
      await call<Promise<unknown>>(client, "run", [CONNECTOR, given]);
      expect(server.calls).toContain("CompleteSyncBatch");
    },
  },
  preview: {
    base: RUN,
    names: [...PREVIEW_NAMES, ...PREVIEW_NAMES, ...GUARD, ...LEDGER],
    use: (given) => call<Promise<unknown>>(client, "preview", [CONNECTOR, given]),
  },
  fileLedger: { base: {}, names: ["hashIds"], use: (given) => apply(fileLedger, "/nowhere", given) },
  fromCsv: {
    base: { map: row },
    names: ["columns", "map", "delimiter", "encoding", "name", "signal"],
    use: (given) => readAll(apply(fromCsv, lines("id\nu1\n"), given)),
  },
  fromJsonl: {
    base: { map: row },
    names: ["map", "allowEmpty", "name", "signal"],
    use: (given) => readAll(apply(fromJsonl, lines('{"id":"u1"}\n'), given)),
  },
  fromPages: {
    base: { maxPages: 3 },
    names: ["maxPages", "maxEmptyPages", "allowRepeatedPages", "signal", "map"],
    use: (given) => readAll(apply(fromPages, fetchPage, given)),
    own: isClassCalled,
  },
  "a page of fromPages": {
    base: { items: [RECORD], next: null, total: 1 },
    names: ["items", "next", "total"],
    use: (answer) => readAll(apply(fromPages, async () => answer, { maxPages: 3 })),
  },
  request: {
    base: { retry: {}, headers: {} },
    names: [
      ...["signal", "timeoutMs", "headers", "headers/a", "headers/te", "headers/__proto__", "retry"],
      ...["retry/retries", "retry/minDelayMs", "idempotent"],
    ],
    use: (given) => call(graphql, "request", ["query Q { a }", {}, given]),
  },
  licenses: {
    base: {},
    names: [
      ...["where", "order", "where/state", "order/id", "limit", "pageSize", "from", "cursor", "prefetch"],
      ...["signal", "timeoutMs", "headers", "retry", "first", "after"],
    ],
    use: (given) => readAll(call(licenses, "licenses", [given])),
  },
  paginate: {
    base: { select },
    names: [
      "select",
      "pageSize",
      "limit",
      "from",
      "cursor",
      "signal",
      "variableNames",
      "variableNames/first",
    ],
    use: (given) => readAll(call(licenses, "paginate", [DOCUMENT, {}, given])),
    own: isClassCalled,
  },
};

test.each(Object.entries(CALLS))(
  "%s works with hostile options, or is refused with an SDK error",
  { timeout: TIMEOUT_MS },
  async (what, { base, names, use, own }) =>
    worksOrIsRefused(share(what, 0.06), options(base, names), (given) => use(given.open()), own),
);

test("write, writer, complete and abort work with hostile options, or make the batch incomplete", {
  timeout: TIMEOUT_MS,
}, async () => {
  const own = options({ expectedCount: 1 }, WRITE);
  const some = fc.record({
    writing: own,
    opening: own,
    completing: options({ unverified: true }, ["unverified"]),
    pushed: fc.oneof(hostileValue, fc.constant(new Boxed<unknown>("a record", () => RECORD))),
    collection: fc.oneof(hostileValue, fc.constant(new Boxed<unknown>("a collection", () => "groups"))),
  });
  const seen = { completed: 0, refused: 0 };
  const property = fc.asyncProperty(some, async (given) => {
    const attempts: ((batch: SyncBatch) => Promise<unknown>)[] = [
      (batch) => call(batch, "write", ["accounts", [RECORD], given.writing.open()]),
      (batch) => call(batch, "write", [given.collection.open(), [RECORD]]),
      async (batch) => {
        const writer = call<object>(batch, "writer", [given.collection.open(), given.opening.open()]);
        await call<Promise<void>>(writer, "write", [given.pushed.open()]);
        await call<Promise<void>>(writer, "end", []);
      },
    ];
    for (const attempt of attempts) {
      await using batch = await client.startBatch(START);
      const written = await outcomeOf(() => attempt(batch));
      const completed = await outcomeOf(() => call(batch, "complete", [given.completing.open()]));
      if (written === undefined || written.error !== undefined) expect(completed?.error).toBeDefined();
      seen[completed?.error === undefined ? "completed" : "refused"] += 1;
      await outcomeOf(() => JSON.stringify(batch.stats).length);
      await outcomeOf(() => call(batch, "abort", [given.completing.open()]));
    }
  });
  await holds(share("write, writer, complete and abort", 0.2), property);
  expect(Math.min(seen.completed, seen.refused)).toBeGreaterThan(0);
});
