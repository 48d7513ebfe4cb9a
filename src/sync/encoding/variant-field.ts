import { isObject } from "../../core/validate.js";

/** The text that a field of a record's variant holds; undefined where it holds none, or cannot be read. */
export function textInVariant(record: unknown, field: string): string | undefined {
  try {
    const variant = isObject(record) ? Object.values(record).find(isObject) : undefined;
    const text: unknown = variant === undefined ? undefined : Reflect.get(variant, field);
    return typeof text === "string" ? text : undefined;
  } catch {
    return undefined;
  }
}
