import type { Collection, RecordOf } from "@saas-management/sdk";
import fc from "fast-check";
import { expect, test } from "vitest";
import { z } from "zod";
import { COLLECTIONS, stringIn } from "../../src/sync/collections.js";
import { explainRecord } from "../../src/sync/encoding/explain-record.js";
import { MessageBuilder } from "../../src/sync/encoding/message-builder.js";
import { EncodedRecord } from "../../src/sync/encoding/record-inspector.js";
import { ENCODERS } from "../../src/sync/generated/encoders.js";
import { holds, type Share } from "../support/fuzz.js";
import { RUNS, TIMEOUT_MS } from "../support/property-runs.js";
import { COLLECTION_NAMES, RECORDS } from "../support/record-arbitraries.js";
import { almostIsoTime, mutated } from "../support/record-mutations.js";
import { recordsOf } from "../support/sync-server.js";

const encoders = (what: string): Share => ({ group: "encoders beside the codec and the schemas", what });

/** A builder that holds the encoded record; undefined if the encoder refuses it. */
function encoded(collection: Collection, record: unknown): MessageBuilder | undefined {
  const builder = new MessageBuilder("batch-1", COLLECTIONS[collection], 1000);
  return builder.encode(record, ENCODERS[collection]) ? builder : undefined;
}

function messageOf(collection: Collection, record: unknown): Uint8Array {
  const builder = encoded(collection, record);
  if (builder === undefined) throw new Error("the encoder refuses the record");
  builder.keep(0);
  return builder.flush().bytes;
}

async function isExplained(collection: Collection, record: unknown): Promise<boolean> {
  const [issue] = await explainRecord(collection, record, { collection, index: 0 });
  return issue?.expected !== "a valid record";
}

const usageAt = (lastActivity: unknown) => ({ id: "u1", sourceActorId: "a1", lastActivity });

const recordIn = (names: readonly Collection[]) =>
  fc.constantFrom(...names).chain((name) => {
    const record: fc.Arbitrary<RecordOf<Collection>> = RECORDS[name];
    return fc.tuple(fc.constant(name), record);
  });

test("reuses a message's buffer only when the message was accepted", () => {
  const builder = new MessageBuilder("batch-1", COLLECTIONS.accounts, 1000);
  const send = (id: string) => {
    builder.encode({ id }, ENCODERS.accounts);
    builder.keep(0);
    return builder.flush();
  };
  const message = send("first");
  const bytes = Buffer.from(message.bytes);
  const next = new MessageBuilder("batch-2", COLLECTIONS.accounts, 100_000);
  expect(next.buffer === message.buffer).toBe(false);
  expect(send("second").buffer === message.buffer).toBe(false);
  expect(bytes.equals(message.bytes)).toBe(true);
});

test("refuses the records that the schema refuses, and no others", { timeout: TIMEOUT_MS }, async () => {
  const some = fc
    .constantFrom(...COLLECTION_NAMES)
    .chain((name) => fc.tuple(fc.constant(name), mutated(RECORDS[name])));
  const verdicts = { taken: 0, refused: 0 };
  const property = fc.asyncProperty(some, async ([name, record]) => {
    const isRefused = encoded(name, record) === undefined;
    expect(await isExplained(name, record)).toBe(isRefused);
    verdicts[isRefused ? "refused" : "taken"] += 1;
  });
  await holds(encoders("records with a mutation"), property);
  expect(Math.min(verdicts.taken, verdicts.refused)).toBeGreaterThan(RUNS / 20);
});

test("reads the times that zod reads, from year 1 to 9999", { timeout: TIMEOUT_MS }, async () => {
  const iso = z.iso.datetime({ offset: true }).regex(/^[^.]*(\.\d{1,9}\D|$)/);
  const property = fc.property(almostIsoTime, (time) => {
    const seconds = iso.safeParse(time).success ? Date.parse(time.replace(/\.\d+/, "")) / 1000 : Number.NaN;
    const isValid = seconds >= Date.parse("0001-01-01T00:00:00Z") / 1000 && seconds < 253_402_300_800;
    expect(encoded("usage", usageAt(time)) !== undefined).toBe(isValid);
  });
  await holds(encoders("times"), property);
});

test.each<[string, Date | string, bigint, number]>([
  ["before 1970", new Date(-1), -1n, 999_000_000],
  ["with nanoseconds", "1969-12-31T23:59:59.000000001Z", -1n, 1],
  ["with an offset", "2026-01-31T10:30:00.250+01:00", 1769851800n, 250_000_000],
  ["at the end of the year 9999", "9999-12-31T23:59:59.999999999Z", 253402300799n, 999_999_999],
])("encodes a time %s exactly", (_, lastActivity, seconds, nanos) => {
  const [record] = recordsOf(messageOf("usage", usageAt(lastActivity)));
  expect(record).toMatchObject({ variant: { value: { lastActivity: { seconds, nanos } } } });
});

test("finds the id in an encoded record", { timeout: TIMEOUT_MS }, async () => {
  const named = COLLECTION_NAMES.filter((name) => COLLECTIONS[name].idField !== undefined);
  const property = fc.property(recordIn(named), ([name, record]) => {
    const { buffer, recordStart } = encoded(name, record) ?? { buffer: Buffer.alloc(0), recordStart: 0 };
    const { idStart, idEnd } = new EncodedRecord(true).moveTo(buffer, recordStart, buffer.length, 0);
    expect(buffer.toString("utf8", idStart, idEnd)).toBe(stringIn(record, COLLECTIONS[name]));
  });
  await holds(encoders("places of ids"), property);
});
