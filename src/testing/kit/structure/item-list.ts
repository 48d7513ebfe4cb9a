import { isPlainObject } from "../../../core/validate.js";
import { type JsonPath, valueAt } from "./json-path.js";

const ID_NAMES = /^(id|_id|uuid|guid|key|sourceId|source_id)$/i;
const ID_LIKE = /(_id|Id|ID)$|^(email|mail|login|username|userName|user_name|name)$/;

/** Path of the array that the pages have in common and that holds their items; undefined if they have none. */
export function itemListOf(bodies: readonly unknown[]): JsonPath | undefined {
  const paths = new Map<string, JsonPath>();
  for (const body of bodies) for (const path of arraysOf(body)) paths.set(path.join("\n"), path);
  let best: { path: JsonPath; score: number } | undefined;
  for (const path of paths.values()) {
    const lists = bodies.map((body) => valueAt(body, path));
    if (!lists.every((list) => list === null || Array.isArray(list))) continue;
    const items = lists.flat();
    if (bodies.length === 1 && isInsideItem(bodies[0], path)) continue;
    const areObjects = items.every(isPlainObject);
    if (bodies.length === 1 && !areObjects) continue;
    const score = (areObjects ? 1_000_000 : 0) + items.length * 10 - path.length;
    if (best === undefined || score > best.score) best = { path, score };
  }
  return best?.path;
}

function* arraysOf(value: unknown, path: JsonPath = []): Generator<JsonPath, void, undefined> {
  if (Array.isArray(value)) yield path;
  else if (isPlainObject(value))
    for (const [key, inner] of Object.entries(value))
      if (key !== "errors" && key !== "warnings") yield* arraysOf(inner, [...path, key]);
}

/** Whether the object around a list has an id: then it is a detail with a list, such as a user with roles. */
function isInsideItem(body: unknown, path: JsonPath): boolean {
  if (path.length === 0) return false;
  const around = valueAt(body, path.slice(0, -1));
  return isPlainObject(around) && Object.keys(around).some((key) => ID_NAMES.test(key));
}

/** Where the items have an id that differs from item to item. */
export function idOf(items: readonly unknown[]): JsonPath | undefined {
  const candidates = [...idPaths(items[0])];
  const unique = candidates.filter((path) => {
    const ids = items.map((item) => valueAt(item, path));
    return (
      ids.every((id) => (typeof id === "string" && id !== "") || typeof id === "number") &&
      new Set(ids).size === ids.length
    );
  });
  return unique.find((path) => ID_NAMES.test(`${path.at(-1)}`)) ?? unique[0];
}

function* idPaths(item: unknown, path: JsonPath = []): Generator<JsonPath, void, undefined> {
  if (!isPlainObject(item) || path.length > 1) return;
  for (const [key, value] of Object.entries(item)) {
    if (isPlainObject(value)) yield* idPaths(value, [...path, key]);
    else if (ID_NAMES.test(key) || ID_LIKE.test(key)) yield [...path, key];
  }
}
