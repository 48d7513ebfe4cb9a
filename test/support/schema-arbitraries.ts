/** Arbitraries of the input values that a schema allows. */
import fc from "fast-check";
import {
  type GraphQLInputObjectType,
  type GraphQLInputType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
} from "graphql";

const text = fc.oneof(
  fc.constantFrom("", "Box", "box", "a", "İ", "__proto__", "\u0000", "%", "\\", "\ud800", "x".repeat(3000)),
  fc.string({ unit: "binary", maxLength: 5 }),
);
/** @param depth how many more levels of input objects may be nested */
export function inputOf(type: GraphQLInputType, depth: number): fc.Arbitrary<unknown> {
  if (isNonNullType(type)) return shapeOf(type.ofType, depth);
  return fc.oneof(
    { weight: 6, arbitrary: shapeOf(type, depth) },
    { weight: 1, arbitrary: fc.constant(null) },
  );
}

function shapeOf(type: GraphQLInputType, depth: number): fc.Arbitrary<unknown> {
  if (isListType(type)) return fc.array(inputOf(type.ofType, depth), { maxLength: 3 });
  if (isEnumType(type)) return fc.constantFrom(...type.getValues().map((value) => value.name));
  if (isInputObjectType(type)) return objectOf(type, depth);
  if (isNonNullType(type)) return shapeOf(type.ofType, depth);
  return scalarOf(type.name);
}

function scalarOf(name: string): fc.Arbitrary<unknown> {
  switch (name) {
    case "Int":
      return fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 });
    case "Boolean":
      return fc.boolean();
    case "Decimal":
      return fc.constantFrom<unknown>("0", "12.50", "-1", 7, 0.1, "1e3", "99999999999999999999.99");
    case "Date":
      return fc.constantFrom("2026-03-15", "0001-01-01", "9999-12-31", "2024-02-29");
    default:
      return text;
  }
}

function objectOf(type: GraphQLInputObjectType, depth: number): fc.Arbitrary<unknown> {
  const fields = Object.values(type.getFields());
  if (depth === 0) return fc.constant({});
  return fc
    .subarray(fields, { maxLength: Math.min(2, fields.length) })
    .chain((some) =>
      fc.record(Object.fromEntries(some.map((field) => [field.name, inputOf(field.type, depth - 1)]))),
    );
}
