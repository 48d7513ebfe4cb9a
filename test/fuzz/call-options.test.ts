import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { GraphQLClient } from "@saas-management/sdk/graphql";
import { fromCsv, fromJsonl, fromPages } from "@saas-management/sdk/sources";
import { fileLedger, memoryLedger, previewSync, type SyncBatch, SyncClient } from "@saas-management/sdk/sync";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { holds, type Share } from "../support/fuzz.js";
import { Boxed, Ended, hostileValue, hostileVariant, outcomeOf } from "../support/hostile.js";
import { TIMEOUT_MS } from "../support/property-runs.js";
import { type ScriptedSyncServer, startScriptedSyncServer } from "../support/scripted-sync-server.js";

const share = (what: string, part: number): Share => ({
  group: "options of calls and sources",
  what,
  share: part,
});

let server: ScriptedSyncServer;
let client: SyncClient;
const home = process.cwd();
let folder: string;
beforeAll(async () => {
  // A hostile `directory` may be the name of one, which is then made.
  folder = await mkdtemp(join(tmpdir(), "call-options-"));
  process.chdir(folder);
  server = await startScriptedSyncServer();
  client = new SyncClient({ endpoint: server.endpoint, apiKey: "key-1", retry: false });
});
afterAll(async () => {
  await client.close();
  server.close();
  process.chdir(home);
  await rm(folder, { recursive: true, force: true });
});

const RECORD = { generic: { id: "u1", name: "Ada" } };

/** Calls a method as JavaScript may: with anything. */
function call<T>(target: object, name: string, args: readonly unknown[]): T {
  const method: (...given: unknown[]) => T = Reflect.get(target, name);
  return Reflect.apply(method, target, args);
}

/** Options of one call: some that are right but for one to three, or anything at all. */
const options = (base: object, names: readonly string[]) =>
  fc.oneof(
    { weight: 5, arbitrary: hostileVariant(base, names) },
    { weight: 1, arbitrary: hostileValue },
    { weight: 1, arbitrary: fc.constant(new Boxed<unknown>("as they should be", () => base)) },
  );

const messageOf = (reason: unknown) => (reason instanceof TypeError ? reason.message : "");

/** Counts what calls came to, so that a property whose calls are all refused does not pass. */
function tally() {
  const seen = { worked: 0, refused: 0 };
  return {
    count: (outcome: { readonly error?: unknown } | undefined) => {
      seen[outcome !== undefined && outcome.error === undefined ? "worked" : "refused"] += 1;
    },
    expectBoth: () => expect(Math.min(seen.worked, seen.refused)).toBeGreaterThan(0),
  };
}

const RULE = ["maxRemovedShare", "minRemoved", "maxRemoved"];
const GUARD = [
  "guard",
  ...RULE.map((name) => `guard/${name}`),
  "guard/requireBaseline",
  "guard/collections",
  "guard/collections/accounts",
  "guard/collections/__proto__",
  ...RULE.map((name) => `guard/collections/accounts/${name}`),
];
const LEDGER = [
  "ledger",
  ...["known", "draft", "hold", "held", "release", "keyOf", "directory"].map((name) => `ledger/${name}`),
];

