import { z } from "zod";
import { suggestKey } from "../core/validate.js";

/** An object schema that rejects other keys and suggests the one you probably meant. */
export function strictObject<Shape extends z.ZodRawShape>(shape: Shape): z.ZodObject<Shape, z.core.$strict> {
  return z.strictObject(shape, {
    error: (issue) => (issue.code === "unrecognized_keys" ? unknownKey(issue.keys, shape) : undefined),
  });
}

function unknownKey([key = ""]: readonly string[], shape: z.ZodRawShape): string {
  const known = Object.keys(shape);
  return `Unknown key ${JSON.stringify(key)}.${suggestKey(key, known)} Known keys: ${known.join(", ")}`;
}

/** Checks a value that a caller passed in. @throws {TypeError} names the place of the first problem */
export function parse<T>(name: string, schema: z.ZodType<T>, value: unknown): T {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  throw new TypeError(`${placeOf(name, issue?.path ?? [])}: ${issue?.message ?? "Invalid input"}.`);
}

/** Appends a path such as `days[0].exchanges[2]` to a name. */
export function placeOf(name: string, path: readonly PropertyKey[]): string {
  return path.reduce<string>(
    (place, key) => (typeof key === "number" ? `${place}[${key}]` : `${place}.${String(key)}`),
    name,
  );
}

/** A schema for plain data. The data is copied by JSON, without properties that are undefined. */
export function plainData<T>(schema: z.ZodType<T>): z.ZodType<T> {
  // Not structuredClone, which creates objects of another realm under test runners.
  return z.preprocess((value) => JSON.parse(JSON.stringify(value) ?? "null"), schema);
}
