import Big from "big.js";
import { type GraphQLInputObjectType, getNullableType, isInputObjectType } from "graphql";
import { fieldOf, type InputObject, inputObject, type Row } from "./filter.js";

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
  // No iterator over entries: this runs for each comparison of a sort.
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
