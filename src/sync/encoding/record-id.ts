import { isObject } from "../../core/validate.js";
import type { CollectionInfo } from "../collections.js";

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
