import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";
import { Readable } from "node:stream";
import { InvalidInputError, type RecordSource, type RecordTypes, TestClock } from "@saas-management/sdk/sync";
import { describe, expect, it, onTestFinished } from "vitest";
import { rejection } from "../support/promises.js";
import { recordsOf } from "../support/scripted-sync-server.js";
import { accounts, until, useScriptedServer } from "../support/sync-harness.js";

type Source = RecordSource<RecordTypes["accounts"]>;

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

function webStream(): Source {
  return new ReadableStream<RecordTypes["accounts"]>({
    start(controller) {
      for (const account of three) controller.enqueue(account);
      controller.close();
    },
  });
}

const arrived = () => harness.server.streams.flatMap((stream) => stream.messages).flatMap(recordsOf);

describe("a source may be", () => {
  it.each<[string, () => Source]>([
    ["an array", () => three],
    ["an array with an iterator of its own", () => Object.assign([], { [Symbol.iterator]: generator })],
    ["a set", () => new Set(three)],
    ["a generator", generator],
    ["an array of arrays", () => [three.slice(0, 1), three.slice(1)]],
    ["an async generator of records", single],
    ["an async generator of arrays", arrays],
    ["a web stream", webStream],
    ["a Node stream", () => Readable.from(three)],
  ])("%s", async (_, source) => {
    const batch = await harness.startBatch();
    await expect(batch.write("accounts", source())).resolves.toMatchObject({ accepted: 3 });
    expect(arrived()).toHaveLength(3);
  });

  it.each<[string, unknown]>([
    ["a string", "accounts"],
    ["a single record", three[0]],
    ["nothing", undefined],
  ])("not %s", async (_, source) => {
    const batch = await harness.startBatch();
    const write: Promise<unknown> = Reflect.apply(batch.write, batch, ["accounts", source]);
    await expect(write).rejects.toThrow(
      /must be an array, an iterable, an async iterable or a ReadableStream/,
    );
  });
});

it.each<[string, unknown, RegExp]>([
  ["a generator that was not called is told to call it", single, /This is a function: call it/],
  ["a function that was not called, too", () => three, /This is a function: call it/],
  ["a class is not", class Accounts {}, /Put a single record into an array/],
  ["a promise is told to await it", Promise.resolve(three), /This is a promise: await it/],
])("%s", async (_, source, advice) => {
  const batch = await harness.startBatch();
  const write: Promise<unknown> = Reflect.apply(batch.write, batch, ["accounts", source]);
  await expect(write).rejects.toThrow(advice);
});

describe("an empty source of what never holds records is refused, and not taken for an empty collection", () => {
  const empty = new URL("data:,");
  const FILES = /holds no records.*fromCsv or fromJsonl/;
  const VALUES = /holds no records.*give its values\(\)/;
  it.each<[string, () => unknown, RegExp]>([
    ["a stream of bytes", () => Readable.from([], { objectMode: false }), FILES],
    ["a file that is not there", () => createReadStream("/nowhere/accounts.csv"), FILES],
    ["the body of a response", () => new Response("").body, FILES],
    ["the lines of a file", () => createInterface({ input: Readable.from([]) }), FILES],
    ["a buffer", () => Buffer.alloc(0), FILES],
    ["a text object", () => Object(""), FILES],
    ["a Map", () => new Map(), VALUES],
    ["a query", () => empty.searchParams, VALUES],
    ["headers", () => new Headers(), VALUES],
    ["a form", () => new FormData(), VALUES],
  ])("%s", async (_, source, message) => {
    const batch = await harness.startBatch();
    const write: Promise<unknown> = Reflect.apply(batch.write, batch, ["accounts", source()]);
    await expect(write).rejects.toMatchObject({
      code: "INVALID_INPUT",
      message: expect.stringMatching(message),
    });
    expect(harness.server.streams).toHaveLength(0);
    await expect(batch.complete()).rejects.toMatchObject({ reason: "incomplete" });
  });
});