describe("hostile options of a batch", { timeout: TIMEOUT_MS }, () => {
  const OPEN = ["onProgress", "keepAlive", "keepAlive/maxIdleMs"];
  const START = ["installationId", "waitForLockMs", "timeoutMs", "signal", ...OPEN];

  test("are refused or obeyed by startBatch and openBatch", async () => {
    const seen = tally();
    const seenOpening = tally();
    const keepAlive = { maxIdleMs: 60_000 };
    const starting = options({ installationId: "installation-1", keepAlive }, START);
    const opening = options({ keepAlive }, OPEN);
    const property = fc.asyncProperty(starting, opening, hostileValue, async (start, open, odd) => {
      const started = await outcomeOf(() => call<Promise<SyncBatch>>(client, "startBatch", [start.open()]));
      seen.count(started);
      if (started?.error === undefined) started?.value.close();
      for (const id of ["batch-1", odd.open()]) {
        const opened = await outcomeOf(() => call<SyncBatch>(client, "openBatch", [id, open.open()]));
        seenOpening.count(opened);
        if (opened?.error === undefined) opened?.value.close();
      }
    });
    await holds(share("startBatch and openBatch", 0.1), property);
    seen.expectBoth();
    seenOpening.expectBoth();
  });

  test("are refused or obeyed by write, open, push, seal, complete and abort", async () => {
    const seen = tally();
    const names = ["signal", "onProgress", "expectedCount"];
    const own = options({ expectedCount: 1 }, names);
    const some = fc.record({
      writing: own,
      opening: own,
      sealing: options({ expectedCount: 1 }, ["expectedCount"]),
      completing: options({ unverified: true }, ["unverified"]),
      pushed: fc.oneof(hostileValue, fc.constant(new Boxed<unknown>("a record", () => RECORD))),
      collection: fc.oneof(hostileValue, fc.constant(new Boxed<unknown>("plans", () => "groups"))),
    });
    const property = fc.asyncProperty(some, async (given) => {
      const batches = [client.openBatch("batch-1"), client.openBatch("batch-1"), client.openBatch("batch-1")];
      const [writing, opening, any] = batches;
      if (writing === undefined || opening === undefined || any === undefined) return;

      server.streams.length = 0;
      const written = await outcomeOf(() =>
        call(writing, "write", ["accounts", [RECORD], given.writing.open()]),
      );
      seen.count(written);
      if (written !== undefined && written.error === undefined) expect(server.streams).toHaveLength(1);
      const completed = await outcomeOf(() => call(writing, "complete", [given.completing.open()]));
      if (written?.error !== undefined) expect(completed?.error).toBeDefined();

      await outcomeOf(async () => {
        const writer = call<object>(opening, "open", ["accounts", given.opening.open()]);
        const pushed = await outcomeOf(() => call<Promise<void>>(writer, "push", [given.pushed.open()]));
        const sealed = await outcomeOf(() => call(writer, "seal", [given.sealing.open()]));
        if (pushed?.error !== undefined) expect(sealed?.error).toBeDefined();
      });

      const other = client.openBatch("batch-1");
      await outcomeOf(() => call(other, "open", [given.collection.open()]));
      other.close();
      const wrong = await outcomeOf(() => call(any, "write", [given.collection.open(), [RECORD]]));
      const ended = await outcomeOf(() => call(any, "complete", [given.completing.open()]));
      if (wrong?.error !== undefined) expect(ended?.error).toBeDefined();
      await outcomeOf(() => JSON.stringify([any.writes, any.stats]).length);
      await outcomeOf(() => call(any, "abort", [given.completing.open()]));
      for (const batch of batches) batch.close();
    });
    await holds(share("write, open, push, seal, complete and abort", 0.2), property);
    seen.expectBoth();
  });
});

