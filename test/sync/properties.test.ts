import { type Collection, InvalidInputError, type RecordOf, type SyncBatch } from "@saas-management/sdk";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { SyncClientOptions } from "../../src/sync/options.js";
import { LIMITS, RUNS, TIMEOUT_MS } from "../support/property-runs.js";
import { COLLECTION_NAMES, RECORDS } from "../support/record-arbitraries.js";
import {
  expectFewMessages,
  expectFewWindows,
  expectRecords,
  isEvent,
  MESSAGE_LIMIT,
  totalBytes,
} from "../support/sent-messages.js";
import { useScriptedServer } from "../support/sync-harness.js";
import { recordsOf } from "../support/sync-server.js";

const harness = useScriptedServer();

interface Write {
  readonly collection: Collection;
  readonly records: readonly RecordOf<Collection>[];
  readonly source: "array" | "iterable" | "async";
}

const write: fc.Arbitrary<Write> = fc.constantFrom(...COLLECTION_NAMES).chain((collection) => {
  const record: fc.Arbitrary<RecordOf<Collection>> = RECORDS[collection];
  return fc.record({
    collection: fc.constant(collection),
    records: fc.array(record, { maxLength: 20, size: "max" }),
    source: fc.constantFrom<Write["source"][]>("array", "iterable", "async"),
  });
});

const sizes = fc.record({
  messageBytes: fc.oneof(fc.integer({ min: 1, max: 1000 }), fc.integer({ min: 1000, max: 4000 })),
  windowBytes: fc.oneof(
    { weight: 1, arbitrary: fc.constant(1) },
    { weight: 4, arbitrary: fc.integer({ min: 1000, max: 10_000 }) },
  ),
});

test("sends any records in order, in as few messages and windows as possible", {
  timeout: TIMEOUT_MS,
}, async () => {
  const writes = fc.array(write, { minLength: 1, maxLength: 3 });
  const property = fc.asyncProperty(writes, sizes, async (all, { messageBytes, windowBytes }) => {
    const results = await inBatch({ messageBytes, windowBytes }, (batch) =>
      Promise.all(all.map((w) => batch.write(w.collection, sourceOf(w)))),
    );
    const streams = arrivedWindows();
    for (const [i, { collection, records }] of all.entries()) {
      const windows = takeWindows(streams, results[i]?.messages ?? 0);
      const messages = windows.flat();
      expectRecords(messages, collection, records);
      expectFewMessages(messages, messageBytes);
      expectFewWindows(windows, collection, windowBytes);
      const figures = { messages: messages.length, bytes: totalBytes(messages), retries: 0 };
      expect(results[i]).toMatchObject({ accepted: records.length, ...figures });
    }
    expect(streams).toEqual([]);
    expect(harness.server.mostOpenStreams()).toBe(1);
  });
  await fc.assert(property, { ...LIMITS, numRuns: Math.ceil(RUNS / 8) });
});

test("obeys size limits to the byte, and names a record that is too large", {
  timeout: TIMEOUT_MS,
}, async () => {
  const some = write.filter(({ records }) => records.length > 0);
  const room = fc.oneof(fc.constant(0), fc.nat({ max: 500 }));
  const count = fc.integer({ min: 1, max: 20 });
  const property = fc.asyncProperty(some, count, room, async (w, firstOnes, spare) => {
    const { collection, records } = w;
    const alone = (await sent(w, { messageBytes: 1 })).flat();
    expect(alone).toHaveLength(records.length);

    const windowBytes = totalBytes(alone.slice(0, firstOnes)) + spare;
    const windows = await sent(w, { messageBytes: 1, windowBytes });
    expect(windows.flat()).toEqual(alone);
    expectFewWindows(windows, collection, windowBytes);

    const largest = Math.max(...alone.map((message) => message.length));
    const maxSendMessageBytes = largest + spare;
    const full = (await sent(w, { messageBytes: MESSAGE_LIMIT - 1, maxSendMessageBytes })).flat();
    expectRecords(full, collection, records);
    expectFewMessages(full, maxSendMessageBytes);
    expect(Math.max(...full.map((message) => message.length))).toBeLessThanOrEqual(maxSendMessageBytes);

    const error = await sent(w, { maxSendMessageBytes: largest - 1 }).catch((e: unknown) => e);
    expect(error).toBeInstanceOf(InvalidInputError);
    const index = alone.findIndex((message) => message.length === largest);
    expect(error).toMatchObject({ issues: [{ collection, index }] });
    // A window of events is one message, so everything before the impossible message is already accepted.
    const before = arrivedWindows().flat();
    const arrived = before.flatMap(recordsOf).length;
    expect(arrived).toBeLessThanOrEqual(isEvent(collection) ? index : 0);
    expectRecords(before, collection, records.slice(0, arrived));
  });
  await fc.assert(property, { ...LIMITS, numRuns: Math.ceil(RUNS / 12) });
});

/** Closes the client even if `use` fails, because the next run uses the same server. */
async function inBatch<T>(
  options: Partial<SyncClientOptions>,
  use: (batch: SyncBatch) => Promise<T>,
): Promise<T> {
  harness.server.streams.length = 0;
  const client = harness.client({ allowAnyEventTime: true, ...options });
  try {
    return await use(await client.startBatch({ installationId: "installation-1" }));
  } finally {
    await client.close();
  }
}

/** Writes to a new batch, and returns the windows that arrived. */
async function sent(w: Write, options: Partial<SyncClientOptions>): Promise<Uint8Array[][]> {
  await inBatch(options, (batch) => batch.write(w.collection, sourceOf(w)));
  return arrivedWindows();
}

function arrivedWindows(): Uint8Array[][] {
  return harness.server.streams.map(({ messages }) => messages);
}

function sourceOf({ records, source }: Write) {
  if (source === "array") return records;
  if (source === "iterable") return records.values();
  return (async function* () {
    yield* records;
  })();
}

/** Takes windows from the front of the list until the windows taken have this many messages. */
function takeWindows(streams: Uint8Array[][], messages: number): Uint8Array[][] {
  const windows: Uint8Array[][] = [];
  while (windows.flat().length < messages) {
    const window = streams.shift();
    if (window === undefined) throw new Error("The server saw fewer messages than the write reported.");
    windows.push(window);
  }
  return windows;
}
