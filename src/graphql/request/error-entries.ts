import type { GraphQLResponseError } from "../../core/errors/index.js";
import { isText, objectOf } from "../../core/validate.js";
import { isJsonObject } from "./variables.js";

/** Further entries are dropped, because a server may send millions. */
export const MAX_ENTRIES = 1000;

const MAX_PATH_PARTS = 20;
const MAX_CODES = 5;

/** Common codes for a rate limit; the service description defines none. */
const RATE_LIMIT_CODE = /^(429|RATE_?LIMIT(ED|_EXCEEDED)?|TOO_MANY_REQUESTS|THROTTLED)$/i;

/** The code for a refused credential. */
export const NOT_AUTHORIZED = "AUTH_NOT_AUTHORIZED";

/** Reads a response's `errors`, and drops fields that don't have the type from the specification. */
export function readErrorEntries(errors: readonly unknown[]): GraphQLResponseError["errors"] {
  return errors.slice(0, MAX_ENTRIES).map(readEntry);
}

/** Whether no entry refers to a field of the result, which means that the operation didn't start. */
export function areAboutRequest(errors: readonly unknown[]): boolean {
  return errors.every((entry) => isJsonObject(entry) && (entry["path"] ?? null) === null);
}

export function isRateLimit({ extensions }: GraphQLResponseError["errors"][number]): boolean {
  return RATE_LIMIT_CODE.test(extensions?.code ?? "");
}

/** Codes for a page or query that is too large, from Hot Chocolate (items and cost) and from other servers. */
const TOO_LARGE_CODE =
  /^(HC0051|HC0047|EXCESSIVE_PAGINATION|(MAX_)?PAGE_SIZE_(EXCEEDED|TOO_LARGE|LIMIT_EXCEEDED))$/;

/**
 * Finds out whether the entries say that a page of this size is too large and, if they do, how large it may be.
 * @param variable The size variable. An error may refer to this variable, or to the argument `first` or `last`.
 */
export function tooLargePage(
  errors: GraphQLResponseError["errors"],
  size: number,
  variable: string,
): { readonly limit: number | undefined } | undefined {
  const names = [variable, "first", "last"];
  for (const { extensions = {}, path } of errors) {
    const { code = "", argument, argumentName, requestedItems = size } = extensions;
    const isAbout = [argument, argumentName, extensions["variable"], path?.at(-1)].some(
      (name) => typeof name === "string" && names.includes(name.replace(/^\$/, "")),
    );
    const limit = largestPage(extensions);
    // The entry may be about a list inside the nodes, which has its own size.
    if ((!TOO_LARGE_CODE.test(code) && !isAbout) || requestedItems !== size) continue;
    if (limit === undefined || limit < size) return { limit };
  }
  return undefined;
}

function largestPage({ maxAllowedItems: limit }: Readonly<Record<string, unknown>>): number | undefined {
  return typeof limit === "number" && Number.isSafeInteger(limit) && limit > 0 ? limit : undefined;
}

/**
 * Describes the entries for a message: ` (NOT_FOUND), at licenses.nodes.0`, and what to do. Shows only codes and
 * places, never values.
 */
export function describeEntries(errors: GraphQLResponseError["errors"]) {
  const codes = errors.map(({ extensions }) => extensions?.code ?? "").filter(isPlainCode);
  const shown = [...new Set(codes)].slice(0, MAX_CODES).join(", ");
  const place = errors[0] && placeOf(errors[0]);
  const at = place === undefined ? "" : `, ${errors.length === 1 ? "" : "the first "}at ${place}`;
  const limit = errors.map(({ extensions = {} }) => largestPage(extensions)).find(Boolean);
  const [option, advice, cause] = limit
    ? ["pageSize", " Lower pageSize.", `: the service allows at most ${limit} items per page.`]
    : ["errors", " See errors (the service's messages) and data.", "."];
  const text = (shown === "" ? "" : ` (${shown})`) + at + cause + advice;
  return { text, advice: { option, text: advice } };
}

/** Whether a code is safe to show in a message or to a page. */
export function isPlainCode(code: string): boolean {
  return /^[A-Z][A-Z0-9_]{0,63}$/.test(code);
}

/** Redacts every string and key of a parsed body. Works in place, because the body may be large and deeply nested. */
export function redactStrings(body: object, redact: (text: string) => string): void {
  const containers = [body];
  for (let container = containers.pop(); container !== undefined; container = containers.pop()) {
    for (const [key, value] of Object.entries(container)) {
      const clean: unknown = typeof value === "string" ? redact(value) : value;
      const cleanKey = Array.isArray(container) ? key : redact(key);
      if (cleanKey !== key) Reflect.deleteProperty(container, key);
      if (cleanKey !== key || clean !== value) Reflect.set(container, cleanKey, clean);
      if (typeof value === "object" && value !== null) containers.push(value);
    }
  }
}

function readEntry(entry: unknown): GraphQLResponseError["errors"][number] {
  const { message, path, locations, extensions: given, type } = isJsonObject(entry) ? entry : {};
  const { code, ...others } = isJsonObject(given) ? given : {};
  // Some servers send the code as a number, or as the entry's `type`.
  const limit = [code, type].find((one) => RATE_LIMIT_CODE.test(`${one}`));
  const known = limit === undefined ? code : `${limit}`;
  return {
    message: isText(message) ? message : "",
    ...(Array.isArray(path) && { path: path.filter(isPathPart) }),
    ...(Array.isArray(locations) && { locations: locations.filter(isLocation) }),
    ...((isJsonObject(given) || limit !== undefined) && {
      extensions: isText(known) ? { ...others, code: known } : others,
    }),
  };
}

function isPathPart(part: unknown): part is string | number {
  return isText(part) || typeof part === "number";
}

function isPosition(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) > 0;
}

const isLocation = objectOf<{ readonly line: number; readonly column: number }>({
  line: isPosition,
  column: isPosition,
});

function placeOf({ path = [], locations = [] }: GraphQLResponseError["errors"][number]): string | undefined {
  const isPlain = path.every((part) => typeof part === "number" || /^[A-Za-z_]\w{0,63}$/.test(part));
  if (path.length > 0) return path.length <= MAX_PATH_PARTS && isPlain ? path.join(".") : undefined;
  const [first] = locations;
  return first === undefined ? undefined : `line ${first.line}, column ${first.column} of the document`;
}
