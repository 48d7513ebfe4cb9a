/**
 * The model's records as the SDK would send and sample them. `equivalence.test.ts` checks the samples against the SDK.
 */
import { isPlainObject } from "../../../src/core/validate.js";
import { COLLECTIONS, type SnapshotCollection } from "../../../src/sync/collections.js";
import { MessageBuilder } from "../../../src/sync/encoding/message-builder.js";
import { EncodedRecord } from "../../../src/sync/encoding/record-inspector.js";
import { ENCODERS } from "../../../src/sync/generated/encoders.js";
import { FIELDS } from "../../../src/sync/generated/fields.js";
import {
  type FieldSample,
  FieldSampler,
  ID_BYTES,
  rowsOf,
  SAMPLED_RECORDS,
} from "../../../src/sync/ids/field-sample.js";
import { mixBytes, viewOf } from "../../../src/sync/ids/id-hash.js";
import type { Modelled } from "./fields.js";
import type { View } from "./id-disasters.js";
import { type Field, MISSING, type Population } from "./population.js";

type Fields = Record<string, unknown>;

/** The shipped code for a collection of the model. */
function shipped(modelled: Modelled) {
  const name: SnapshotCollection = modelled;
  return { info: COLLECTIONS[name], fields: FIELDS[name], encoder: ENCODERS[name] };
}

const ORDER_SEED = 0x2545f491;
const HOUR_MS = 3_600_000;
/** What all records of a collection have in common. */
const REQUIRED: Readonly<Record<Modelled, Fields>> = {
  employees: { fullName: "x" },
  accounts: {},
  licenses: { sourceAccountId: "x", sourcePlanId: "x", billable: true },
  plans: { externalPlanName: "x", details: { model: "SEAT_BASED", seatBased: {} } },
  groups: { name: "x" },
  groupMembers: { sourceGroupId: "x", sourceMemberId: "x" },
  devices: {},
};

/** The hash that decides whether the record in a slot is sampled. */
export function orderOf(slot: number): number {
  const id = Buffer.from(idOf(slot));
  return mixBytes(viewOf(id), 0, id.length, ORDER_SEED) >>> 0;
}

/** The sample that the shipped code takes of records. */
export function shippedSample(collection: Modelled, records: readonly Fields[]): FieldSample {
  const { info, fields, encoder } = shipped(collection);
  const sampler = new FieldSampler(fields, []);
  const builder = new MessageBuilder("batch-1", info, 100_000);
  const encoded = new EncodedRecord(true);
  for (const [index, record] of records.entries()) {
    if (!builder.encode(record, encoder)) throw new Error(`A record of ${collection} is wrong.`);
    const { buffer, recordStart, recordEnd } = builder;
    sampler.add(viewOf(buffer), encoded.moveTo(buffer, recordStart, recordEnd, index));
    builder.keep(index);
  }
  return sampler.sample();
}

export function recordOf(
  { collection, fields, domains }: Population,
  slot: number,
  { columns }: View,
): Fields {
  const record = recordWith(collection, slot);
  for (const [i, field] of fields.entries()) {
    const value = columns[i]?.[slot] ?? MISSING;
    if (value !== MISSING) put(record, field.path.split("."), writtenAs(field, value, domains));
  }
  return record;
}

/** What each value of a field looks like in a sample, by collection and path. */
const BYTES = new Map<string, Map<number, number>>();

/**
 * The existing records with the smallest id hashes.
 * @param isNamed Whether the record that a field refers to exists.
 */
export function sampleOf(
  population: Population,
  { alive, columns }: View,
  isNamed: (path: string, value: number) => boolean = () => true,
): FieldSample {
  const { fields, collection } = population;
  const slots = smallest(alive, population.orders);
  const filled = shipped(collection).fields.flatMap(({ name }) => {
    const i = fields.findIndex(({ path }) => path === name);
    const [field, column] = [fields[i], columns[i]];
    if (field === undefined || column === undefined) return [];
    const isFilled = (value: number) => value !== MISSING && isNamed(name, value);
    return slots.some((slot) => isFilled(column[slot] ?? MISSING))
      ? [{ field, column, isFilled, bytes: bytesOf(collection, name) }]
      : [];
  });
  const width = ID_BYTES + filled.length;
  const rows = Buffer.alloc(width * slots.length);
  for (const [row, slot] of slots.entries()) {
    rows.writeUInt16LE((population.orders[slot] ?? 0) & 0xffff, row * width);
    for (const [i, { field, column, isFilled, bytes }] of filled.entries()) {
      const value = column[slot] ?? MISSING;
      if (!isFilled(value)) continue;
      const byte = bytes.get(value) ?? byteOf(collection, field, value);
      bytes.set(value, byte);
      rows[row * width + ID_BYTES + i] = byte;
    }
  }
  return { fields: filled.map(({ field }) => field.path), rows: rows.toString("base64") };
}

function smallest(alive: Uint8Array, orders: Uint32Array): number[] {
  const found: number[] = [];
  let limit = 2 ** 32;
  for (let slot = 0; slot < alive.length; slot += 1) {
    const order = orders[slot] ?? 0;
    if (alive[slot] !== 1 || order >= limit) continue;
    found.splice(found.findLastIndex((other) => (orders[other] ?? 0) < order) + 1, 0, slot);
    if (found.length > SAMPLED_RECORDS) found.pop();
    if (found.length === SAMPLED_RECORDS) limit = orders[found.at(-1) ?? 0] ?? 0;
  }
  return found;
}

function bytesOf(collection: Modelled, path: string): Map<number, number> {
  const known = BYTES.get(`${collection}.${path}`) ?? new Map<number, number>();
  BYTES.set(`${collection}.${path}`, known);
  return known;
}

/** What the shipped sampler makes of a value. */
function byteOf(collection: Modelled, field: Field, value: number): number {
  const record = recordWith(collection, 0);
  put(record, field.path.split("."), writtenAs(field, value, 0));
  const sample = shippedSample(collection, [record]);
  return rowsOf(sample).bytes[ID_BYTES + sample.fields.indexOf(field.path)] ?? 0;
}

function recordWith(collection: Modelled, slot: number): Fields {
  return { ...structuredClone(REQUIRED[collection]), [shipped(collection).info.idField ?? "id"]: idOf(slot) };
}

function idOf(slot: number): string {
  return `r${slot}`;
}

function writtenAs({ path, kind }: Field, value: number, domains: number): unknown {
  const text = `v${value}`;
  if (path === "email") return `${text}@${domains}.example`;
  if (path === "departmentPath" || path === "roles") return ["all", text];
  if (path === "attributes") return { phone: text };
  if (path === "details.model") return "SEAT_BASED";
  if (path === "lastSeen" || kind === "time") return new Date(value * HOUR_MS);
  if (kind === "boolean") return value === 1;
  return kind === "number" || kind === "counter" ? value : text;
}

function put(record: Fields, [name = "", ...rest]: readonly string[], value: unknown): void {
  if (rest.length === 0) {
    record[name] = value;
    return;
  }
  const inner = record[name];
  const fields = isPlainObject(inner) ? inner : {};
  record[name] = fields;
  put(fields, rest, value);
}
