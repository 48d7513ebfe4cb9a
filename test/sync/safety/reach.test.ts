/** A ledger that is briefly out of reach doesn't count as damaged: the run fails, and may be tried again later. */
import { type Connector, disposition, type Store, storeLedger } from "@saas-management/sdk";
import { TestClock } from "@saas-management/sdk/testing";
import { describe, expect, test } from "vitest";
import { StatementError } from "../../../src/postgres/pool.js";
import { memoryStore } from "../../../src/runs/ledger/store.js";
import { connectorOf } from "../../support/connector.js";
import { driven, until } from "../../support/promises.js";
import { isState, type StoreCall, watchedStore } from "../../support/stores.js";
import { accounts, ids, testService } from "../../support/test-service.js";

const service = testService();

const systemError = (code: string) => Object.assign(new Error(`${code}: it happens, open`), { code });
const FAILURES: readonly (readonly [string, () => Error])[] = [
  ["too many open files", () => systemError("EMFILE")],
  ["an error of the disk", () => systemError("EIO")],
  ["a network drive that was restarted", () => systemError("ESTALE")],
  ["a broken connection", () => systemError("ECONNRESET")],
  ["a name server that does not answer", () => systemError("EAI_AGAIN")],
  ["a database that starts", () => new StatementError({ code: "57P03", message: "starting up" })],
  ["a store that says so", () => Object.assign(new Error("throttled"), { retryable: true })],
];

const READS: readonly (readonly [string, (call: StoreCall) => boolean])[] = [
  ["the ids", ({ method, key }) => method === "get" && key.endsWith(".ids")],
  ["the state", ({ method, key }) => method === "get" && isState(key)],
  ["the list", ({ method, key }) => method === "list" && key.endsWith("/")],
];

/** A store in which each call of a kind fails: at once, or while its answer is read. */
function unreachable(
  below: Store,
  fails: (call: StoreCall) => boolean,
  failure: () => Error,
  when: "asked" | "read",
): Store {
  if (when === "asked")
    return watchedStore(below, async (call, go) => {
      if (fails(call)) throw failure();
      return go();
    });
  const cut = async function* <T>(items: AsyncIterable<T>) {
    for await (const item of items) {
      yield item;
      throw failure();
    }
  };
  return {
    ...below,
    get: async (key) => {
      const value = await below.get(key);
      return value && fails({ method: "get", key }) ? cut(value) : value;
    },
    list: (prefix) => (fails({ method: "list", key: prefix }) ? cut(below.list(prefix)) : below.list(prefix)),
  };
}

const thrownBy = (run: Promise<unknown>): Promise<unknown> =>
  run.then(
    () => undefined,
    (error: unknown) => error,
  );

describe.each(FAILURES)("%s", (_, failure) => {
  test.each(READS)("while a run reads %s ends the run with retry-after", async (__, fails) => {
    for (const when of ["asked", "read"] as const) {
      const installationId = service.server.createInstallation();
      const below = memoryStore();
      const run = (store: Store) =>
        service.runAccounts(ids(40), { installationId, ledger: storeLedger(store), firstRun: false });
      await service.runAccounts(ids(40), { installationId, ledger: storeLedger(below) });
      const error = await thrownBy(run(unreachable(below, fails, failure, when)));
      expect(error).toMatchObject({ code: "INVALID_CONFIGURATION", retryable: true });
      expect(String(error)).toContain(failure().message.replace(/\.$/, ""));
      expect(disposition(error)).toBe("retry-after");
      // Nothing was held, listed or offered, and nothing was sent.
      for await (const key of below.list("")) expect(key).not.toMatch(/txt$|state\.00000002$/);
      expect(service.server.inspect(installationId).batches).toHaveLength(1);
      expect(await run(below)).toMatchObject({ surprises: [] });
    }
  });
});

test("a store that refuses permanently is a configuration problem that needs no approval", async () => {
  const below = memoryStore();
  await service.runAccounts(ids(40), { ledger: storeLedger(below) });
  const failure = () => Object.assign(new Error("EACCES: permission denied, open 'x'"), { code: "EACCES" });
  for (const [, fails] of READS) {
    const store = unreachable(below, fails, failure, "asked");
    const error = await thrownBy(
      service.runAccounts(ids(40), { ledger: storeLedger(store), firstRun: false }),
    );
    expect(disposition(error)).toBe("fix-configuration");
    expect(String(error)).toContain("permission denied");
  }
});

/** The store calls of a small second run, each with a name for its purpose. */
const SILENCES: readonly (readonly [string, (call: StoreCall) => boolean])[] = [
  ["the probe", ({ method, key }) => method === "putIfAbsent" && key.includes("/probe-")],
  ...READS,
  ["the ids that it stores", ({ method, key }) => method === "putIfAbsent" && key.endsWith(".ids")],
];

test.each([
  ...SILENCES.map((silence) => ["run", ...silence] as const),
  ...SILENCES.slice(0, -1).map((silence) => ["preview", ...silence] as const),
])("a %s ends by itself if its ledger never answers %s", async (call, _, isSilent) => {
  const clock = new TestClock({ startAt: new Date(1_700_000_000_000) });
  const below = memoryStore();
  const { installationId } = service;
  await service.runAccounts(ids(4), { ledger: storeLedger(below) });
  const reach = async <T>(method: StoreCall["method"], key: string, go: () => Promise<T>): Promise<T> => {
    return isSilent({ method, key }) ? new Promise(() => {}) : go();
  };
  const store: Store = {
    ...below,
    // The value is read to its end before the store falls silent or fails.
    putIfAbsent: async (key, value) => {
      const isNew = await below.putIfAbsent(key, value);
      return reach("putIfAbsent", key, async () => isNew);
    },
    get: (key) => reach("get", key, () => below.get(key)),
    async *list(prefix) {
      await reach("list", prefix, async () => {});
      yield* below.list(prefix);
    },
  };
  const connector: Connector<"accounts"> = connectorOf(["accounts"], (batch) =>
    batch.write("accounts", accounts(4)),
  );
  const sync = service.syncClient({ clock, timeoutMs: 30_000 });
  const error = await driven(
    clock,
    thrownBy(sync[call](connector, { installationId, ledger: storeLedger(store), retryForMs: 0 })),
  );
  expect(error).toMatchObject({
    code: "INVALID_CONFIGURATION",
    message: expect.stringContaining("did not answer within 30 s"),
  });
  expect(disposition(error)).toBe("retry-after");
});

test("a run ends by itself if storing a value fails and the store never answers after that", async () => {
  const clock = new TestClock({ startAt: new Date(1_700_000_000_000) });
  const below = memoryStore();
  await service.runAccounts(ids(40), { ledger: storeLedger(below) });
  let isListing = false;
  let isSilent = false;
  const store: Store = {
    ...unreachable(
      below,
      ({ key }) => isListing && key.endsWith(".ids"),
      () => systemError("EIO"),
      "read",
    ),
    putIfAbsent: async (key, value) => {
      if (!key.endsWith(".removals.txt")) return below.putIfAbsent(key, value);
      isListing = true;
      return below.putIfAbsent(key, value).catch(() => {
        isSilent = true;
        return new Promise(() => {});
      });
    },
  };
  const connector = connectorOf(["accounts"], (batch) => batch.write("accounts", accounts(1)));
  const { installationId } = service;
  const running = thrownBy(
    service
      .syncClient({ clock, timeoutMs: 30_000 })
      .run(connector, { installationId, ledger: storeLedger(store) }),
  );
  await until(() => isSilent);
  clock.advance(30_000);
  expect(await running).toMatchObject({ code: "RUN_HELD" });
});