it("a stream of bytes that is refused is closed", async () => {
  const batch = await harness.startBatch();
  let cancelled = false;
  const body = new ReadableStream({
    type: "bytes",
    cancel: () => {
      cancelled = true;
    },
  });
  const write: Promise<unknown> = Reflect.apply(batch.write, batch, ["accounts", body]);
  await expect(write).rejects.toThrow(/a stream of bytes, which holds no records/);
  expect(cancelled).toBe(true);
});

it("a web stream that somebody else reads is refused, and nothing of it is taken", async () => {
  const batch = await harness.startBatch();
  const stream = new ReadableStream<ReturnType<typeof accounts>>({
    start: (controller) => controller.enqueue(accounts(3)),
  });
  const reader = stream.getReader();
  await expect(batch.write("accounts", stream)).rejects.toMatchObject({
    code: "INVALID_INPUT",
    message: expect.stringContaining("is a stream that is locked"),
  });
  expect(await reader.read()).toMatchObject({ done: false });
  await expect(batch.complete()).rejects.toMatchObject({ reason: "incomplete" });
});

it("an unknown collection is refused with the list of those that there are", async () => {
  const batch = await harness.startBatch();
  const write: Promise<unknown> = Reflect.apply(batch.write, batch, ["users", three]);
  await expect(write).rejects.toThrow(/Collections: accounts, plans, licenses/);
});

describe("an iterable that does not keep to what an iterable is", () => {
  const giving = (step: unknown) => ({ next: () => step });
  it.each<[string, unknown, RegExp]>([
    [
      "an async iterator's step that is nothing",
      { [Symbol.asyncIterator]: () => giving(undefined) },
      /next\(\) gave undefined/,
    ],
    [
      "an iterator's step that is nothing",
      { [Symbol.iterator]: () => giving(undefined) },
      /next\(\) gave undefined/,
    ],
    [
      "a step that is the record's text",
      { [Symbol.iterator]: () => giving("s3cret") },
      /next\(\) gave a string: /,
    ],
    [
      "no async iterator",
      { [Symbol.asyncIterator]: () => undefined },
      /\[Symbol\.asyncIterator\]\(\) that returns no iterator/,
    ],
    ["no iterator", { [Symbol.iterator]: () => ({}) }, /\[Symbol\.iterator\]\(\) that returns no iterator/],
  ])("is refused with what is wrong: %s", async (_, source, message) => {
    const batch = await harness.startBatch();
    const write: Promise<unknown> = Reflect.apply(batch.write, batch, ["accounts", source]);
    await expect(write).rejects.toMatchObject({
      code: "INVALID_INPUT",
      message: expect.stringMatching(message),
    });
    await expect(batch.complete()).rejects.toMatchObject({ reason: "incomplete" });
  });
});

describe("a source whose last records are returned, not yielded, fails its write", () => {
  it.each<[string, () => unknown]>([
    [
      "a generator that returns a page",
      function* () {
        yield three.slice(0, 2);
        return three.slice(2);
      },
    ],
    [
      "an async generator that returns a record",
      async function* () {
        yield three.slice(0, 2);
        return three[2];
      },
    ],
    [
      "an iterator that gives its last record with done",
      () => {
        let next = 0;
        return {
          [Symbol.iterator]: () => ({
            next: () => ({ done: next === three.length - 1, value: three[next++] }),
          }),
        };
      },
    ],
  ])("%s", async (_, source) => {
    const batch = await harness.startBatch();
    const write: Promise<unknown> = Reflect.apply(batch.write, batch, ["accounts", source()]);
    await expect(write).rejects.toMatchObject({
      code: "INVALID_INPUT",
      message: expect.stringMatching(/together with done.*yield it/),
    });
    await expect(batch.complete()).rejects.toMatchObject({ reason: "incomplete" });
  });

  it("one that returns a number, such as how many there were, does not", async () => {
    const batch = await harness.startBatch();
    async function* counted() {
      yield three;
      return three.length;
    }
    await expect(batch.write("accounts", counted())).resolves.toMatchObject({ accepted: 3 });
  });
});

