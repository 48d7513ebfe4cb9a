import { createReadStream } from "node:fs";
import { Readable } from "node:stream";
import type { Collection, RecordSource, RecordTypes } from "@saas-management/sdk";
import { TestClock } from "@saas-management/sdk/testing";
import { expect, test } from "vitest";
import { until } from "../support/promises.js";
import { accounts } from "../support/records.js";
import { useScriptedServer } from "../support/sync-harness.js";
import { recordsOf } from "../support/sync-server.js";

type Account = RecordTypes["accounts"];
type Source = RecordSource<Account>;

const harness = useScriptedServer();
const three = accounts(3);

async function* single() {
  yield* three;
}
async function* arrays() {
  yield three.slice(0, 2);
  yield [];
  yield three.slice(2);
}
function* generator() {
  yield* three;
}
const webStream = () =>
  new ReadableStream<Account>({
    start(controller) {
      for (const account of three) controller.enqueue(account);
      controller.close();
    },
  });

const arrived = () => harness.server.streams.flatMap((stream) => stream.messages).flatMap(recordsOf);
const arrivedIds = () => JSON.stringify(arrived()).match(/u\d+/g);

/** Writes something that the types don't allow, and expects that it's refused and the batch can't be completed. */
async function expectRefused(source: unknown, collection = "accounts"): Promise<void> {
  const batch = await harness.startBatch();
  const write: Promise<unknown> = Reflect.apply(batch.write, batch, [collection, source]);
  await expect(write).rejects.toMatchObject({ code: "INVALID_INPUT" });
  await expect(batch.complete()).rejects.toMatchObject({ code: "BATCH_STATE", reason: "incomplete" });
}

test.each<[string, () => Source]>([
  ["an array", () => three],
  ["a set", () => new Set(three)],
  ["a generator", generator],
  ["an array of arrays", () => [three.slice(0, 1), three.slice(1)]],
  ["an async generator of records", single],
  ["an async generator of arrays", arrays],
  ["a web stream", webStream],
  ["a Node stream", () => Readable.from(three)],
])("writes the records of %s", async (_, source) => {
  const batch = await harness.startBatch();
  await expect(batch.write("accounts", source())).resolves.toMatchObject({ accepted: 3 });
  expect(arrivedIds()).toEqual(["u0", "u1", "u2"]);
});

test.each<[string, () => unknown]>([
  ["a string", () => "accounts"],
  ["a single record", () => three[0]],
  ["nothing", () => undefined],
  ["a function that was not called", () => single],
  ["a promise that was not awaited", () => Promise.resolve(three)],
  ["a stream of bytes", () => Readable.from([], { objectMode: false })],
  ["a file", () => createReadStream(import.meta.filename)],
  ["the body of a response", () => new Response("").body],
  ["a buffer", () => Buffer.alloc(0)],
])("refuses %s as a source, even if it is empty", async (_, source) => {
  await expectRefused(source());
  expect(harness.server.streams).toHaveLength(0);
});

test("refuses a locked web stream and reads nothing from it", async () => {
  const stream = webStream();
  const reader = stream.getReader();
  await expectRefused(stream);
  expect(await reader.read()).toMatchObject({ done: false });
});

test.each<[string, () => Source]>([
  ["a generator", generator],
  ["an async generator", single],
  ["a web stream", webStream],
  ["a Node stream", () => Readable.from(three)],
])("refuses %s that an earlier write has read", async (_, source) => {
  const once = source();
  await (await harness.startBatch()).write("accounts", once);
  await expectRefused(once);
  expect(arrived()).toHaveLength(3);
});

test("ignores a number that a generator returns", async () => {
  const batch = await harness.startBatch();
  async function* counted() {
    yield three;
    return three.length;
  }
  await expect(batch.write("accounts", counted())).resolves.toMatchObject({ accepted: 3 });
});

test("fails the write of a page that changes while it is being sent", async () => {
  const page = accounts(50);
  async function* source() {
    yield page;
  }
  const batch = await harness.startBatch({ messageBytes: 300, windowBytes: 300 });
  const write = batch.write("accounts", source());
  await until(() => harness.server.streams.length > 0);
  page.length = 10;
  await expect(write).rejects.toMatchObject({ code: "INVALID_INPUT" });
});

test.each<[string, Collection, () => Generator<unknown>]>([
  [
    "a new record around one inner object that it refills",
    "employees",
    function* () {
      const details = { id: "", displayName: "n", login: "l" };
      for (let i = 0; i < 40; i += 1) {
        details.id = `u${i}`;
        yield { okta: details };
      }
    },
  ],
  [
    "two records in turn that it refills",
    "accounts",
    function* () {
      const pool = [{ id: "" }, { id: "" }];
      for (let i = 0; i < 40; i += 1) {
        const record = pool[i % 2];
        if (record !== undefined) record.id = `u${i}`;
        yield record;
      }
    },
  ],
])("refuses a stream that gives %s", async (_, collection, records) => {
  await expectRefused(Readable.from(records()), collection);
});

