import { type GraphQLInputObjectType, getNullableType, isInputObjectType } from "graphql";
import { type InputObject, object } from "./filter.js";
import { compareValues, type IdentifiedRow, type SortValue, sortValue } from "./row.js";

/** One field to sort by. */
export interface SortKey {
  readonly path: readonly string[];
  readonly descending: boolean;
}

/**
 * The fields of an `order`, the one that counts first in front.
 *
 * @throws GraphQLError where a direction is null.
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
    const fieldType = getNullableType(type.getFields()[name]?.type);
    if (typeof value === "string") return [{ path: here, descending: value === "DESC" }];
    const nested = object(value, `order.${here.join(".")}`);
    if (!isInputObjectType(fieldType)) throw new TypeError(`${type.name}.${name} is no order.`);
    return keysOf(fieldType, nested, here);
  });
}

/** Where a row stands in an order: the values it is sorted by, and its id, which breaks the ties. */
export interface Position {
  readonly values: readonly SortValue[];
  readonly id: string;
}

/** Where a row stands in the order of these fields. */
export function positionOf(row: IdentifiedRow, keys: readonly SortKey[]): Position {
  return { values: keys.map((key) => sortValue(row, key.path)), id: row.id };
}

/** Negative where `a` comes first. */
export function comparePositions(a: Position, b: Position, keys: readonly SortKey[]): number {
  for (const [index, { descending }] of keys.entries()) {
    const difference = compareValues(a.values[index] ?? null, b.values[index] ?? null);
    if (difference !== 0) return descending ? -difference : difference;
  }
  return compareValues(a.id, b.id);
}

/** The rows in order. They have to come in ascending order of their ids, which breaks the ties. */
export function sortRows<R extends IdentifiedRow>(
  rows: readonly R[],
  keys: readonly SortKey[],
): readonly R[] {
  if (keys.length === 0) return rows;
  let compare = (a: number, b: number): number => a - b;
  for (const { path, descending } of keys.toReversed()) {
    // Values are read once a row, and not once a comparison.
    const column = rows.map((row) => sortValue(row, path));
    const direction = descending ? -1 : 1;
    const next = compare;
    compare = (a, b) => {
      const difference = compareValues(column[a] ?? null, column[b] ?? null);
      return difference === 0 ? next(a, b) : difference * direction;
    };
  }
  const sorted: R[] = [];
  for (const index of rows.map((_, index) => index).sort(compare)) {
    const row = rows[index];
    if (row !== undefined) sorted.push(row);
  }
  return sorted;
}
