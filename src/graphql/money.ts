import { Big as SharedBig } from "big.js";
import { InvalidInputError } from "../core/errors/index.js";

/** An amount of one currency (service description, "GraphQL object shapes"). */
export interface MoneyAmount {
  /** A number as the API sends it, or a decimal text; null where it is not known. */
  readonly amount: number | string | null | undefined;
  /** ISO 4217 code. */
  readonly currency: string | null | undefined;
}

/** Finds the amount of an item; null or undefined where it has none. */
export type MoneySelector<Item> = (item: Item) => MoneyAmount | null | undefined;

/**
 * Adds amounts up, each currency for itself, exactly: 0.1 and 0.2 are 0.3.
 *
 * An item without money, or whose amount is null, is not known and is left out: it adds nothing, and a currency that
 * only such items have is not in the result.
 *
 * @example
 * ```ts
 * sumByCurrency(licenses, (license) => license.potentialSaving); // Map { "EUR" => "1250.3", "USD" => "99" }
 * ```
 * @param items The items; those of an async iterable, such as a connection, are added up as they come
 * @param select Finds the amount of an item
 * @returns each currency's sum as a plain decimal text, in the order in which the currencies were met
 * @throws {InvalidInputError} an amount is NaN, infinite or no decimal number, or has no currency
 */
export function sumByCurrency<Item>(items: Iterable<Item>, select: MoneySelector<Item>): Map<string, string>;
/** The same for items that come one after the other. @throws {InvalidInputError} as above, and what the items throw */
export function sumByCurrency<Item>(
  items: AsyncIterable<Item>,
  select: MoneySelector<Item>,
): Promise<Map<string, string>>;
export function sumByCurrency<Item>(
  items: Iterable<Item> | AsyncIterable<Item>,
  select: MoneySelector<Item>,
): Map<string, string> | Promise<Map<string, string>> {
  const sums = new Sums();
  if (Symbol.iterator in items) {
    for (const item of items) sums.add(select(item));
    return sums.asText();
  }
  return addAsTheyCome(items, select, sums);
}

async function addAsTheyCome<Item>(
  items: AsyncIterable<Item>,
  select: MoneySelector<Item>,
  sums: Sums,
): Promise<Map<string, string>> {
  for await (const item of items) sums.add(select(item));
  return sums.asText();
}

/** A constructor of its own: a program may have set the shared one to refuse what is no text (`Big.strict`). */
const Big = /* @__PURE__ */ SharedBig();

class Sums {
  readonly #sums = new Map<string, SharedBig>();
  #index = -1;

  add(money: MoneyAmount | null | undefined): void {
    this.#index += 1;
    if (money === null || money === undefined) return;
    const { amount, currency } = money;
    if (amount === null || amount === undefined) return;
    if (typeof currency !== "string" || currency === "") {
      throw this.#refusal("currency", "a currency code beside an amount");
    }
    this.#sums.set(currency, (this.#sums.get(currency) ?? new Big(0)).plus(this.#exact(amount)));
  }

  asText(): Map<string, string> {
    return new Map([...this.#sums].map(([currency, sum]) => [currency, sum.toFixed()]));
  }

  #exact(amount: number | string): SharedBig {
    try {
      return new Big(amount);
    } catch {
      throw this.#refusal("amount", "a finite decimal number");
    }
  }

  #refusal(path: string, expected: string): InvalidInputError {
    return new InvalidInputError(`The ${path} of item ${this.#index} must be ${expected}.`, {
      issues: [{ index: this.#index, path, expected }],
    });
  }
}
