import { InvalidInputError } from "../core/errors/index.js";
import { readOptions, TEXT } from "../core/validate.js";
import {
  ApplicationsDocument,
  type ChangeVendorsStateInput,
  type VendorFilter,
} from "./generated/operations.js";
import { REQUEST_OPTIONS, type RequestOptions } from "./options.js";
import { listConnection } from "./paging/paginate.js";
import type { Transport } from "./request/transport.js";
import { copyVariables, isJsonObject, type JsonObject } from "./request/variables.js";

/** String operators that match every value, or every non-null value, if their operand is empty. */
const MATCH_ALL_IF_EMPTY = ["contains", "startsWith", "endsWith", "neq"];

/** Names that applications use for the fields of a vendor filter. */
const IN_APPLICATIONS = new Map(
  Object.entries({ and: "and", or: "or", vendor: "application", name: "vendorName" }),
);

/**
 * Returns the variables of a bulk change of vendors, as they will be sent.
 *
 * A filter without a condition selects every vendor of the workspace, and it's easy to create one by accident: from an
 * `undefined` field, an empty list, or an empty form input. Every object and list in the filter must therefore have a
 * condition.
 *
 * @throws {InvalidInputError} the state is missing, or a part of the filter has no condition; `issues` has its path
 */
export function vendorVariables(input: ChangeVendorsStateInput, where: VendorFilter | "all"): JsonObject {
  if (!TEXT.fits(input?.state)) throw invalidPart("input.state", "a state such as SANCTIONED");
  if (where === "all") return copyVariables({ input }, true);
  const variables = copyVariables({ input, where }, true);
  requireConditions(variables["where"]);
  return variables;
}

/** @throws {InvalidInputError} the value isn't a filter, or part of it has no condition; `issues` gives the path */
export function requireConditions(where: unknown): void {
  if (!isJsonObject(where)) throw tooWide("where", 'a filter, or "all" for every vendor of the workspace');
  checkPart(where, "where");
}

/** Finds the vendors that a change would match through their applications, because no query lists vendors. */
export async function previewVendors(
  transport: Transport,
  input: ChangeVendorsStateInput,
  where: VendorFilter | "all",
  options: RequestOptions = {},
): Promise<{ readonly count: number | undefined; readonly vendorNames: readonly string[] }> {
  const own = readOptions("previewVendorsState", options, REQUEST_OPTIONS);
  const { where: filter = {} } = vendorVariables(input, where);
  const applications = (list: object) =>
    listConnection(transport, "applications", ApplicationsDocument, [{ ...own, ...list }]);
  // Rows may come and go between pages; sorting by id keeps the others in place.
  const matching = applications({ where: applicationFilter(filter, "where"), order: { id: "ASC" } });
  // Only the service knows which states exist: it refuses a filter with a state that the change couldn't set.
  await applications({ where: { state: { eq: input.state } } }).totalCount();
  const nodes = await matching.toArray();
  const found = new Set(nodes.map(({ application }) => application.vendorName));
  const vendorNames = [...found].filter((name) => name !== null).sort();
  return { count: found.has(null) ? undefined : vendorNames.length, vendorNames };
}

/**
 * The filter of applications that matches the same vendors.
 * @throws {InvalidInputError} applications lack a field of the filter
 */
export function applicationFilter(part: unknown, path: string): unknown {
  if (Array.isArray(part)) return part.map((item, index) => applicationFilter(item, `${path}[${index}]`));
  if (!isJsonObject(part)) throw unknownField(path);
  const entries = Object.entries(part).map(([field, value]) => {
    const place = `${path}.${field}`;
    const name = IN_APPLICATIONS.get(field);
    if (name === undefined) throw unknownField(place);
    return [name, field === "name" ? value : applicationFilter(value, place)];
  });
  return Object.fromEntries(entries);
}

function unknownField(path: string): InvalidInputError {
  return invalidPart(path, "a field that applications also have", ": the preview reads them");
}

function checkPart(part: unknown, path: string): void {
  if (part === null) throw tooWide(path, "a condition, not null");
  if (Array.isArray(part)) {
    if (part.length === 0) throw tooWide(path, "a list with at least one entry");
    for (const [index, item] of part.entries()) checkPart(item, `${path}[${index}]`);
  } else if (isJsonObject(part)) {
    const entries = Object.entries(part);
    if (entries.length === 0) throw tooWide(path, "an object with at least one condition");
    for (const [key, value] of entries) checkCondition(key, value, `${path}.${key}`);
  }
}

function checkCondition(operator: string, value: unknown, path: string): void {
  if (operator === "eq" && value === null) return;
  if ((operator === "in" || operator === "nin") && Array.isArray(value) && value.length > 0) {
    if (operator === "nin" && value.every((text) => text === "" || text === null))
      throw tooWide(path, "a list with a string that is not empty");
    return;
  }
  if (MATCH_ALL_IF_EMPTY.includes(operator) && value === "")
    throw tooWide(path, "a string that is not empty");
  checkPart(value, path);
}

function tooWide(path: string, expected: string): InvalidInputError {
  const why = ': otherwise the change could reach every vendor. To change every vendor, pass "all"';
  return invalidPart(path, expected, why);
}

function invalidPart(path: string, expected: string, why = ""): InvalidInputError {
  return new InvalidInputError(`${path} must be ${expected}${why}.`, { issues: [{ path, expected }] });
}
