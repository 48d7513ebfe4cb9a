import { InvalidInputError } from "../core/errors/index.js";
import type { VendorDiscoveryFilterInput } from "./generated/operations.js";
import { isObject, jsonCopy } from "./request/json.js";

/** Operators that hold for every text when their own is empty, or for every one that is not. */
const TEXT_OPERATORS = ["contains", "startsWith", "endsWith", "neq"];
/** Operator for which null is a value to compare with. "Not null" is said of every vendor. */
const NULL_OPERATOR = "eq";
/** Operators whose list holds values to compare with; nothing is left out by nulls and by texts that are empty. */
const LIST_OPERATORS = ["in", "nin"];

/** Levels that are looked into: more than a filter has, and less than a stack holds. */
const MAX_DEPTH = 500;

/**
 * The filter of a change to many vendors, as it will be sent.
 *
 * A filter without a condition selects every vendor of the workspace, and one is easily made by accident: from a field
 * that is `undefined`, a list that came out empty, a text box that was left blank. So each object and list in it, at
 * any depth, must still hold something when it is sent.
 *
 * @throws {InvalidInputError} naming the path where nothing is left
 */
export function narrowingFilter(where: VendorDiscoveryFilterInput): Readonly<Record<string, unknown>> {
  if (!isObject(where)) throw refusal("where", 'a filter, or "all" for every vendor of the workspace');
  const { where: sent } = jsonCopy({ where });
  if (!isObject(sent)) throw refusal("where", "a filter");
  checkPart(sent, "where", 0);
  return sent;
}

function checkPart(part: unknown, path: string, depth: number): void {
  if (depth > MAX_DEPTH) throw refusal("where", `a filter of at most ${MAX_DEPTH} levels`);
  if (Array.isArray(part)) {
    if (part.length === 0) throw refusal(path, "a list with at least one entry");
    for (const [index, item] of part.entries()) checkPart(item, `${path}[${index}]`, depth + 1);
    return;
  }
  if (part === null) throw refusal(path, "a condition, not null");
  if (!isObject(part)) return;
  const entries = Object.entries(part);
  if (entries.length === 0) throw refusal(path, "at least one condition");
  for (const [key, value] of entries) checkEntry(key, value, `${path}.${key}`, depth + 1);
}

function checkEntry(key: string, value: unknown, path: string, depth: number): void {
  if (key === NULL_OPERATOR && value === null) return;
  if (
    key === "nin" &&
    Array.isArray(value) &&
    value.length > 0 &&
    value.every((text) => text === "" || text === null)
  )
    throw refusal(path, "a list with a text that is not empty");
  if (LIST_OPERATORS.includes(key) && Array.isArray(value) && value.length > 0) return;
  if (TEXT_OPERATORS.includes(key) && value === "") throw refusal(path, "a text that is not empty");
  checkPart(value, path, depth);
}

function refusal(path: string, expected: string): InvalidInputError {
  return new InvalidInputError(
    `${path} must be ${expected}: without it the change could reach every vendor. Say "all" instead of a filter if it is meant to.`,
    { issues: [{ path, expected }] },
  );
}