describe("an iterator that was read before", () => {
  it.each<[string, () => Source]>([
    ["a generator", generator],
    ["an async generator", single],
  ])("is refused, and not taken for an empty collection: %s", async (_, source) => {
    const iterator = source();
    await (await harness.startBatch()).write("accounts", iterator);
    const again = (await harness.startBatch()).write("accounts", iterator);
    await expect(again).rejects.toBeInstanceOf(InvalidInputError);
    await expect(again).rejects.toThrow(/exhausted/);
    expect(arrived()).toHaveLength(3);
  });
});

describe("a source that", () => {
  it("throws ends the write with its own exception, and is not asked to return", async () => {
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

  it("is endless is read no further than two windows ahead of a server that does not answer", async () => {
    let answer = () => {};
    harness.server.beforeAnswer = () =>
      new Promise((resolve) => {
        answer = resolve;
      });
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
    // Long enough for a reader without backpressure to run far ahead.
    for (let turn = 0; turn < 200; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    expect(pulled).toBeLessThanOrEqual(2 * 8 + 4);
    answer();
    await batch.abort();
    await expect(write).rejects.toMatchObject({ reason: "aborted" });
    await until(() => returned);
  });

  it("is endless costs no more memory than two windows of small messages do", async () => {
    harness.server.beforeAnswer = () => new Promise(() => {});
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

  it.each<[string, (write: () => Promise<unknown>) => Promise<unknown>]>([
    ["awaits", (write) => write()],
    [
      "awaits, deep in its helpers and after other work, ",
      async (write) => {
        const helper = async () => {
          await new Promise((resolve) => setImmediate(resolve));
          return Promise.all([write()]);
        };
        await helper();
      },
    ],
  ])("%s a write of its own batch is refused, and does not hang", async (_, call) => {
    const batch = await harness.startBatch();
    async function* fanOut() {
      yield accounts(1);
      await call(() => batch.write("groups", []));
      yield accounts(1);
    }
    await expect(batch.write("accounts", fanOut())).rejects.toThrow(/would wait for itself.*batch\.open/);
    await expect(batch.complete()).rejects.toMatchObject({ reason: "incomplete" });
  });

  it.each<[string, PropertyDescriptorMap]>([
    [
      "gives the places of calls",
      { prepareStackTrace: { value: (_: unknown, places: unknown) => places, writable: true } },
    ],
    ["gives an object", { prepareStackTrace: { value: () => ({}), writable: true } }],
    [
      "throws",
      {
        prepareStackTrace: {
          value: () => {
            throw new Error("a hook");
          },
          writable: true,
        },
      },
    ],
    ["cannot be set, as those of a frozen Error", { stackTraceLimit: { value: 50, writable: false } }],
  ])(
    "awaits a write of its own batch is refused where a hook of the process's stacks %s",
    async (_, hooks) => {
      const batch = await harness.startBatch();
      async function* fanOut() {
        yield accounts(1);
        await batch.write("groups", []);
      }
      const before = Object.entries(Object.getOwnPropertyDescriptors(Error));
      const restore = () => {
        for (const name of Object.keys(hooks)) Reflect.deleteProperty(Error, name);
        for (const [name, was] of before) if (name in hooks) Object.defineProperty(Error, name, was);
      };
      onTestFinished(restore);
      for (const [name, hook] of Object.entries(hooks))
        Object.defineProperty(Error, name, { ...hook, configurable: true });
      const during = Object.getOwnPropertyDescriptors(Error);
      const write = batch.write("accounts", fanOut());
      const after = Object.getOwnPropertyDescriptors(Error);
      const error = await rejection(write);
      restore();
      expect(error).toMatchObject({ message: expect.stringContaining("would wait for itself") });
      expect(after).toEqual(during);
    },
  );

  it("writes to another batch is none of the first one's business", async () => {
    const batch = await harness.startBatch();
    const other = await harness.startBatch();
    async function* fanOut() {
      yield accounts(1);
      await other.write("groups", []);
    }
    await batch.write("accounts", fanOut());
    expect(other.stats.groups?.windows).toBe(1);
  });

  it("takes long for each record, with nothing to wait for, lets others have their turn", async () => {
    const clock = new TestClock({ startAt: 0 });
    const batch = await harness.startBatch({ clock });
    let turned = false;
    let turnedAfter = 0;
    function* slow() {
      setImmediate(() => {
        turned = true;
      });
      for (const account of accounts(100)) {
        clock.advance(10);
        yield account;
        if (!turned) turnedAfter += 1;
      }
    }
    await batch.write("accounts", slow());
    expect(turnedAfter).toBeLessThanOrEqual(16);
  });

  it("is a stream that never answers is closed when its write ends", async () => {
    const quiet = new Readable({ objectMode: true, read() {} });
    const cancelled: string[] = [];
    const web = new ReadableStream<RecordTypes["accounts"]>({ cancel: () => void cancelled.push("web") });
    for (const source of [quiet, web]) {
      const stop = new AbortController();
      const batch = await harness.startBatch();
      const write = batch.write("accounts", source, { signal: stop.signal });
      await until(() => batch.writes[0]?.state === "writing");
      stop.abort(new Error("SIGTERM"));
      await expect(write).rejects.toThrow("SIGTERM");
      batch.close();
    }
    expect(quiet.destroyed).toBe(true);
    expect(cancelled).toEqual(["web"]);
    await until(() => !web.locked);
  });

  it("ends quietly because its signal fired does not count as a whole snapshot", async () => {
    const stop = new AbortController();
    const reason = new Error("SIGTERM");
    async function* source() {
      yield accounts(1);
      stop.abort(reason);
    }
    const batch = await harness.startBatch();
    await expect(batch.write("accounts", source(), { signal: stop.signal })).rejects.toBe(reason);
    await expect(batch.complete()).rejects.toMatchObject({ reason: "incomplete" });
  });
});

describe("a record", () => {
  const sentIds = () => JSON.stringify(arrived()).match(/u\d+/g);

  it("of an array is sent as it is when its turn comes, as is documented", async () => {
    const batch = await harness.startBatch();
    const users = accounts(2);
    const write = batch.write("accounts", users);
    for (const { generic } of users) generic.id = `${generic.id}0`;
    await expect(write).resolves.toMatchObject({ accepted: 2 });
    expect(sentIds()).toEqual(["u00", "u10"]);
  });

  it.each(["synchronous", "asynchronous"])(
    "may be one object that a %s generator fills anew",
    async (kind) => {
      const user = { generic: { id: "" } };
      function* generator() {
        for (const id of ["u1", "u2", "u3"]) {
          user.generic.id = id;
          yield user;
        }
      }
      async function* asynchronous() {
        yield* generator();
      }
      const batch = await harness.startBatch();
      await batch.write("accounts", kind === "synchronous" ? generator() : asynchronous());
      expect(sentIds()).toEqual(["u1", "u2", "u3"]);
    },
  );
});

it("progress is told after each accepted window, with the figures so far", async () => {
  const batch = await harness.startBatch({ messageBytes: 1000, windowBytes: 1000 });
  const seen: number[] = [];
  const result = await batch.write("accounts", accounts(20), {
    onProgress: (event) => {
      if (event.type === "window-accepted") seen.push(event.accepted);
    },
  });
  expect(seen.length).toBeGreaterThan(2);
  expect(seen).toEqual([...seen].sort((a, b) => a - b));
  expect(seen.at(-1)).toBe(20);
  expect(result.accepted).toBe(20);
  const { collection, ...figures } = result;
  expect(batch.stats).toEqual({ [collection]: figures });
});
