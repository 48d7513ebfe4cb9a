import { type CollectionName, InvalidInputError, type RecordOf } from "@saas-management/sdk/sync";
import fc from "fast-check";
import protobuf from "protobufjs";
import { describe, expect, it } from "vitest";
import { SyncRecordsRequest } from "../../src/sync/generated/saas_management/sync/v1/sync_service.js";
import { messageType, recordType } from "../support/contract.js";
import { COLLECTION_NAMES, RECORDS } from "../support/record-arbitraries.js";
import { recordsOf } from "../support/scripted-sync-server.js";
import { useScriptedServer } from "../support/sync-harness.js";
import { ofGenerated, ofInput, ofProtobufjs } from "../support/wire-form.js";

/** `PROPERTY_RUNS=5000 PROPERTY_SEED=$RANDOM npx vitest run test/sync/properties.test.ts` looks further. */
const RUNS = Number(process.env["PROPERTY_RUNS"] ?? 200);
const SEED = Number(process.env["PROPERTY_SEED"] ?? 20_260_101);
const TIMEOUT_MS = 30_000 + 200 * RUNS;

const LIMIT = 16 * 1024 * 1024;
const EVENTS: readonly CollectionName[] = [
  "usage",
  "externallyDiscoveredUsage",
  "auditLogs",
  "aiUsage",
  "aiCost",
];

const harness = useScriptedServer();

interface Write {
  readonly collection: CollectionName;
  readonly records: readonly RecordOf<CollectionName>[];
  readonly source: "array" | "iterable" | "async";
}

interface Sizes {
  readonly messageBytes: number;
  readonly windowBytes: number;
}

