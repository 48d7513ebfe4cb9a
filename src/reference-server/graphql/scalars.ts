import Big from "big.js";
import { type GraphQLScalarType, Kind } from "graphql";
import { isCalendarDate } from "../calendar-date.js";

/** Makes `Date` a calendar date: YYYY-MM-DD, in and out. */
export function defineDate(type: GraphQLScalarType): void {
  const parse = (value: unknown): string => {
    if (typeof value === "string" && isCalendarDate(value)) return value;
    throw new TypeError("A Date is a day of the calendar, written as YYYY-MM-DD.");
  };
  type.serialize = parse;
  type.parseValue = parse;
  type.parseLiteral = (node) => parse(node.kind === Kind.STRING ? node.value : undefined);
}

/** The exponent of the smallest number that JSON can bring. */
const LEAST_EXPONENT = -324;

/**
 * Whether a number is as large, and as small, as those that come in variables. To subtract 1 from 1e999999999 would
 * take all memory.
 */
function isWithinDoubles(text: string): boolean {
  return Number.isFinite(Number(text)) && new Big(text).e >= LEAST_EXPONENT;
}

/** Makes `Decimal` an exact decimal number inside the server and a JSON number outside. */
export function defineDecimal(type: GraphQLScalarType): void {
  type.serialize = (value) => {
    if (value instanceof Big) return value.toNumber();
    throw new TypeError("A Decimal is a Big.");
  };
  type.parseValue = (value) => {
    // The shortest text of a double is what the caller wrote, up to 15 digits.
    if (typeof value === "number" && Number.isFinite(value)) return new Big(String(value));
    throw new TypeError("A Decimal is a number.");
  };
  type.parseLiteral = (node) => {
    if ((node.kind === Kind.INT || node.kind === Kind.FLOAT) && isWithinDoubles(node.value))
      return new Big(node.value);
    throw new TypeError("A Decimal is a number.");
  };
}
