import { type GraphQLInputObjectType, getNullableType, isInputObjectType } from "graphql";
import { isObject } from "../../is-object.js";
import { ErrorCode, requestError } from "../request-error.js";
import { conditionOf } from "./operators.js";
import { fieldOf, nestedRow, type Row } from "./row.js";

/** A coerced input object. */
export type InputObject = { readonly [field: string]: unknown };

/** Whether a row matches. A nested object that is missing is null. */
export type Predicate = (row: Row | null) => boolean;

/**
 * Makes a predicate of a `where`. The schema's input types say what is a nested filter and what a condition, so that
 * a new field needs nothing here.
 *
 * - Fields of one object, and operators of one condition, all have to hold.
 * - `and: []` holds for every row, `or: []` for none.
 *
 * @throws GraphQLError where a filter, a list or an operator other than `eq` and `neq` is null: to leave it out
 * would match more than the caller asked for.
 */
export function compileFilter(type: GraphQLInputObjectType, where: InputObject, at = "where"): Predicate {
  const fields = type.getFields();
  return all(
    Object.entries(where).map(([name, value]): Predicate => {
      const place = `${at}.${name}`;
      if (name === "and" || name === "or") {
        const parts = objects(value, place).map((part) => compileFilter(type, part, place));
        return name === "and" ? all(parts) : (row) => parts.some((holds) => holds(row));
      }
      const fieldType = getNullableType(fields[name]?.type);
      if (!isInputObjectType(fieldType)) throw new TypeError(`${type.name}.${name} is no filter.`);
      const filter = object(value, place);
      if (isOperations(fieldType)) return compileConditions(name, filter, place);
      const holds = compileFilter(fieldType, filter, place);
      return (row) => holds(nestedRow(row, name));
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

function isOperations(type: GraphQLInputObjectType): boolean {
  return type.name.endsWith("OperationFilterInput");
}

function all(predicates: readonly Predicate[]): Predicate {
  const [first, ...rest] = predicates;
  if (first === undefined) return () => true;
  if (rest.length === 0) return first;
  return (row) => predicates.every((holds) => holds(row));
}

/** The coerced input object at a place of the arguments. */
export function object(value: unknown, at: string): InputObject {
  if (isObject(value)) return value;
  throw nullCondition(at);
}

/** The coerced list of input objects at a place of the arguments. */
function objects(value: unknown, at: string): readonly InputObject[] {
  if (!Array.isArray(value)) throw nullCondition(at);
  return value.map((entry) => object(entry, at));
}

function nullCondition(at: string): Error {
  const message = `\`${at}\` must not be null. Leave it out, or give it a value.`;
  return requestError(ErrorCode.nullCondition, message, { argument: at });
}
