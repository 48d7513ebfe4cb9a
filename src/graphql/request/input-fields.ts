import { ENUM_VALUES, INPUT_FIELDS } from "../generated/operations.js";

interface Field {
  /** Name of the input; undefined for what has no fields. */
  readonly type: string | undefined;
  /** Of an enum; there may be values that the schema lacks. */
  readonly values: string | undefined;
}

/** Most fields that a message names. */
const MAX_FIELDS = 5;

const parsed = new Map<string, ReadonlyMap<string, Field>>();

export function joinPath(parent: string | undefined, inArray: boolean, key: string): string {
  if (inArray) return `${parent ?? ""}[${key}]`;
  return parent === undefined || parent === "" ? key : `${parent}.${key}`;
}

/** What a server says of a mistake. */
interface Told {
  readonly message: string;
  readonly path?: unknown;
  readonly extensions?: unknown;
}

/** Enough of a text to find a name in it: a server may send megabytes. */
const MAX_READ = 2000;

/** Adds the field that an entry names, as `field`; the rest stays as it is. */
export function withField<Entry extends Told>(
  method: string,
  entry: Entry,
): Entry & { readonly field?: string } {
  const field = namedField(method, entry);
  return field === undefined ? entry : { ...entry, field };
}

/**
 * The path of the field of a method's variables that a server names, such as `input.deadline`; undefined if it names
 * none. Servers have it in `extensions` (Hot Chocolate), quoted in the message (`at "input.state"`), or in `path`. It
 * consists of names of the schema, never of a value.
 */
function namedField(method: string, { message, path, extensions }: Told): string | undefined {
  const places = ["argument", "variable", "inputPath"].map((key) => Reflect.get(Object(extensions), key));
  const quoted = message.slice(0, MAX_READ).matchAll(/["'`](\$?[A-Za-z_][\w.[\]]*)(?=["'`])/g);
  const told = [...places, path, ...[...quoted].map(([, text]) => text)].map(dotted).filter(Boolean);
  const found = [...told, ...told.map((place) => `input.${place}`)].map(
    (place) => findField(method, place)?.path,
  );
  const depth = (place = "") => place.split(".").length;
  return found.reduce((best, place) => (!best || depth(place) > depth(best) ? place : best), undefined);
}

/** Names the fields that entries name, with what enums and inputs may have: `, about input.state (one of PRE, COMPLETED)`. */
export function describeFields(
  method: string | undefined,
  entries: readonly { readonly field?: string }[],
): string {
  const fields = new Set(entries.map(({ field }) => field).filter((field) => field !== undefined));
  const shown = [...fields].slice(0, MAX_FIELDS).map((path) => {
    const { type, values } = (method === undefined ? undefined : findField(method, path)?.field) ?? {};
    if (values !== undefined) return `${path} (one of ${values})`;
    return type === undefined ? path : `${path} (fields: ${[...fieldsOf(type).keys()].join(", ")})`;
  });
  return shown.length === 0 ? "" : `, about ${shown.join(", ")}`;
}

/** A place as one string; empty if it does not begin with a name. */
function dotted(place: unknown): string {
  const parts: readonly unknown[] = Array.isArray(place) ? place.slice(0, MAX_READ) : [place];
  const isPath = parts.every((part) => typeof part === "string" || typeof part === "number");
  const text = isPath ? parts.join(".").slice(0, MAX_READ) : "";
  return /^[$/A-Z_a-z]/.test(text) ? text : "";
}

/** A path as the SDK writes it, and the field there, if the method has it. */
function findField(method: string, place: string) {
  let type: string | undefined = method;
  let path: string | undefined;
  let found: Field | undefined;
  for (const name of place.replace(/^\$/, "").split(/[./[\]]+/)) {
    if (name === "") continue;
    const isIndex = path !== undefined && /^\d{1,6}$/.test(name);
    const field: Field | undefined = isIndex ? found : fieldsOf(type ?? "").get(name);
    if (field === undefined) return undefined;
    path = joinPath(path, isIndex, name);
    found = field;
    type = field.type;
  }
  return path === undefined || found === undefined ? undefined : { path, field: found };
}

/** The fields of an input, or the variables of a method. */
export function fieldsOf(type: string): ReadonlyMap<string, Field> {
  let fields = parsed.get(type);
  if (fields === undefined) {
    const words = (INPUT_FIELDS[type] ?? "").split(" ");
    fields = new Map(
      words.map((word) => {
        const [name = "", told] = word.split(":");
        return [name, { type: told === "" ? type : told, values: ENUM_VALUES[told ?? ""] }];
      }),
    );
    parsed.set(type, fields);
  }
  return fields;
}
