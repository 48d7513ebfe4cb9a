import type { GraphQLErrorEntry } from "../errors.js";
import { isObject } from "./json.js";

/** Deeper parts of an error's extensions are left out. */
const MAX_DEPTH = 8;

/** Entries beyond are left out: a server that sends millions would have each of them copied. */
export const MAX_ENTRIES = 1000;

/**
 * The first entries of a response's `errors`, reduced to what the API describes. The server may say anything here: a
 * value of another type is left out, and the key, should it be echoed, is taken out.
 */
export function readErrorEntries(
  errors: unknown,
  redact: (text: string) => string,
): readonly GraphQLErrorEntry[] {
  if (!Array.isArray(errors)) return [];
  return errors.slice(0, MAX_ENTRIES).map((entry: unknown) => readEntry(entry, redact));
}

/**
 * True where every entry is about the request as a whole. An entry without a path comes of a request whose execution
 * was not begun; all of them are looked at, also those that are not handed out.
 */
export function areAboutRequest(errors: unknown): boolean {
  return (
    Array.isArray(errors) &&
    errors.every((entry: unknown) => isObject(entry) && (entry["path"] ?? null) === null)
  );
}

function readEntry(entry: unknown, redact: (text: string) => string): GraphQLErrorEntry {
  const { message, path, locations, extensions } = isObject(entry) ? entry : {};
  return {
    message: typeof message === "string" ? redact(message) : "",
    ...(Array.isArray(path)
      ? { path: path.filter(isPathPart).map((part) => readPathPart(part, redact)) }
      : {}),
    ...(Array.isArray(locations) ? { locations: locations.slice(0, MAX_ENTRIES).flatMap(readLocation) } : {}),
    ...(isObject(extensions) ? { extensions: readExtensions(extensions, redact) } : {}),
  };
}

function readExtensions(
  extensions: Readonly<Record<string, unknown>>,
  redact: (text: string) => string,
): NonNullable<GraphQLErrorEntry["extensions"]> {
  const { code, ...others } = extensions;
  const rest = Object.fromEntries(
    Object.entries(others).map(([key, value]) => [redact(key), redactDeep(value, redact, MAX_DEPTH)]),
  );
  return typeof code === "string" ? { ...rest, code: redact(code) } : rest;
}

function redactDeep(value: unknown, redact: (text: string) => string, depth: number): unknown {
  if (typeof value === "string") return redact(value);
  if (typeof value !== "object" || value === null) return value;
  if (depth === 0) return undefined;
  if (Array.isArray(value)) return value.map((item) => redactDeep(item, redact, depth - 1));
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [redact(key), redactDeep(item, redact, depth - 1)]),
  );
}

function isPathPart(part: unknown): part is string | number {
  return typeof part === "string" || typeof part === "number";
}

function readPathPart(part: string | number, redact: (text: string) => string): string | number {
  return typeof part === "string" ? redact(part) : part;
}

function readLocation(location: unknown): { readonly line: number; readonly column: number }[] {
  const { line, column } = isObject(location) ? location : {};
  return isPosition(line) && isPosition(column) ? [{ line, column }] : [];
}

function isPosition(value: unknown): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value > 0;
}

/** Most parts of a path that a message shows. */
const MAX_PATH = 20;

/**
 * Where the first entry says that it happened, for a message: `, at licenses.nodes.0`. Empty where that is not plain.
 */
export function placeOf(errors: readonly GraphQLErrorEntry[]): string {
  const place = errors[0] === undefined ? undefined : plainPlace(errors[0]);
  if (place === undefined) return "";
  return errors.length === 1 ? `, at ${place}` : `, the first at ${place}`;
}

function plainPlace({ path = [], locations = [] }: GraphQLErrorEntry): string | undefined {
  if (path.length > 0) return path.length <= MAX_PATH && path.every(isPlainPart) ? path.join(".") : undefined;
  const [first] = locations;
  return first === undefined ? undefined : `line ${first.line}, column ${first.column} of the document`;
}

function isPlainPart(part: string | number): boolean {
  return typeof part === "number" || /^[A-Za-z_]\w{0,63}$/.test(part);
}

/** Codes that mean: too many requests. The service shows none; these are the usual ones. */
const RATE_LIMIT_CODES = /^(RATE_?LIMIT(ED|_EXCEEDED)?|TOO_MANY_REQUESTS|THROTTLED)$/i;

/** The code of an entry that refuses the credential. */
export const NOT_AUTHORIZED = "AUTH_NOT_AUTHORIZED";

/** True where an entry says that there were too many requests. */
export function isRateLimit(entry: GraphQLErrorEntry): boolean {
  return RATE_LIMIT_CODES.test(entry.extensions?.code ?? "");
}

/** True where nothing was answered: no data, or null in every field of the root. */
export function hasNoData(data: unknown): boolean {
  return !isObject(data) || Object.values(data).every((value) => value === null);
}

/** Codes of the entries that are safe to show: short and plain. */
export function safeCodes(entries: readonly GraphQLErrorEntry[]): readonly string[] {
  const codes = entries.map((entry) => entry.extensions?.code ?? "");
  return [...new Set(codes)].filter((code) => /^[A-Z][A-Z0-9_]{0,63}$/.test(code)).slice(0, 5);
}
