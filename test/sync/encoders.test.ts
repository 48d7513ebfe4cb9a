import type { CollectionName, RecordOf } from "@saas-management/sdk/sync";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { collectionOf } from "../../src/sync/collections.js";
import { examineRecord } from "../../src/sync/encoding/examine-record.js";
import { MessageBuilder } from "../../src/sync/encoding/messages.js";
import { idRange } from "../../src/sync/encoding/record-id.js";
import { ENCODERS } from "../../src/sync/generated/encoders.js";
import { holds, type Share } from "../support/fuzz.js";
import { RUNS, TIMEOUT_MS } from "../support/property-runs.js";
import { COLLECTION_NAMES, RECORDS } from "../support/record-arbitraries.js";
import { almostIsoTime, mutated, proxied } from "../support/record-mutations.js";

const encoders = (what: string): Share => ({ group: "encoders beside the codec and the schemas", what });

/** What the generated encoder makes of a record, in hexadecimal; undefined where it refuses it. */
function encoded(collection: CollectionName, record: unknown): string | undefined {
  const { fieldNumber } = collectionOf(collection);
  const encoder = ENCODERS[collection];
  const builder = new MessageBuilder("batch-1", fieldNumber, 1000);
  if (!builder.encode(record, encoder)) return undefined;
  return builder.buffer.toString("hex", builder.recordStart, builder.recordEnd);
}

/** What the schema makes of it, encoded by the codec. */
function expected(collection: CollectionName, record: unknown): string | undefined {
  const examined = examineRecord(collection, record, { collection, index: 0 });
  return examined.ok ? Buffer.from(examined.bytes).toString("hex") : undefined;
}

const collection = fc.constantFrom(...COLLECTION_NAMES);

function recordsOf(name: CollectionName): fc.Arbitrary<RecordOf<CollectionName>> {
  return RECORDS[name];
}

describe("an encoder", { timeout: TIMEOUT_MS }, () => {
  it("writes every valid record byte for byte as the codec does", async () => {
    const some = collection.chain((name) => fc.tuple(fc.constant(name), recordsOf(name)));
    const property = fc.property(some, ([name, record]) => {
      const bytes = encoded(name, record);
      expect(bytes).toBeDefined();
      expect(bytes).toBe(expected(name, record));
    });
    await holds(encoders("valid records, byte for byte"), property);
  });

  it("takes and refuses what the schema does, however a record is changed", async () => {
    const some = collection.chain((name) => fc.tuple(fc.constant(name), mutated(recordsOf(name))));
    const verdicts = { taken: 0, refused: 0 };
    const property = fc.property(some, ([name, record]) => {
      const bytes = encoded(name, record);
      const reference = expected(name, record);
      expect(bytes).toBe(reference);
      verdicts[bytes === undefined ? "refused" : "taken"] += 1;
    });
    await holds(encoders("records with a mutation"), property);
    expect(Math.min(verdicts.taken, verdicts.refused)).toBeGreaterThan(RUNS / 20);
  });

  it("reads the times that the schema reads", async () => {
    const property = fc.property(almostIsoTime, (lastActivity) => {
      const record = { generic: { id: "u1", sourceActorId: "a1", lastActivity } };
      expect(encoded("usage", record)).toBe(expected("usage", record));
    });
    await holds(encoders("times"), property);
  });

  it("takes nothing from a proxy that the schema would refuse", async () => {
    const some = collection.chain((name) => fc.tuple(fc.constant(name), proxied(recordsOf(name))));
    const property = fc.property(some, ([name, record]) => {
      const bytes = encoded(name, record);
      if (bytes !== undefined) expect(bytes).toBe(expected(name, record));
    });
    await holds(encoders("records behind proxies"), property);
  });

  it("reads every value once, so that what it sends is what it has checked", async () => {
    const some = collection.chain((name) => fc.tuple(fc.constant(name), recordsOf(name)));
    const property = fc.property(some, ([name, record]) => {
      const reads = new Map<string, number>();
      const bytes = encoded(name, watched(record, "", reads));
      expect(bytes).toBe(encoded(name, record));
      expect(new Set(reads.values())).toEqual(new Set([1]));
    });
    await holds(encoders("reads of each value"), property);
  });

  it("puts the id where the observer of the records is told", async () => {
    const named = COLLECTION_NAMES.filter((name) => collectionOf(name).hasIds);
    const some = fc.constantFrom(...named).chain((name) => fc.tuple(fc.constant(name), recordsOf(name)));
    const property = fc.property(some, ([name, record]) => {
      const bytes = Buffer.from(encoded(name, record) ?? "", "hex");
      const { start, end } = idRange(bytes, 0);
      expect(bytes.toString("utf8", start, end)).toBe(collectionOf(name).identify(record));
    });
    await holds(encoders("places of ids"), property);
  });
});

/** The same values behind getters that count. */
function watched(value: unknown, path: string, reads: Map<string, number>): unknown {
  if (typeof value !== "object" || value === null || value instanceof Date || Array.isArray(value))
    return value;
  const copy = {};
  for (const [name, entry] of Object.entries(value)) {
    const at = `${path}.${name}`;
    const inner = watched(entry, at, reads);
    const get = () => {
      reads.set(at, (reads.get(at) ?? 0) + 1);
      return inner;
    };
    Object.defineProperty(copy, name, { get, enumerable: true });
  }
  return copy;
}