const write: fc.Arbitrary<Write> = fc.constantFrom(...COLLECTION_NAMES).chain((collection) => {
  const record: fc.Arbitrary<RecordOf<CollectionName>> = RECORDS[collection];
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

describe("whatever is written,", () => {
  it("its bytes are those records, in order, in as few messages and windows as the sizes allow", {
    timeout: TIMEOUT_MS,
  }, async () => {
    const property = fc.asyncProperty(
      fc.array(write, { minLength: 1, maxLength: 3 }),
      sizes,
      async (writes, chosen) => {
        const client = harness.client(chosen);
        const batch = await client.startBatch({ installationId: "installation-1" });
        const results = await Promise.all(writes.map((w) => batch.write(w.collection, sourceOf(w))));
        await client.close();
        const streams = harness.server.streams.splice(0).map(({ messages }) => messages);
        for (const [i, w] of writes.entries()) {
          const windows = takeWindows(streams, results[i]?.messages ?? 0);
          const messages = windows.flat();
          expectRecords(messages, w);
          expectFewMessages(messages, chosen.messageBytes);
          expectFewWindows(windows, w, chosen.windowBytes);
          expect(results[i]).toMatchObject({
            accepted: w.records.length,
            messages: messages.length,
            bytes: total(messages),
            retries: 0,
          });
        }
        expect(streams).toEqual([]);
        expect(harness.server.mostOpenStreams()).toBe(1);
      },
    );
    await fc.assert(property, parameters(RUNS));
  });

  it("the sizes hold to the byte, and a record too large is named before anything of its window is sent", {
    timeout: TIMEOUT_MS,
  }, async () => {
    const some = write.filter(({ records }) => records.length > 0);
    const room = fc.oneof(fc.constant(0), fc.nat({ max: 500 }));
    const property = fc.asyncProperty(
      some,
      fc.integer({ min: 1, max: 20 }),
      room,
      async (w, count, spare) => {
        harness.server.streams.length = 0;
        const alone = (await sent(w, { messageBytes: 1 })).flat();
        expect(alone).toHaveLength(w.records.length);

        const windowBytes = total(alone.slice(0, count)) + spare;
        const windows = await sent(w, { messageBytes: 1, windowBytes });
        expect(windows.flat()).toEqual(alone);
        expectFewWindows(windows, w, windowBytes);

        const largest = Math.max(...alone.map((message) => message.length));
        const limit = largest + spare;
        const messages = (await sent(w, { messageBytes: LIMIT - 1, maxSendMessageBytes: limit })).flat();
        expectRecords(messages, w);
        expectFewMessages(messages, limit);
        expect(Math.max(...messages.map((message) => message.length))).toBeLessThanOrEqual(limit);

        const error = await sent(w, { maxSendMessageBytes: largest - 1 }).catch((e: unknown) => e);
        expect(error).toBeInstanceOf(InvalidInputError);
        const index = alone.findIndex((message) => message.length === largest);
        expect(error).toMatchObject({ issues: [{ collection: w.collection, index }] });
        // An event's window is its message: what comes before the message that cannot be made is accepted already.
        const before = harness.server.streams.flatMap((stream) => stream.messages);
        const arrived = before.flatMap(recordsOf).length;
        expect(arrived).toBeLessThanOrEqual(EVENTS.includes(w.collection) ? index : 0);
        expectRecords(before, { ...w, records: w.records.slice(0, arrived) });
      },
    );
    await fc.assert(property, parameters(Math.ceil(RUNS / 4)));
  });
});

it.each(COLLECTION_NAMES)(
  "random %s have every field of the contract, and do without each that they may",
  (name) => {
    const type = recordType(name);
    const record: fc.Arbitrary<RecordOf<CollectionName>> = RECORDS[name];
    const seen = new Set<string>();
    for (const r of fc.sample(record, { seed: SEED, numRuns: 500 })) noteFields(seen, type, ofInput(type, r));
    expect([...possibleFields(type)].filter((field) => !seen.has(field))).toEqual([]);
  },
);

/** A search for the smallest counterexample ends in time to show it. */
function parameters(numRuns: number) {
  return { seed: SEED, numRuns, interruptAfterTimeLimit: TIMEOUT_MS - 10_000, markInterruptAsFailure: true };
}

/** Writes to a batch of its own, and returns the windows that arrived. */
async function sent(w: Write, options: Partial<Sizes> & { readonly maxSendMessageBytes?: number }) {
  const client = harness.client(options);
  try {
    const batch = await client.startBatch({ installationId: "installation-1" });
    await batch.write(w.collection, sourceOf(w));
    return harness.server.streams.splice(0).map(({ messages }) => messages);
  } finally {
    await client.close();
  }
}

function sourceOf({ records, source }: Write) {
  if (source === "array") return records;
  if (source === "iterable") return new Set(records);
  return (async function* () {
    yield* records;
  })();
}

/** Takes the streams off the list that hold so many messages. */
function takeWindows(streams: Uint8Array[][], messages: number): Uint8Array[][] {
  const windows: Uint8Array[][] = [];
  while (windows.flat().length < messages) {
    const window = streams.shift();
    if (window === undefined) throw new Error("The server saw fewer messages than the write reported.");
    windows.push(window);
  }
  return windows;
}

/** The messages hold the records: by the generated codec, which would write the same bytes again, and by another. */
function expectRecords(messages: readonly Uint8Array[], { collection, records }: Write): void {
  const request = messageType("SyncRecordsRequest");
  const type = recordType(collection);
  const generated: unknown[] = [];
  const foreign: unknown[] = [];
  for (const bytes of messages) {
    const message = SyncRecordsRequest.decode(bytes);
    expect(message).toMatchObject({ batchId: "batch-1", collection: { $case: collection } });
    expect(Buffer.compare(SyncRecordsRequest.encode(message).finish(), bytes)).toBe(0);
    generated.push(...recordsOf(bytes).map(ofGenerated));
    const decoded = request.decode(bytes);
    expect(Object.keys(decoded)).toEqual(["batchId", collection]);
    const list: { readonly records: readonly unknown[] } = Reflect.get(decoded, collection);
    foreign.push(...list.records.map((record) => ofProtobufjs(type, record)));
  }
  const expected = records.map((record) => ofInput(type, record));
  expect(generated).toStrictEqual(expected);
  expect(foreign).toStrictEqual(expected);
}

/** No message is larger than `limit`, unless a single record is; and none would have room for the next one's first. */
function expectFewMessages(messages: readonly Uint8Array[], limit: number): void {
  for (const [i, message] of messages.entries()) {
    expect(message.length).toBeLessThan(LIMIT);
    if (message.length > limit) expect(recordsOf(message).length).toBeLessThanOrEqual(1);
    const next = messages[i + 1];
    if (next !== undefined) expect(sizeWithFirstOf(message, next)).toBeGreaterThan(limit);
  }
}

function sizeWithFirstOf(message: Uint8Array, next: Uint8Array): number {
  const request = SyncRecordsRequest.decode(message);
  const records: unknown[] = request.collection?.value.records ?? [];
  records.push(recordsOf(next)[0]);
  return SyncRecordsRequest.encode(request).finish().length;
}

function expectFewWindows(windows: readonly Uint8Array[][], { collection }: Write, limit: number): void {
  for (const [i, window] of windows.entries()) {
    if (EVENTS.includes(collection) || total(window) > limit) expect(window).toHaveLength(1);
    else expect(total(window) + (windows[i + 1]?.[0]?.length ?? LIMIT)).toBeGreaterThan(limit);
  }
}

function total(messages: readonly Uint8Array[]): number {
  return messages.reduce((sum, { length }) => sum + length, 0);
}

/** Notes which fields a record has and which it lacks, by their place in the contract. */
function noteFields(seen: Set<string>, type: protobuf.Type, form: Readonly<Record<string, unknown>>): void {
  for (const field of type.fieldsArray) {
    const value = form[field.name];
    seen.add(value === undefined ? `without ${field.fullName}` : field.fullName);
    if (isRecordMessage(field.resolvedType) && isForm(value)) noteFields(seen, field.resolvedType, value);
  }
}

/** What {@link noteFields} can note of valid records. */
function* possibleFields(type: protobuf.Type): Iterable<string> {
  for (const field of type.fieldsArray) {
    const { fullName, options, resolvedType } = field;
    yield fullName;
    const mayLack = field.repeated || field.map || options?.["proto3_optional"] === true;
    const required = Object.keys(options ?? {}).some((option) => option.startsWith("(field_rules).required"));
    if (mayLack && !required) yield `without ${fullName}`;
    if (isRecordMessage(resolvedType)) yield* possibleFields(resolvedType);
  }
}

function isRecordMessage(type: protobuf.ReflectionObject | null): type is protobuf.Type {
  return type instanceof protobuf.Type && type.name !== "Timestamp";
}

function isForm(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}