test("refuses a stream that gives the same object twice in a row", async () => {
  const [user] = accounts(1);
  await expectRefused(Readable.from([user, user]));
});

test.each(["synchronous", "asynchronous"])("accepts one object that generators refill (%s)", async (kind) => {
  const user = { id: "" };
  function* refilled() {
    for (const id of ["u1", "u2", "u3"]) {
      user.id = id;
      yield user;
    }
  }
  async function* asynchronous() {
    yield* refilled();
  }
  const batch = await harness.startBatch();
  await batch.write("accounts", kind === "synchronous" ? refilled() : asynchronous());
  expect(arrivedIds()).toEqual(["u1", "u2", "u3"]);
});

test.each([undefined, null, "done"])("refuses a source whose next() gives %j", async (step) => {
  await expectRefused({ [Symbol.iterator]: () => ({ next: () => step }) });
  await expectRefused({ [Symbol.asyncIterator]: () => ({ next: async () => step }) });
});

test("rejects with the source's own exception, and does not call the source's return()", async () => {
  const broken = new Error("vendor API");
  let returned = 0;
  const source: Source = {
    [Symbol.asyncIterator]: () => ({
      next: () => Promise.reject(broken),
      return: async () => {
        returned += 1;
        return { done: true, value: undefined };
      },
    }),
  };
  const batch = await harness.startBatch();
  await expect(batch.write("accounts", source)).rejects.toBe(broken);
  expect(arrived()).toHaveLength(0);
  expect(returned).toBe(0);
});

test("reads an endless source at most two windows ahead of a silent service", async () => {
  const answer = harness.server.hold("SyncRecords");
  let pulled = 0;
  let returned = false;
  const source = async function* () {
    try {
      for (;;) {
        pulled += 1;
        yield accounts(1, 1000);
      }
    } finally {
      returned = true;
    }
  };
  const batch = await harness.startBatch({ messageBytes: 2000, windowBytes: 8000 });
  const write = batch.write("accounts", source());
  await until(() => harness.server.streams.length === 1);
  // This is long enough for a reader without backpressure to run far ahead.
  for (let turn = 0; turn < 200; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  expect(pulled).toBeLessThanOrEqual(2 * 8 + 4);
  answer();
  await batch.abort();
  await expect(write).rejects.toMatchObject({ reason: "aborted" });
  await until(() => returned);
});

test("holds at most two windows of small messages in memory", async () => {
  harness.server.hold("SyncRecords");
  let pulled = 0;
  function* source() {
    for (;;) {
      pulled += 1;
      yield* accounts(1);
    }
  }
  const windowBytes = 512 * 1024;
  const batch = await harness.startBatch({ messageBytes: 200, windowBytes });
  const before = process.memoryUsage().arrayBuffers;
  const write = batch.write("accounts", source());
  await until(() => pulled * 150 > 2 * windowBytes && harness.server.streams.length === 1);
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(20 * windowBytes);
  await batch.abort();
  await expect(write).rejects.toMatchObject({ reason: "aborted" });
});

test.each([
  ["a slow source always has a record ready", { bytes: 10, ms: 10, most: 16 }],
  ["a message fills, so that the peer's window is refilled", { bytes: 1000, ms: 0, most: 65 + 16 }],
])("yields to the event loop while %s", async (_, { bytes, ms, most }) => {
  const clock = new TestClock({ startAt: new Date(0) });
  const batch = await harness.startBatch({ clock });
  let turned = false;
  let takenBefore = 0;
  function* ready() {
    setImmediate(() => {
      turned = true;
    });
    for (const account of accounts(200, bytes)) {
      clock.advance(ms);
      yield account;
      if (!turned) takenBefore += 1;
    }
  }
  await batch.write("accounts", ready());
  expect(takenBefore).toBeLessThanOrEqual(most);
});

test("closes a stream that never answers when its write is aborted", async () => {
  const quiet = new Readable({ objectMode: true, read() {} });
  const cancelled: string[] = [];
  const web = new ReadableStream<Account>({ cancel: () => void cancelled.push("web") });
  for (const source of [quiet, web]) {
    const stop = new AbortController();
    const seen: string[] = [];
    const batch = await harness.startBatch({}, { onProgress: ({ type }) => void seen.push(type) });
    const write = batch.write("accounts", source, { signal: stop.signal });
    await until(() => seen.includes("sending"));
    stop.abort(new Error("SIGTERM"));
    await expect(write).rejects.toThrow("SIGTERM");
    batch.close();
  }
  expect(quiet.destroyed).toBe(true);
  expect(cancelled).toEqual(["web"]);
  await until(() => !web.locked);
});
