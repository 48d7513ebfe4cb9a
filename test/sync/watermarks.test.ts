import { readFile, writeFile } from "node:fs/promises";
import {
  type EventCollection,
  fileLedger,
  type RunContext,
  type RunOptions,
  storeLedger,
} from "@saas-management/sdk";
import { beforeEach, expect, test } from "vitest";
import { memoryStore } from "../../src/runs/ledger/store.js";
import { connectorOf, previewOf } from "../support/connector.js";
import { resealed } from "../support/ledger-values.js";
import { quietLogger } from "../support/observed.js";
import { until } from "../support/promises.js";
import { usage } from "../support/records.js";
import { testService } from "../support/test-service.js";

const errors: [string, object | undefined][] = [];
const error = (...line: [string, object?]) => void errors.push([line[0], line[1]]);
const service = testService({ sync: { logger: quietLogger({ error }), retry: false } });
beforeEach(() => {
  errors.length = 0;
});

const STATE = /\/state\.\d+$/;

/** A run that sends an event and advances to a value; returns what was committed before. */
async function advanceTo(value: string, options: Partial<RunOptions> = {}, name: EventCollection = "usage") {
  let before: string | undefined;
  await service.run(
    [],
    async (batch, { watermark, advance }) => {
      before = watermark(name);
      await batch.write("usage", [usage(value)]);
      advance(name, value);
    },
    options,
  );
  return before;
}

/** The value that the last completed run committed. */
async function committed(name: EventCollection = "usage", options: Partial<RunOptions> = {}) {
  let value: string | undefined;
  const connector = connectorOf([], async (_, attempt) => {
    value = attempt.watermark(name);
  });
  const { installationId } = service;
  await service.sync.preview(connector, {
    installationId,
    ledger: fileLedger(service.directory),
    ...options,
  });
  return value;
}

test("a run gets the watermark of the last completed run", async () => {
  expect(await advanceTo("one")).toBeUndefined();
  expect(await advanceTo("two")).toBe("one");
  await service.run([], async () => {});
  expect(await committed()).toBe("two");
  expect((await service.files()).filter((path) => STATE.test(path))).toEqual(
    ["00000002", "00000003"].map((number) => expect.stringMatching(`/state.${number}$`)),
  );
});

test("the last call of a completed attempt counts, and the watermark doesn't change until then", async () => {
  await advanceTo("one");
  const seen: (string | undefined)[] = [];
  await service.run([], async (_, attempt) => {
    for (const value of ["two", "zero"]) {
      attempt.advance("usage", value);
      seen.push(attempt.watermark("usage"));
    }
  });
  expect(seen).toEqual(["one", "one"]);
  expect(await committed()).toBe("zero");
});

test("each collection and each installation has its own watermark", async () => {
  const installationId = service.server.createInstallation();
  await advanceTo("of usage");
  await advanceTo("of discovered usage", {}, "externallyDiscoveredUsage");
  await advanceTo("of another installation", { installationId });
  expect(await committed("usage")).toBe("of usage");
  expect(await committed("externallyDiscoveredUsage")).toBe("of discovered usage");
  expect(await committed("usage", { installationId })).toBe("of another installation");
  expect(await committed("externallyDiscoveredUsage", { installationId })).toBeUndefined();
});

test("a preview advances nothing", async () => {
  await advanceTo("one");
  const connector = connectorOf([], async (_, { advance }) => advance("usage", "two"));
  const { installationId, directory } = service;
  await service.sync.preview(connector, { installationId, ledger: fileLedger(directory) });
  expect(await committed()).toBe("one");
});

test.each([
  ["has returned", async () => {}],
  ["has failed", () => Promise.reject(new Error("The vendor is away."))],
  ["was cut off by the signal", (stop: AbortController) => stop.abort(new Error("Stopped."))],
])("an advance after the connector %s is refused, and not stored", async (_, end) => {
  await advanceTo("one");
  const stop = new AbortController();
  let late = () => {};
  const options = { signal: stop.signal };
  const run = service.run(
    [],
    async (_batch, { advance }) => {
      late = () => advance("usage", "late");
      await end(stop);
    },
    options,
  );
  await run.catch(() => {});
  expect(late).toThrow(/^(advance was refused: the connector has returned|Stopped)/);
  expect(await committed()).toBe("one");
});

