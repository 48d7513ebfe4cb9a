import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { GraphQLClient, type GraphQLClientOptions } from "@saas-management/sdk/graphql";
import { fromCsv, fromJsonl, fromPages } from "@saas-management/sdk/sources";
import { fileLedger, memoryLedger, previewSync, type SyncBatch, SyncClient } from "@saas-management/sdk/sync";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { holds, type Share } from "../support/fuzz.js";
import {
  Boxed,
  Ended,
  hostileValue,
  hostileVariant,
  outcomeOf,
  Thrown,
  type UnstableOptions,
  unstableVariant,
} from "../support/hostile.js";
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

  it("are refused, or obeyed, by startBatch and openBatch", async () => {
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

  it("are refused, or obeyed, by write, open, push, seal, complete and abort", async () => {
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
    reason instanceof Ended ||
    (fn !== undefined && (reason instanceof Thrown || /^TypeError: Class constructor/.test(String(reason))));

  it("are refused, or obeyed: what is obeyed is completed", async () => {
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

  it.each<[string, () => unknown]>([
    ["nothing", async () => undefined],
    ["null", async () => null],
    ["a text", () => "u1"],
    ["a set without lines", async () => [{ state: "completed" }]],
    ["only that it failed", () => Promise.reject(new Error("disk"))],
  ])("are a ledger that knows %s: it holds the run", async (_, known) => {
    server.calls.length = 0;
    const ledger = { ...memoryLedger(), known };
    const run = await outcomeOf(() => call<Promise<unknown>>(client, "run", [{ ...base(), ledger }, write]));
    expect(run?.error?.code).toBe("REMOVAL_GUARD");
    expect(server.calls).toEqual(["StartSyncBatch", "AbortSyncBatch"]);
  });

  it("are refused, or obeyed, by a preview of it", async () => {
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

  it("are refused, or obeyed, by the ledger of it", async () => {
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

  it.each([
    ["fromCsv", fromCsv, ["columns", "delimiter", "encoding", "name", "signal"]],
    ["fromJsonl", fromJsonl, ["maxLineBytes", "allowEmpty", "name", "signal"]],
  ] as const)("that reads a file are refused, or obeyed, by %s", async (name, from, names) => {
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
              (args[2] === undefined &&
                (reason instanceof Thrown || args[1] === map.open() || args[0] === input.open())),
          );
          if (args === calls[0]) seen.count(read);
        }
      },
    );
    await holds(share(name, 0.05), property);
    seen.expectBoth();
  });

  it("that asks for pages are refused, or obeyed, and so is what a page holds", async () => {
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
          (reason) => reason instanceof Ended || (reason instanceof Thrown && thenThrows(answer)),
        );
      },
    );
    await holds(share("fromPages", 0.1), property);
    seen.expectBoth();
  });

  /** Whether an async function cannot give this value: the promise of it fails by itself, before anybody reads it. */
  function thenThrows(value: Boxed<unknown>): boolean {
    try {
      Reflect.get(Object(value.open()), "then");
      return false;
    } catch {
      return true;
    }
  }

  function mapOf(own: Boxed<unknown>): unknown {
    const given = own.open();
    try {
      return typeof given === "object" && given !== null ? Reflect.get(given, "map") : undefined;
    } catch {
      return undefined;
    }
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

  it("are refused, or obeyed", async () => {
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

  it("of a connection are refused, or obeyed", async () => {
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
        (reason) =>
          reason instanceof Ended ||
          reason instanceof Thrown ||
          /^Class constructor Model/.test(messageOf(reason)),
      );
    });
    await holds(share("connections", 0.1), property);
    seen.expectBoth();
    await own.close();
  });
});

describe("options of a call that change while they are read", { timeout: TIMEOUT_MS }, () => {
  /** Expects that both come to the same, and counts what that is. */
  async function expectSame(
    { stable, unstable }: UnstableOptions,
    seen: ReturnType<typeof tally>,
    use: (options: object) => Promise<unknown>,
    allowed?: (reason: unknown) => boolean,
  ): Promise<void> {
    const first = await outcomeOf(() => use(stable), allowed);
    const other = await outcomeOf(() => use(unstable), allowed);
    expect(other === undefined).toBe(first === undefined);
    expect(other?.error?.message).toBe(first?.error?.message);
    seen.count(first);
    if (first?.error !== undefined || other?.error !== undefined) return;
    expect(other?.value).toEqual(first?.value);
  }

  it("count as they were when they were read first, by a request", async () => {
    let sent: { readonly headers: unknown; readonly body: string }[] = [];
    const fetch: GraphQLClientOptions["fetch"] = async (_, init) => {
      sent.push({ headers: [...new Headers(init.headers)], body: String(init.body) });
      return new Response(JSON.stringify({ data: { changeVendorsState: { updatedCount: 1 } } }), {
        headers: { "content-type": "application/json" },
      });
    };
    const own = new GraphQLClient({ apiKey: "key-1", baseUrl: "http://127.0.0.1:9", fetch, retry: false });
    const base = { headers: { a: "b" }, idempotent: false, signal: new AbortController().signal };
    const filter = { vendor: { name: { eq: "Acme" } } };
    const some = fc.record({
      given: unstableVariant(base, [
        "headers",
        "headers/a",
        "headers/b",
        "headers/authorization",
        "signal",
        "idempotent",
      ]),
      where: unstableVariant(filter, ["vendor", "vendor/name", "vendor/name/eq", "and", "or"]),
    });
    const seen = tally();
    const property = fc.asyncProperty(some, async ({ given, where }) => {
      for (const [name, before] of [
        ["request", "query Q { a }"],
        ["rawRequest", "query Q { a }"],
      ] as const)
        await expectSame(given.open(), seen, async (options) => {
          sent = [];
          await call(own, name, [before, {}, options]);
          return sent;
        });
      sent = [];
      const change = (narrowed: unknown) =>
        call(own, "changeVendorsState", [{ state: "SANCTIONED" }, narrowed]);
      const changed = await outcomeOf(() => change(where.open().unstable));
      seen.count(changed);
      if (changed?.error !== undefined) return;
      // Whatever it was at which time: a filter that would have been refused is not sent.
      const [{ body } = { body: "" }] = sent;
      const { variables }: { readonly variables: { readonly where: unknown } } = JSON.parse(body);
      await change(variables.where);
      expect(sent[1]?.body).toBe(body);
    });
    await holds(share("options and filters of a request that change", 0.1), property);
    seen.expectBoth();
    await own.close();
  });

  it("count as they were when they were read first, by a connection", async () => {
    let sent: unknown[] = [];
    const page = { nodes: [{ id: "1" }], pageInfo: { hasNextPage: false, hasPreviousPage: false } };
    const fetch: GraphQLClientOptions["fetch"] = async (_, init) => {
      sent.push([[...new Headers(init.headers)], init.body]);
      return new Response(JSON.stringify({ data: { licenses: page } }), {
        headers: { "content-type": "application/json" },
      });
    };
    const own = new GraphQLClient({ apiKey: "key-1", baseUrl: "http://127.0.0.1:9", fetch, retry: false });
    const select = (data: { readonly licenses: unknown }) => data.licenses;
    const some = fc.record({
      args: unstableVariant({ first: 10, after: "c1", where: { id: { eq: "1" } } }, [
        "first",
        "after",
        "last",
        "before",
        "where",
        "order",
      ]),
      given: unstableVariant({ limit: 5, headers: { a: "b" } }, [
        "limit",
        "prefetch",
        "signal",
        "headers",
        "headers/a",
      ]),
      paging: unstableVariant({ select, pageSize: 10 }, [
        "select",
        "pageSize",
        "after",
        "first",
        "last",
        "before",
        "limit",
      ]),
    });
    const seen = tally();
    const walk = async (connection: AsyncIterable<unknown>) => {
      sent = [];
      const nodes: unknown[] = [];
      for await (const node of connection) nodes.push(node);
      return [sent, nodes];
    };
    const property = fc.asyncProperty(some, async ({ args, given, paging }) => {
      await expectSame(args.open(), seen, (list) => walk(call(own, "licenses", [list])));
      await expectSame(given.open(), seen, (options) => walk(call(own, "licenses", [{}, options])));
      const document = "query Q($first: Int, $after: String) { licenses { nodes { id } } }";
      await expectSame(
        paging.open(),
        seen,
        (options) => walk(call(own, "paginate", [document, {}, options])),
        // What `select` throws is the caller's own.
        (reason) => reason instanceof Ended || reason instanceof Thrown || reason instanceof TypeError,
      );
    });
    await holds(share("options of a connection that change", 0.1), property);
    seen.expectBoth();
    await own.close();
  });

  it("count as they were when they were read first, by startBatch, write, open and seal", async () => {
    const start = { installationId: "installation-1", waitForLockMs: 0, keepAlive: { maxIdleMs: 60_000 } };
    const write = { expectedCount: 1, signal: new AbortController().signal };
    const some = fc.record({
      starting: unstableVariant(start, [
        ...Object.keys(start),
        "signal",
        "onProgress",
        "keepAlive/maxIdleMs",
      ]),
      writing: unstableVariant(write, ["expectedCount", "signal", "onProgress"]),
      sealing: unstableVariant({ expectedCount: 1 }, ["expectedCount"]),
    });
    const seen = tally();
    const property = fc.asyncProperty(some, async ({ starting, writing, sealing }) => {
      await expectSame(starting.open(), seen, async (options) => {
        using batch = await call<Promise<SyncBatch>>(client, "startBatch", [options]);
        return batch.id;
      });
      await expectSame(writing.open(), seen, async (options) => {
        using batch = client.openBatch("batch-1");
        return call(batch, "write", ["accounts", [RECORD], options]);
      });
      await expectSame(writing.open(), seen, async (options) => {
        using batch = client.openBatch("batch-1");
        const writer = call<object>(batch, "open", ["accounts", options]);
        await call(writer, "push", [RECORD]);
        return call(writer, "seal", []);
      });
      await expectSame(sealing.open(), seen, async (options) => {
        using batch = client.openBatch("batch-1");
        const writer = batch.open("accounts");
        await writer.push(RECORD);
        return call(writer, "seal", [options]);
      });
    });
    await holds(share("options of a batch and its writes that change", 0.1), property);
    seen.expectBoth();
  });

  it("count as they were when they were read first, by a run and its preview", async () => {
    const guard = { maxRemovedShare: 0.5, minRemoved: 2, collections: { accounts: { maxRemoved: 5 } } };
    const base = () => ({
      installationId: "installation-1",
      ledger: memoryLedger(),
      snapshots: ["accounts"],
      restarts: 0,
      guard,
      approveRemovals: "approval-1",
    });
    const paths = [
      "installationId",
      "ledger",
      "snapshots",
      "restarts",
      "signals",
      "approveRemovals",
      "signal",
      "onProgress",
    ];
    const guards = [
      "guard",
      "guard/minRemoved",
      "guard/maxRemoved",
      "guard/collections",
      "guard/collections/accounts",
      "guard/collections/accounts/maxRemoved",
    ];
    const write = async (batch: SyncBatch) => void (await batch.write("accounts", [RECORD]));
    const seen = tally();
    const property = fc.asyncProperty(unstableVariant(base(), [...paths, ...guards]), async (given) => {
      await expectSame(given.open(), seen, async (options) => {
        server.calls.length = 0;
        await call(client, "run", [options, write]);
        return [...server.calls];
      });
    });
    await holds(share("options of a run that change", 0.1), property);
    seen.expectBoth();
    const previewing = [
      "installationId",
      "endpoint",
      "ledger",
      "snapshots",
      "maxIssues",
      "messageBytes",
      ...guards,
    ];
    const previewed = { ...base(), endpoint: "https://sync.example.com" };
    const preview = fc.asyncProperty(unstableVariant(previewed, previewing), async (given) => {
      await expectSame(given.open(), seen, async (options) => {
        const { collections } = await Reflect.apply(previewSync, undefined, [options, write]);
        return collections;
      });
    });
    await holds(share("options of a preview that change", 0.1), preview);
  });
});
