import { Big as SharedBig } from "big.js";
import { InvalidInputError } from "../core/errors/index.js";
import { describeType, isObject } from "../core/validate.js";

/** An amount of one currency (service description, "GraphQL object shapes"). */
export interface MoneyAmount {
  /** A number as the API sends it, or a decimal string; null if it is not known. */
  readonly amount: number | string | null | undefined;
  /** ISO 4217 code. */
  readonly currency: string | null | undefined;
}

/** Finds the amount of an item; null or undefined if it has none. */
export type MoneySelector<Item> = (item: Item) => MoneyAmount | null | undefined;

/** Has its own settings: a program may have made the shared constructor refuse numbers (`Big.strict`). */
const Big = /* @__PURE__ */ SharedBig();

/**
 * Adds amounts per currency, exactly: 0.1 and 0.2 are 0.3.
 *
 * An item without money, or with an amount of null, is not known and is left out: it adds nothing, and a currency that
 * only such items have is not in the result.
 *
 * @example
 * ```ts
 * sumByCurrency(licenses, (license) => license.potentialSaving); // Map { "EUR" => "1250.3", "USD" => "99" }
 * ```
 * @param items The items; those of an async iterable, such as a connection, are added as they arrive
 * @param select Finds the amount of an item
 * @returns each currency's sum as a plain decimal string, in the order of the first items
 * @throws {InvalidInputError} an amount is NaN, infinite or not a decimal number, or has no currency
 */
export function sumByCurrency<Item>(items: Iterable<Item>, select: MoneySelector<Item>): Map<string, string>;
/** The same for an async iterable. @throws {InvalidInputError} as above; rejects also with what the items reject with */
export function sumByCurrency<Item>(
  items: AsyncIterable<Item>,
  select: MoneySelector<Item>,
): Promise<Map<string, string>>;
export function sumByCurrency<Item>(
  items: Iterable<Item> | AsyncIterable<Item>,
  select: MoneySelector<Item>,
): Map<string, string> | Promise<Map<string, string>> {
  const sums = new Map<string, SharedBig>();
  const written = () => new Map([...sums].map(([currency, sum]) => [currency, sum.toFixed()]));
  let index = 0;
  if (!isObject(items) || !(Symbol.iterator in items || Symbol.asyncIterator in items))
    throw new InvalidInputError(
      `The items must be iterable, got ${describeType(items)}. Pass a connection or its nodes.`,
    );
  if (Symbol.iterator in items) {
    for (const item of items) addAmount(sums, select(item), index++);
    return written();
  }
  return (async () => {
    for await (const item of items) addAmount(sums, select(item), index++);
    return written();
  })();
}

function addAmount(sums: Map<string, SharedBig>, money: MoneyAmount | null | undefined, index: number): void {
  const { amount, currency } = money ?? {};
  if (amount === null || amount === undefined) return;
  if (typeof currency !== "string" || currency === "")
    throw invalidAmount(index, "currency", "a currency code beside an amount");
  let exact: SharedBig;
  try {
    exact = new Big(amount);
  } catch {
    throw invalidAmount(index, "amount", "a finite decimal number");
  }
  sums.set(currency, exact.plus(sums.get(currency) ?? 0));
}

function invalidAmount(index: number, path: string, expected: string): InvalidInputError {
  return new InvalidInputError(`The ${path} of item ${index} must be ${expected}.`, {
    issues: [{ index, path, expected }],
  });
}
