import { isPlainObject } from "../../../core/validate.js";

/** Path of a value in a JSON document: keys and indexes from the top. */
export type JsonPath = readonly (string | number)[];

export interface Leaf {
  readonly path: JsonPath;
  readonly value: string | number | boolean | null;
}

export function valueAt(value: unknown, path: JsonPath): unknown {
  let at = value;
  for (const key of path) {
    if (Array.isArray(at) && typeof key === "number") at = at[key];
    else if (isPlainObject(at) && Object.hasOwn(at, key)) at = Reflect.get(at, key);
    else return undefined;
  }
  return at;
}

/** A copy with another value at the path; undefined removes the key. Adds missing objects along the way. */
export function withValueAt(value: unknown, path: JsonPath, replacement: unknown): unknown {
  const [key, ...rest] = path;
  if (key === undefined) return replacement;
  if (typeof key === "number") {
    const copy: unknown[] = Array.isArray(value) ? [...value] : [];
    copy[key] = withValueAt(copy[key], rest, replacement);
    return copy;
  }
  const copy: Record<string, unknown> = isPlainObject(value) ? { ...value } : {};
  const inner = withValueAt(copy[key], rest, replacement);
  if (inner === undefined) delete copy[key];
  else copy[key] = inner;
  return copy;
}

/** The values of a document that are neither objects nor arrays. */
export function* leavesOf(value: unknown, path: JsonPath = []): Generator<Leaf, void, undefined> {
  if (Array.isArray(value)) {
    for (const [index, inner] of value.entries()) yield* leavesOf(inner, [...path, index]);
  } else if (isPlainObject(value)) {
    for (const [key, inner] of Object.entries(value)) yield* leavesOf(inner, [...path, key]);
  } else if (
    value === null ||
    typeof value === "string" ||
    typeof value === "number" ||
    typeof value === "boolean"
  ) {
    yield { path, value };
  }
}

export function isWithin(path: JsonPath, outer: JsonPath): boolean {
  return outer.every((key, index) => path[index] === key);
}