describe("hostile options of a run", { timeout: TIMEOUT_MS }, () => {
  const RUN = [
    "installationId",
    "snapshots",
    "restarts",
    "maxDurationMs",
    "signals",
    "waitForLockMs",
    "approveRemovals",
    "signal",
    "onProgress",
  ];
  const base = () => ({
    installationId: "installation-1",
    ledger: memoryLedger(),
    snapshots: ["accounts"],
    restarts: 0,
    guard: { collections: { accounts: { maxRemoved: 5 } } },
  });
  const write = async (batch: SyncBatch) => void (await batch.write("accounts", [RECORD]));

  /** What a function of the caller's throws comes back unchanged. */
  const callersOwn = (fn: unknown) => (reason: unknown) =>
    reason instanceof Ended || (fn !== undefined && /^TypeError: Class constructor/.test(String(reason)));

  test("are refused or obeyed: what is obeyed is completed", async () => {
    const seen = tally();
    const property = fc.asyncProperty(
      hostileVariant(base(), [...RUN, ...RUN, ...RUN, ...GUARD, ...LEDGER]),
      fc.oneof(hostileValue, fc.constant(undefined)),
      async (given, fn) => {
        server.calls.length = 0;
        const run = await outcomeOf(
          () => call<Promise<unknown>>(client, "run", [given.open(), fn === undefined ? write : fn.open()]),
          callersOwn(fn),
        );
        seen.count(run);
        const completed = server.calls.includes("CompleteSyncBatch");
        if (run?.error === undefined && run !== undefined) expect(completed).toBe(true);
      },
    );
    await holds(share("run", 0.15), property);
    seen.expectBoth();
  });

  test.each<[string, () => unknown]>([
    ["nothing", async () => undefined],
    ["null", async () => null],
    ["a text", () => "u1"],
    ["a set without lines", async () => [{ state: "completed" }]],
    ["only that it failed", () => Promise.reject(new Error("disk"))],
  ])("of a ledger that knows %s hold the run", async (_, known) => {
    server.calls.length = 0;
    const ledger = { ...memoryLedger(), known };
    const run = await outcomeOf(() => call<Promise<unknown>>(client, "run", [{ ...base(), ledger }, write]));
    expect(run?.error?.code).toBe("REMOVAL_GUARD");
    expect(server.calls).toEqual(["StartSyncBatch", "AbortSyncBatch"]);
  });

  test("are refused or obeyed by a preview of it", async () => {
    const seen = tally();
    const names = [
      "snapshots",
      "endpoint",
      "installationId",
      "maxIssues",
      "signal",
      "logger",
      "maxSendMessageBytes",
      "messageBytes",
      "windowBytes",
    ];
    const property = fc.asyncProperty(
      options({ ...base(), endpoint: "https://sync.example.com" }, [
        ...names,
        ...names,
        ...names,
        ...GUARD,
        ...LEDGER,
      ]),
      fc.oneof(hostileValue, fc.constant(undefined)),
      async (given, fn) => {
        const previewed = await outcomeOf(
          () => Reflect.apply(previewSync, undefined, [given.open(), fn === undefined ? write : fn.open()]),
          callersOwn(fn),
        );
        seen.count(previewed);
      },
    );
    await holds(share("previewSync", 0.15), property);
    seen.expectBoth();
  });

  test("are refused or obeyed by the ledger of it", async () => {
    const property = fc.asyncProperty(hostileValue, options({}, ["hashIds"]), async (directory, given) => {
      await outcomeOf(() => Reflect.apply(fileLedger, undefined, ["/nowhere", given.open()]));
      await outcomeOf(() => Reflect.apply(fileLedger, undefined, [directory.open(), given.open()]));
    });
    await holds(share("fileLedger", 0.05), property);
  });
});

describe("hostile options of a source", { timeout: TIMEOUT_MS }, () => {
  async function collect<T>(source: AsyncIterable<readonly T[]>): Promise<T[]> {
    const all: T[] = [];
    for await (const some of source) all.push(...some);
    return all;
  }

  test.each([
    ["fromCsv", fromCsv, ["columns", "delimiter", "encoding", "name", "signal"]],
    ["fromJsonl", fromJsonl, ["maxLineBytes", "allowEmpty", "name", "signal"]],
  ] as const)("that reads a file are refused or obeyed by %s", async (name, from, names) => {
    const seen = tally();
    async function* lines(): AsyncGenerator<Uint8Array, void, undefined> {
      yield Buffer.from(from === fromCsv ? "id\nu1\n" : '{"id":"u1"}\n');
    }
    const property = fc.asyncProperty(
      options({}, names),
      hostileValue,
      hostileValue,
      async (own, input, map) => {
        const calls: readonly (readonly unknown[])[] = [
          [lines(), (row: unknown) => row, own.open()],
          [input.open(), (row: unknown) => row],
          [lines(), map.open()],
        ];
        for (const args of calls) {
          const read = await outcomeOf(
            () => {
              const source: AsyncIterable<unknown[]> = Reflect.apply(from, undefined, [...args]);
              return collect(source);
            },
            // What a stream or a function of the caller's throws comes back unchanged.
            (reason) =>
              reason instanceof Ended ||
              (args[2] === undefined && (args[1] === map.open() || args[0] === input.open())),
          );
          if (args === calls[0]) seen.count(read);
        }
      },
    );
    await holds(share(name, 0.05), property);
    seen.expectBoth();
  });

  test("that asks for pages are refused or obeyed, and so is what a page holds", async () => {
    const seen = tally();
    const names = [
      "expectedTotal",
      "maxPages",
      "maxEmptyPages",
      "allowRepeatedPages",
      "prefetch",
      "signal",
      "map",
    ];
    const page = options({ items: [RECORD], next: null, total: 1 }, ["items", "next", "total"]);
    const property = fc.asyncProperty(
      options({ maxPages: 3 }, names),
      page,
      hostileValue,
      async (own, answer, odd) => {
        const fetchPage = async () => ({ items: [RECORD], next: null });
        const read = await outcomeOf(
          () => collect<unknown>(Reflect.apply(fromPages, undefined, [fetchPage, own.open()])),
          (reason) => reason instanceof Ended || mapOf(own) !== undefined,
        );
        seen.count(read);
        await outcomeOf(
          () => collect<unknown>(Reflect.apply(fromPages, undefined, [odd.open()])),
          () => true,
        );
        const fetchAnswer = async () => answer.open();
        await outcomeOf(
          () => collect<unknown>(Reflect.apply(fromPages, undefined, [fetchAnswer, { maxPages: 3 }])),
          (reason) => reason instanceof Ended,
        );
      },
    );
    await holds(share("fromPages", 0.1), property);
    seen.expectBoth();
  });

  function mapOf(own: Boxed<unknown>): unknown {
    const given = own.open();
    return typeof given === "object" && given !== null ? Reflect.get(given, "map") : undefined;
  }
});

