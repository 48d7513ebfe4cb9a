import Big from "big.js";

/** Whether a field's value meets a condition; a field without a value has null. */
export type Condition = (actual: unknown) => boolean;

/** Operators that ask for a value, and cannot compare with null. */
const comparisons: Readonly<Record<string, (operand: unknown) => Condition>> = {
  contains: (text) => onText(text, (actual, part) => actual.includes(part)),
  startsWith: (text) => onText(text, (actual, part) => actual.startsWith(part)),
  endsWith: (text) => onText(text, (actual, part) => actual.endsWith(part)),
  ncontains: (text) => not(onText(text, (actual, part) => actual.includes(part))),
  nstartsWith: (text) => not(onText(text, (actual, part) => actual.startsWith(part))),
  nendsWith: (text) => not(onText(text, (actual, part) => actual.endsWith(part))),
  // Dates are YYYY-MM-DD, so that their text sorts as they do.
  gte: (day) => onText(day, (actual, bound) => actual >= bound),
  lte: (day) => onText(day, (actual, bound) => actual <= bound),
  in: isOneOf,
  nin: (values) => not(isOneOf(values)),
};

/** The condition of an operator, or undefined where the operator cannot take this operand: null. */
export function conditionOf(operator: string, operand: unknown): Condition | undefined {
  if (operator === "eq") return isEqual(operand);
  if (operator === "neq") return not(isEqual(operand));
  return operand === null ? undefined : comparisons[operator]?.(operand);
}

function isEqual(expected: unknown): Condition {
  if (expected instanceof Big) return (actual) => actual instanceof Big && actual.eq(expected);
  return (actual) => actual === expected;
}

function isOneOf(values: unknown): Condition {
  const list: readonly unknown[] = Array.isArray(values) ? values : [values];
  const exact = new Set(list);
  const decimals = list.filter((value) => value instanceof Big);
  if (decimals.length === 0) return (actual) => exact.has(actual);
  return (actual) =>
    exact.has(actual) || (actual instanceof Big && decimals.some((value) => value.eq(actual)));
}

function onText(operand: unknown, holds: (actual: string, operand: string) => boolean): Condition {
  const text = String(operand);
  return (actual) => typeof actual === "string" && holds(actual, text);
}

function not(condition: Condition): Condition {
  return (actual) => !condition(actual);
}