test("an advance while the run is sending is refused, and the run completes", async () => {
  const slow = service.server.faults.add({ on: "SyncRecords", fault: "delay", ms: 10_000 });
  let late = () => {};
  const run = service.run([], async (batch, { advance }) => {
    advance("usage", "in time");
    late = () => advance("usage", "late");
    await batch.write("usage", [usage("a")]);
  });
  run.catch(() => {});
  await until(() => slow.fired > 0);
  expect(late).toThrow("advance was refused");
  service.clock.advance(10_000);
  await run;
  expect(await committed()).toBe("in time");
});

const wrong: readonly [string, (attempt: RunContext) => unknown][] = [
  ["1 to 1,000 characters, got one of 0", ({ advance }) => advance("usage", "")],
  ["1 to 1,000 characters, got one of 1001", ({ advance }) => advance("usage", "x".repeat(1001))],
  ["got a number", ({ advance }) => Reflect.apply(advance, undefined, ["usage", 7])],
  ["got undefined", ({ advance }) => Reflect.apply(advance, undefined, ["usage"])],
  ["accounts is a snapshot", ({ advance }) => Reflect.apply(advance, undefined, ["accounts", "x"])],
  ["accounts is a snapshot", ({ watermark }) => Reflect.apply(watermark, undefined, ["accounts"])],
  ['no collection "usages"', ({ watermark }) => Reflect.apply(watermark, undefined, ["usages"])],
];

test.each(wrong)("an invalid call is refused in runs and previews: %s", async (message, call) => {
  const refused = { code: "INVALID_INPUT", message: expect.stringContaining(message) };
  const fn = async (_: unknown, attempt: RunContext) => call(attempt);
  await expect(service.run([], fn)).rejects.toMatchObject(refused);
  await expect(previewOf([], fn)).rejects.toMatchObject(refused);
});

test("a value may have 1,000 characters of any kind", async () => {
  const value = `\n\u0000"é\u{1f600}${"x".repeat(994)}`;
  await advanceTo(value);
  expect(await committed()).toBe(value);
});

test("without a ledger there is no watermark, and none can be advanced except in a preview", async () => {
  let seen: unknown = "none yet";
  const fn = async (_: unknown, { watermark, advance }: RunContext) => {
    seen = watermark("usage");
    advance("usage", "one");
  };
  await expect(service.run([], fn, { ledger: "none" })).rejects.toMatchObject({
    code: "INVALID_INPUT",
    message: expect.stringContaining("needs a ledger"),
  });
  expect(seen).toBeUndefined();
  await previewOf([], fn);
});

test.each<[string, (text: string) => string]>([
  ["is empty", () => ""],
  ["is truncated", (text) => text.slice(0, -5)],
  ["is no object", () => "null"],
  ["was edited", (text) => text.replace('"one"', '"two"')],
  ["is no text", (text) => resealed(text.replace('"one"', "1"))],
  ["is of another installation", (text) => resealed(text.replace('"of":"', '"of":"x'))],
])("a run that asks for a watermark sends nothing if it %s", async (_, damage) => {
  await advanceTo("one");
  const path = await service.file(STATE);
  await writeFile(path, damage(await readFile(path, "utf8")));
  await expect(advanceTo("two")).rejects.toMatchObject({
    code: "INVALID_CONFIGURATION",
    message: expect.stringContaining(path),
  });
  expect(service.states()).toEqual(["completed"]);
});

test("a watermark is read again if the previous run replaces it in the meantime", async () => {
  const below = memoryStore();
  await advanceTo("one", { ledger: storeLedger(below) });
  let isReplaced = false;
  const store = {
    ...below,
    get: async (key: string) => {
      if (STATE.test(key) && !isReplaced) {
        isReplaced = true;
        await advanceTo("two", { ledger: storeLedger(below) });
        await below.delete(key);
      }
      return below.get(key);
    },
  };
  expect(await advanceTo("three", { ledger: storeLedger(store) })).toBe("two");
});
