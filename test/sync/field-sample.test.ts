import type { RecordOf, SnapshotCollection } from "@saas-management/sdk";
import fc from "fast-check";
import { expect, test } from "vitest";
import { isObject } from "../../src/core/validate.js";
import { SnapshotIds } from "../../src/runs/guard/snapshot-ids.js";
import { COLLECTIONS, isSnapshot, stringIn } from "../../src/sync/collections.js";
import { MessageBuilder } from "../../src/sync/encoding/message-builder.js";
import { EncodedRecord } from "../../src/sync/encoding/record-inspector.js";
import { ENCODERS } from "../../src/sync/generated/encoders.js";
import { FIELDS } from "../../src/sync/generated/fields.js";
import {
  changesOf,
  EMPTY_SAMPLE,
  type FieldSample,
  FieldSampler,
  filledOf,
  rowsOf,
} from "../../src/sync/ids/field-sample.js";
import { LIMITS, RUNS, SEED, TIMEOUT_MS } from "../support/property-runs.js";
import { RECORDS } from "../support/record-arbitraries.js";

const SNAPSHOTS = Object.values(COLLECTIONS)
  .map(({ name }) => name)
  .filter(isSnapshot);

/** The sample of records, encoded the way a write encodes them. */
function sampleOf(collection: SnapshotCollection, records: readonly unknown[]): FieldSample {
  const sampler = new FieldSampler(FIELDS[collection], []);
  const ids = new SnapshotIds({ sampler, write: undefined, keyOf: undefined });
  const builder = new MessageBuilder("batch-1", COLLECTIONS[collection], 10_000);
  const encoded = new EncodedRecord(true);
  for (const [index, record] of records.entries()) {
    expect(builder.encode(record, ENCODERS[collection])).toBe(true);
    const { buffer, recordStart, recordEnd } = builder;
    expect(ids.inspect(encoded.moveTo(buffer, recordStart, recordEnd, index))).toBeUndefined();
    builder.keep(index);
  }
  return sampler.sample();
}

/** The value at the path of a field, in the record itself. */
function valueAt(record: object, name: string): unknown {
  return name
    .split(".")
    .reduce<unknown>((value, part) => (isObject(value) ? Reflect.get(value, part) : undefined), record);
}

function isFilled(value: unknown): boolean {
  if (value instanceof Date) return value.getTime() !== 0;
  if (Array.isArray(value)) return value.some((item) => item !== "");
  if (isObject(value)) return Object.entries(value).flat().some(isFilled);
  return value !== undefined && value !== null && value !== "";
}

const recordsOf = (name: SnapshotCollection, size: { minLength?: number; maxLength: number }) => {
  const record: fc.Arbitrary<RecordOf<SnapshotCollection>> = RECORDS[name];
  return fc.uniqueArray(record, { selector: (one) => stringIn(one, COLLECTIONS[name]), ...size });
};

test("counts, for any snapshot, the records in which each field has a value", { timeout: TIMEOUT_MS }, () => {
  const snapshot = fc
    .constantFrom(...SNAPSHOTS)
    .chain((name) => fc.tuple(fc.constant(name), recordsOf(name, { maxLength: 30 })));
  const property = fc.property(snapshot, ([name, records]) => {
    const filled = FIELDS[name].map(({ name: field }) => [
      field,
      records.filter((record) => isFilled(valueAt(record, field))).length,
    ]);
    expect(filledOf(sampleOf(name, records))).toEqual(
      Object.fromEntries(filled.filter(([, count]) => count !== 0)),
    );
  });
  fc.assert(property, { ...LIMITS, numRuns: 2 * RUNS });
});

const account = (i: number) => ({
  id: `account-${i}`,
  name: `Name ${i}`,
  email: `${i}@example.com`,
  active: true,
  roles: [`role ${i}`, "user"],
});
const accounts = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => account(from + i));
const before = sampleOf("accounts", accounts(0, 2000));

/** The fields whose values differ in some of these records. */
function changedBeside(records: readonly object[]) {
  const changes = changesOf(before, sampleOf("accounts", records)).filter(
    ({ lost, other }) => lost + other > 0,
  );
  return changes.map(({ field }) => field);
}

test("samples the same 128 records in any order", () => {
  expect(rowsOf(before).count).toBe(128);
  expect(sampleOf("accounts", accounts(0, 2000).reverse())).toEqual(before);
});

test("samples a record only once if it is sent twice, and samples nothing of an empty snapshot", () => {
  const once = accounts(0, 2);
  expect(sampleOf("accounts", [...once, ...once])).toEqual(sampleOf("accounts", once));
  expect(sampleOf("accounts", [])).toEqual(EMPTY_SAMPLE);
});

test("keeps most of the sample when a quarter of the ids is replaced", () => {
  const [email] = changesOf(before, sampleOf("accounts", accounts(500, 2500)));
  expect(email?.had).toBeGreaterThan(64);
  expect(changedBeside(accounts(500, 2500))).toEqual([]);
});

test("takes at most 1.5 KiB for accounts, and 3.8 KiB for employees of one directory", () => {
  const most = (name: SnapshotCollection, isWanted: (record: object) => boolean) => {
    const [records = []] = fc.sample(recordsOf(name, { minLength: 300, maxLength: 300 }), {
      seed: SEED,
      numRuns: 1,
    });
    return sampleOf(name, records.filter(isWanted)).rows.length;
  };
  expect(most("accounts", () => true)).toBeLessThanOrEqual(1536);
  expect(most("employees", (record) => "fullName" in record)).toBeLessThanOrEqual(3.8 * 1024);
});

test("distinguishes an address from its part before the @, but not from one in another domain", () => {
  const accountsWith = (emailOf: (i: number) => string) =>
    accounts(0, 2000).map((record, i) => ({ ...record, email: emailOf(i) }));
  expect(changedBeside(accountsWith((i) => `${i}@other.example`))).toEqual([]);
  for (const lost of [(i: number) => `${i}`, (i: number) => `@${i}`, (i: number) => `${i}.@example.com`])
    expect(changedBeside(accountsWith(lost))).toEqual(["email"]);
});

test("makes the same samples as existing ledgers", () => {
  expect(sampleOf("accounts", accounts(0, 2))).toMatchInlineSnapshot(`
    {
      "fields": [
        "name",
        "email",
        "active",
        "roles",
      ],
      "rows": "8ttmOALMMIyAZAK8",
    }
  `);
});
