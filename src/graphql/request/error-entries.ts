import type { GraphQLErrorEntry } from "../../core/errors/index.js";
import { isObject } from "./json.js";
import { RedactedCopies } from "./redacted-copies.js";

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
  const copies = new RedactedCopies(redact);
  return errors.slice(0, MAX_ENTRIES).map((entry: unknown) => readEntry(entry, copies));
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

function readEntry(entry: unknown, copies: RedactedCopies): GraphQLErrorEntry {
  const { redact } = copies;
  const { message, path, locations, extensions } = isObject(entry) ? entry : {};
  return {
    message: typeof message === "string" ? redact(message) : "",
    ...(Array.isArray(path)
      ? { path: path.filter(isPathPart).map((part) => readPathPart(part, redact)) }
      : {}),
    ...(Array.isArray(locations) ? { locations: locations.slice(0, MAX_ENTRIES).flatMap(readLocation) } : {}),
    ...(isObject(extensions) ? { extensions: readExtensions(extensions, copies) } : {}),
  };
}

function readExtensions(
  extensions: Readonly<Record<string, unknown>>,
  copies: RedactedCopies,
): NonNullable<GraphQLErrorEntry["extensions"]> {
  const { code, ...others } = extensions;
  const rest = copies.ofObject(others);
  return typeof code === "string" ? { ...rest, code: copies.redact(code) } : rest;
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
