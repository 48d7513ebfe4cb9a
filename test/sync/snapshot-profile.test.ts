import type { RecordOf, SnapshotCollection } from "@saas-management/sdk";
import fc from "fast-check";
import { expect, test } from "vitest";
import { COLLECTIONS } from "../../src/sync/collections.js";
import { MessageBuilder } from "../../src/sync/encoding/message-builder.js";
import { fieldsOf, stringIn } from "../../src/sync/encoding/record-id.js";
import { EncodedRecord } from "../../src/sync/encoding/record-observer.js";
import { ENCODERS } from "../../src/sync/generated/encoders.js";
import { PROFILES } from "../../src/sync/generated/profiles.js";
import { SnapshotIds } from "../../src/sync/guard/snapshot-ids.js";
import { ProfileCounter } from "../../src/sync/ids/profile-counter.js";
import { changedRecords, EMPTY_PROFILE, type SnapshotProfile } from "../../src/sync/ids/snapshot-profile.js";
import { LIMITS, RUNS, SEED, TIMEOUT_MS } from "../support/property-runs.js";
import { RECORDS } from "../support/record-arbitraries.js";

const SNAPSHOTS = [
  "accounts",
  "plans",
  "licenses",
  "employees",
  "groups",
  "groupMembers",
  "devices",
] as const;

/** The profile of records that are encoded as a write encodes them. */
function profileOf(collection: SnapshotCollection, records: readonly unknown[]): SnapshotProfile {
  const ids = new SnapshotIds({ profiled: collection, write: undefined, keyOf: undefined });
  const builder = new MessageBuilder("batch-1", COLLECTIONS[collection], 10_000);
  const encoded = new EncodedRecord(true);
  for (const [index, record] of records.entries()) {
    expect(builder.encode(record, ENCODERS[collection])).toBe(true);
    const { buffer, recordStart, recordEnd } = builder;
    expect(ids.observe(encoded.moveTo(buffer, recordStart, recordEnd, index))).toBeUndefined();
    builder.keep(index);
  }
  return ids.profile();
}

/** Counts the fields of the records themselves. */
function plainCount(
  collection: SnapshotCollection,
  records: readonly object[],
): Omit<SnapshotProfile, "sample"> {
  const filled: Record<string, number> = {};
  const choices: Record<string, Record<string, number>> = {};
  for (const record of records) {
    const fields = fieldsOf(record, COLLECTIONS[collection]) ?? {};
    const variant = Object.entries(record).find(([, value]) => value === fields)?.[0];
    for (const [field, value] of Object.entries(fields)) {
      if (field === COLLECTIONS[collection].idField || !isFilled(value)) continue;
      const name = variant === undefined ? field : `${variant}.${field}`;
      filled[name] = (filled[name] ?? 0) + 1;
      if (typeof value !== "boolean") continue;
      choices[name] = { ...choices[name], [`${value}`]: (choices[name]?.[`${value}`] ?? 0) + 1 };
    }
  }
  return { records: records.length, filled, choices };
}

function isFilled(value: unknown): boolean {
  if (value instanceof Date || ["boolean", "number", "bigint"].includes(typeof value)) return true;
  return value !== undefined && value !== null && Object.keys(Object(value)).length > 0;
}

const snapshot = fc.constantFrom(...SNAPSHOTS).chain((name) => {
  const record: fc.Arbitrary<RecordOf<SnapshotCollection>> = RECORDS[name];
  const records = fc.uniqueArray(record, {
    selector: (one) => stringIn(one, COLLECTIONS[name]),
    maxLength: 30,
  });
  return fc.tuple(fc.constant(name), records);
});

test("counts the filled fields and the choices of every snapshot", { timeout: TIMEOUT_MS }, () => {
  const property = fc.property(snapshot, ([name, records]) => {
    const { sample, ...counted } = profileOf(name, records);
    expect(counted).toEqual(plainCount(name, records));
    expect(Buffer.from(sample, "base64").length % 4).toBe(0);
  });
  fc.assert(property, { ...LIMITS, numRuns: 2 * RUNS });
});

test("counts a record once that is sent twice", () => {
  const once = [account(1), account(2)];
  expect(profileOf("accounts", [...once, ...once])).toEqual(profileOf("accounts", once));
});

test("counts nothing in an empty snapshot", () => {
  expect(profileOf("accounts", [])).toEqual(EMPTY_PROFILE);
});