describe("hostile options of a request", { timeout: TIMEOUT_MS }, () => {
  const JSON_TYPE = { headers: { "content-type": "application/json" } };
  const answering = (data: unknown) => async (url: string, init: RequestInit) => {
    await new Request(url, init).text();
    return new Response(JSON.stringify({ data }), JSON_TYPE);
  };
  const graphql = (data: unknown) =>
    new GraphQLClient({ apiKey: "key-1", baseUrl: "http://127.0.0.1:9", fetch: answering(data) });

  test("are refused or obeyed", async () => {
    const seen = tally();
    const own = graphql({ a: 1 });
    const names = [
      "signal",
      "timeoutMs",
      "headers",
      "headers/a",
      "headers/te",
      "headers/__proto__",
      "retry",
      "retry/retries",
      "retry/minDelayMs",
      "idempotent",
    ];
    const property = fc.asyncProperty(
      options({ retry: {}, headers: {} }, names),
      hostileValue,
      fc.boolean(),
      async (given, odd, withVariables) => {
        const args = ["query Q { a }", withVariables ? odd.open() : undefined, given.open()];
        seen.count(await outcomeOf(() => call(own, "request", args)));
        await outcomeOf(() => call(own, "rawRequest", [odd.open(), {}, given.open()]));
        await outcomeOf(() => call(own, "createProcurementCase", [odd.open(), given.open()]));
        await outcomeOf(() => call(own, "changeVendorsState", [{}, odd.open(), given.open()]));
      },
    );
    await holds(share("request, rawRequest and mutations", 0.1), property);
    seen.expectBoth();
    await own.close();
  });

  test("of a connection are refused or obeyed", async () => {
    const seen = tally();
    const own = graphql({
      licenses: { nodes: [], pageInfo: { hasNextPage: false, hasPreviousPage: false } },
    });
    const args = options({}, [
      "first",
      "after",
      "last",
      "before",
      "where",
      "order",
      "where/state",
      "order/id",
    ]);
    const given = options({}, ["limit", "prefetch", "signal", "timeoutMs", "headers", "retry"]);
    const paging = options({ select: (data: { readonly licenses: unknown }) => data.licenses }, [
      "select",
      "after",
      "first",
      "before",
      "last",
      "pageSize",
      "limit",
      "signal",
    ]);
    const walk = async (connection: AsyncIterable<unknown>) => {
      for await (const _ of connection);
    };
    const property = fc.asyncProperty(args, given, paging, async (list, each, pages) => {
      seen.count(await outcomeOf(() => walk(call(own, "licenses", [list.open(), each.open()]))));
      const document = "query Q($first: Int, $after: String) { licenses { nodes { id } } }";
      await outcomeOf(
        () => walk(call(own, "paginate", [document, {}, pages.open()])),
        // What `select` throws is the caller's own; a class throws when it is called.
        (reason) => reason instanceof Ended || /^Class constructor Model/.test(messageOf(reason)),
      );
    });
    await holds(share("connections", 0.1), property);
    seen.expectBoth();
    await own.close();
  });
});
