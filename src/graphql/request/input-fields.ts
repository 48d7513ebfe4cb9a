import { InvalidInputError } from "../../core/errors/index.js";
import { describeType, isObject } from "../../core/validate.js";
import { INPUT_FIELDS } from "../generated/operations.js";

interface Field {
  readonly required: boolean;
  /** The input or `Date`; undefined for what is not checked. */
  readonly type: string | undefined;
}

interface Place {
  readonly path: string;
  readonly type: string | undefined;
}

const MAX_LISTED = 25;

const parsed = new Map<string, ReadonlyMap<string, Field>>();

/**
 * The type of a field of an input; undefined if it is not checked.
 * @throws {InvalidInputError} the input has no such field; with the nearest name
 */
export function fieldType({ path, type }: Place, name: string): string | undefined {
  if (type === undefined) return undefined;
  const fields = fieldsOf(type);
  const field = fields.get(name);
  if (field !== undefined) return field.type;
  const names = [...fields.keys()];
  const nearest = nearestName(name, names);
  const hint = nearest === undefined ? "" : ` Did you mean ${nearest}?`;
  const known = names.length > MAX_LISTED ? "" : ` Known: ${names.join(", ")}.`;
  // A key that is not a name may be a secret.
  const shown = /^[A-Za-z_]\w{0,63}$/.test(name) ? ` ${name}` : "";
  throw new InvalidInputError(`${path || "variables"}: unknown field${shown}.${hint}${known}`, {
    issues: [
      { path: path === "" ? name : `${path}.${name}`, expected: nearest ?? `one of ${names.join(", ")}` },
    ],
  });
}

/**
 * Checks the names of an input's fields, and what is missing. One part of a filter that is undefined is no condition; if nothing else stands
 * beside it, the filter matches more than the caller means.
 * @throws {InvalidInputError} an unknown field, a required field is not set, or no condition below the first level
 */
export function checkFields(value: object, { path, type }: Place): void {
  const set = (name: string) => Reflect.get(value, name) !== undefined;
  const keys = Object.keys(value);
  // A wrong name explains why the right one is missing.
  for (const key of keys) fieldType({ path, type }, key);
  const missing = [...fieldsOf(type ?? "")].find(([name, field]) => field.required && !set(name))?.[0];
  const isEmptied = /[.[]/.test(path) && keys.length > 0 && !keys.some(set);
  const wrong = missing ?? (isEmptied ? keys[0] : undefined);
  if (wrong === undefined) return;
  const place = path === "" ? wrong : `${path}.${wrong}`;
  throw new InvalidInputError(`Variable ${place} must be set, got undefined.`, {
    issues: [{ path: place, expected: "a value" }],
  });
}

/** What a value must be that is not an object, but in the place of an input. */
export function expectedForInput(value: unknown, type: string | undefined): string | undefined {
  if (type === undefined || value === null || value === undefined || isObject(value)) return undefined;
  const [first = ""] = fieldsOf(type).keys();
  return `an object such as { ${first}: … }, got ${describeType(value)}`;
}

function fieldsOf(type: string): ReadonlyMap<string, Field> {
  let fields = parsed.get(type);
  if (fields === undefined) {
    const words = (INPUT_FIELDS[type] ?? "").split(" ");
    fields = new Map(
      words.map((word) => {
        const [name = "", input] = word.split(":");
        return [name.replace("!", ""), { required: name.endsWith("!"), type: input }];
      }),
    );
    parsed.set(type, fields);
  }
  return fields;
}

/** The name with the fewest edits, if they are at most two, and not most of the name. */
function nearestName(name: string, names: readonly string[]): string | undefined {
  const ranked = names
    .map((candidate) => ({ candidate, edits: editsBetween(name.toLowerCase(), candidate.toLowerCase()) }))
    .sort((a, b) => a.edits - b.edits);
  const [best] = ranked;
  return best !== undefined && best.edits <= Math.min(2, name.length / 2) ? best.candidate : undefined;
}

function editsBetween(a: string, b: string): number {
  if (Math.abs(a.length - b.length) > 2) return Number.POSITIVE_INFINITY;
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