test("counts enums by their values, and numbers of any size", () => {
  const counter = new ProfileCounter([
    {
      number: 1,
      prefix: "",
      text: { 2: "text" },
      choice: { 3: ["level", { 1: "LOW", 200: "HIGH" }] },
      other: { 4: "size", 40: "time" },
      sampled: undefined,
    },
  ]);
  const high = [24, 0xc8, 0x01];
  const minusOne = [32, ...Array.from({ length: 9 }, () => 0xff), 0x01];
  const emptyTime = [0xc2, 0x02, 0];
  for (const fields of [[24, 1], high, [...high, ...minusOne], [...high, 32, 0, ...emptyTime], [18, 0]]) {
    const bytes = Uint8Array.of(10, 3 + fields.length, 10, 1, 65, ...fields);
    const place = { start: 0, end: bytes.length, idStart: 4, idEnd: 5 };
    counter.add(new DataView(bytes.buffer), place);
  }
  expect(counter.profile()).toEqual({
    records: 5,
    filled: { level: 4, size: 2, time: 1 },
    choices: { level: { LOW: 1, HIGH: 3 } },
    sample: "",
  });
});

test.each(SNAPSHOTS)("a profile of %s takes at most 1 KiB", (name) => {
  const record: fc.Arbitrary<RecordOf<SnapshotCollection>> = RECORDS[name];
  const records = fc.sample(
    fc.uniqueArray(record, {
      selector: (one) => stringIn(one, COLLECTIONS[name]),
      minLength: 300,
      maxLength: 300,
    }),
    { seed: SEED, numRuns: 1 },
  );
  const profile = profileOf(name, records[0] ?? []);
  const fields = PROFILES[name].flatMap(({ prefix, text, choice, other }) =>
    [...Object.values(text), ...Object.values(other), ...Object.values(choice).map(([field]) => field)].map(
      (field) => prefix + field,
    ),
  );
  expect(Object.keys(profile.filled).sort()).toEqual(fields.sort());
  const large = JSON.stringify(profile, (_, value: unknown) => (typeof value === "number" ? 200_000 : value));
  expect(large.length).toBeLessThanOrEqual(1024);
});

const account = (i: number) => ({
  id: `account-${i}`,
  name: `Name ${i}`,
  email: `${i}@example.com`,
  active: true,
});
const accounts = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => account(from + i));
const before = profileOf("accounts", accounts(0, 2000)).sample;

test("samples the same 40 records in any order", () => {
  expect(Buffer.from(before, "base64")).toHaveLength(160);
  expect(profileOf("accounts", accounts(0, 2000).reverse()).sample).toBe(before);
  expect(changedRecords(before, before)).toEqual({ kept: 40, changed: 0 });
});

test("finds that the records of all ids are others", () => {
  const others = accounts(0, 2000).map((one) => ({
    ...one,
    name: `Other ${one.name}`,
    email: `x${one.email}`,
  }));
  const { kept, changed } = changedRecords(before, profileOf("accounts", others).sample);
  expect(kept).toBe(40);
  expect(changed).toBeGreaterThan(37);
});

test.each([
  ["e-mail addresses", { email: "moved@example.org" }],
  ["names", { name: "Renamed" }],
  ["neither name nor address", { active: false, username: "u" }],
])("counts no record as another one if %s change", (_, change) => {
  const now = accounts(0, 2000).map((one) => ({ ...one, ...change }));
  expect(changedRecords(before, profileOf("accounts", now).sample)).toEqual({ kept: 40, changed: 0 });
});

test("keeps enough of the sample when a quarter of the ids leave and as many come", () => {
  const { kept, changed } = changedRecords(before, profileOf("accounts", accounts(500, 2500)).sample);
  expect(kept).toBeGreaterThanOrEqual(20);
  expect(changed).toBe(0);
});

test("samples employees of every directory by name and address", () => {
  const employees = (name: string) => [
    { id: "1", fullName: `${name} 1`, email: `${name}.1@example.com` },
    { microsoft: { id: "2", displayName: `${name} 2`, userPrincipalName: `${name}.2@example.com` } },
    { google: { id: "3", fullName: `${name} 3`, primaryEmail: `${name}.3@example.com` } },
    { okta: { id: "4", displayName: `${name} 4`, login: `${name}.4@example.com` } },
    { bambooHr: { id: "5", displayName: `${name} 5`, workEmail: `${name}.5@example.com` } },
  ];
  const sample = (name: string) => profileOf("employees", employees(name)).sample;
  expect(changedRecords(sample("Ada"), sample("Bob"))).toEqual({ kept: 5, changed: 5 });
});

test("samples nothing of records without names and addresses", () => {
  const license = { sourceId: "1", sourceAccountId: "a", sourcePlanId: "p", billable: true };
  expect(profileOf("licenses", [license]).sample).toBe("");
});

test("makes the samples that ledgers hold", () => {
  expect(profileOf("accounts", accounts(0, 3)).sample).toMatchInlineSnapshot(`"OFyKMDMEokFT/Y2S"`);
});
