import Big from "big.js";
import { type GraphQLInputObjectType, getNullableType, isInputObjectType } from "graphql";
import { isObject } from "../../values.js";
import { ErrorCode, requestError } from "../errors.js";

/** An object of the schema: each property is named like a field of its type, and expensive ones may be getters. */
export type Row = object;

function fieldOf(row: Row | null, field: string): unknown {
  return row === null ? null : (Reflect.get(row, field) ?? null);
}

export type InputObject = { readonly [field: string]: unknown };

/** Whether a row matches. A nested object that is missing is null. */
export type Predicate = (row: Row | null) => boolean;

/**
 * Creates a predicate from a `where`. The schema's input types distinguish nested filters from conditions, so a new
 * field needs no code here. `and: []` matches every row, `or: []` none.
 *
 * @throws GraphQLError a filter, a list or an operand is null, because ignoring null would match more than the caller
 * asked for; only `eq` and `neq` take null
 */
export function compileFilter(type: GraphQLInputObjectType, where: InputObject, at = "where"): Predicate {
  const fields = type.getFields();
  return all(
    Object.entries(where).map(([name, value]): Predicate => {
      const place = `${at}.${name}`;
      if (name === "and" || name === "or") {
        const parts = inputObjects(value, place).map((part) => compileFilter(type, part, place));
        return name === "and" ? all(parts) : (row) => parts.some((holds) => holds(row));
      }
      const fieldType = getNullableType(fields[name]?.type);
      if (!isInputObjectType(fieldType)) throw new TypeError(`${type.name}.${name} is not a filter.`);
      const filter = inputObject(value, place);
      if ("eq" in fieldType.getFields()) return compileConditions(name, filter, place);
      const holds = compileFilter(fieldType, filter, place);
      return (row) => {
        const nested = fieldOf(row, name);
        return holds(typeof nested === "object" ? nested : null);
      };
    }),
  );
}

function compileConditions(field: string, operations: InputObject, at: string): Predicate {
  return all(
    Object.entries(operations).map(([operator, operand]): Predicate => {
      const condition = conditionOf(operator, operand);
      if (condition === undefined) throw nullCondition(`${at}.${operator}`);
      return (row) => condition(fieldOf(row, field));
    }),
  );
}

function all(predicates: readonly Predicate[]): Predicate {
  const [only, ...rest] = predicates;
  if (only !== undefined && rest.length === 0) return only;
  return (row) => predicates.every((holds) => holds(row));
}

function inputObject(value: unknown, at: string): InputObject {
  if (isObject(value)) return value;
  throw nullCondition(at);
}

function inputObjects(value: unknown, at: string): readonly InputObject[] {
  if (!Array.isArray(value)) throw nullCondition(at);
  return value.map((entry) => inputObject(entry, at));
}

function nullCondition(at: string): Error {
  const message = `\`${at}\` must not be null. Leave it out or give it a value.`;
  return requestError(ErrorCode.nullCondition, message, { argument: at });
}

/** Whether a field's value meets a condition; a field without a value is null. */
type Condition = (actual: unknown) => boolean;

/** The operators; `n` before a name means the opposite. */
const comparisons: Readonly<Record<string, (operand: unknown) => Condition>> = {
  eq: equals,
  contains: (text) => onStrings(text, (actual, part) => actual.includes(part)),
  startsWith: (text) => onStrings(text, (actual, part) => actual.startsWith(part)),
  endsWith: (text) => onStrings(text, (actual, part) => actual.endsWith(part)),
  // Dates as YYYY-MM-DD sort like strings.
  gte: (day) => onStrings(day, (actual, bound) => actual >= bound),
  lte: (day) => onStrings(day, (actual, bound) => actual <= bound),
  in: isOneOf,
};

/** Undefined if the operand is null and the operator can't take null. */
function conditionOf(operator: string, operand: unknown): Condition | undefined {
  const positive = operator.replace(/^n/, "");
  if (operand === null && positive !== "eq") return undefined;
  const condition = comparisons[positive]?.(operand);
  return condition && positive !== operator ? (actual) => !condition(actual) : condition;
}

function equals(expected: unknown): Condition {
  const key = comparable(expected);
  return (actual) => comparable(actual) === key;
}

function isOneOf(values: unknown): Condition {
  const keys = new Set((Array.isArray(values) ? values : [values]).map(comparable));
  return (actual) => keys.has(comparable(actual));
}

function comparable(value: unknown): unknown {
  return value instanceof Big ? value.toString() : value;
}

function onStrings(operand: unknown, holds: (actual: string, operand: string) => boolean): Condition {
  const text = String(operand);
  return (actual) => typeof actual === "string" && holds(actual, text);
}

export type IdentifiedRow = Row & { readonly id: string };

/** Ascending order: null, then strings by code units or numbers by size. */
export type SortValue = string | number | null;

export interface SortKey {
  readonly path: readonly string[];
  readonly descending: boolean;
}

/**
 * The fields of an `order`, the most significant first.
 *
 * @throws GraphQLError a direction is null
 */
export function compileOrder(
  type: GraphQLInputObjectType,
  order: readonly InputObject[],
): readonly SortKey[] {
  return order.flatMap((entry) => keysOf(type, entry, []));
}

function keysOf(
  type: GraphQLInputObjectType,
  entry: InputObject,
  path: readonly string[],
): readonly SortKey[] {
  return Object.entries(entry).flatMap(([name, value]): readonly SortKey[] => {
    const here = [...path, name];
    if (typeof value === "string") return [{ path: here, descending: value === "DESC" }];
    const nested = inputObject(value, `order.${here.join(".")}`);
    const fieldType = getNullableType(type.getFields()[name]?.type);
    if (!isInputObjectType(fieldType)) throw new TypeError(`${type.name}.${name} is not an order.`);
    return keysOf(fieldType, nested, here);
  });
}

/** Position of a row in an order: the values it is sorted by, and its id, which breaks ties. */
export interface Position {
  readonly values: readonly SortValue[];
  readonly id: string;
}

export function positionOf(row: IdentifiedRow, keys: readonly SortKey[]): Position {
  return { values: keys.map((key) => sortValue(row, key.path)), id: row.id };
}

export function comparePositions(a: Position, b: Position, keys: readonly SortKey[]): number {
  // No iterator over entries, because this runs for each comparison of a sort.
  for (let index = 0; index < keys.length; index++) {
    const difference = compareValues(a.values[index] ?? null, b.values[index] ?? null);
    if (difference !== 0) return keys[index]?.descending ? -difference : difference;
  }
  return compareValues(a.id, b.id);
}

/** Sorts rows. Values are read once for each row, not for each comparison. */
export function sortRows<R extends IdentifiedRow>(
  rows: readonly R[],
  keys: readonly SortKey[],
): readonly R[] {
  return rows
    .map((row) => ({ row, position: positionOf(row, keys) }))
    .sort((a, b) => comparePositions(a.position, b.position, keys))
    .map(({ row }) => row);
}

function sortValue(row: Row, path: readonly string[]): SortValue {
  let value: unknown = row;
  for (const field of path) value = typeof value === "object" ? fieldOf(value, field) : null;
  if (typeof value === "string" || typeof value === "number") return value;
  return value instanceof Big ? value.toNumber() : null;
}

function compareValues(a: SortValue, b: SortValue): number {
  if (a === b) return 0;
  if (a === null) return -1;
  if (b === null) return 1;
  return a < b ? -1 : 1;
}
