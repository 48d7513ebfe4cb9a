import { isObject } from "../../core/validate.js";
import type { CollectionInfo } from "../collections.js";

/** Returns where the id of an encoded record lies: the encoder of every variant writes it first. */
export function idRange(
  buffer: Uint8Array,
  recordStart: number,
): { readonly start: number; readonly end: number } {
  const idTag = afterVarint(buffer, afterVarint(buffer, recordStart));
  const length = afterVarint(buffer, idTag);
  const start = afterVarint(buffer, length);
  return { start, end: start + varintAt(buffer, length) };
}

export function afterVarint(buffer: Uint8Array, position: number): number {
  let at = position;
  while ((buffer[at] ?? 0) >= 0x80) at += 1;
  return at + 1;
}

export function varintAt(buffer: Uint8Array, position: number): number {
  let value = 0;
  let factor = 1;
  for (let at = position; ; at += 1) {
    const byte = buffer[at] ?? 0;
    value += (byte & 0x7f) * factor;
    if (byte < 0x80) return value;
    factor *= 0x80;
  }
}

/** Returns the object with a record's fields: the record itself, or the one under its variant's name. */
export function fieldsOf(
  record: unknown,
  { variants }: Pick<CollectionInfo, "variants">,
): object | undefined {
  if (!isObject(record)) return undefined;
  return variants.map((name): unknown => Reflect.get(record, name)).find(isObject) ?? record;
}

/** Returns the string in a field of a record, if there is one. The record may be invalid. */
export function stringIn(
  record: unknown,
  collection: CollectionInfo,
  field = collection.idField,
): string | undefined {
  const fields = fieldsOf(record, collection);
  const value: unknown = fields && field !== undefined ? Reflect.get(fields, field) : undefined;
  return typeof value === "string" ? value : undefined;
}

export function truncateId(id: string): string {
  return id.slice(0, 200);
}
