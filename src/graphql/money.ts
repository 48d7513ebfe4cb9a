import { Big as SharedBig } from "big.js";
import { InvalidInputError } from "../core/errors/index.js";
import { describeType, isObject } from "../core/validate.js";

/** Has its own settings, because a program may have set `Big.strict` on the shared constructor. */
const Big = /* @__PURE__ */ SharedBig();
/** More digits than any amount of money has. Sums are written in full, so "1e900000000" would exhaust the memory. */
const MAX_DIGITS = 100;
const DECIMAL = `a decimal number with at most ${MAX_DIGITS} digits on either side of the point`;

/**
 * Adds up amounts per currency, exactly: 0.1 and 0.2 make 0.3.
 *
 * Skips items whose money or amount is null, because their amount is unknown. A currency without any known amount isn't
 * in the result.
 *
 * @example
 * ```ts
 * const saved = (license: License) => license.potentialSaving;
 * await sumByCurrency(client.licenses(), saved); // Map { "EUR" => "1250.3" }
 * ```
 * @param items A connection, its nodes, or another iterable; items are added as they arrive
 * @param select Returns the amount of an item, as a number or a decimal string
 * @returns each currency's sum as a plain decimal string, in the order in which the currencies first appear
 * @throws {InvalidInputError} an amount isn't a decimal number, has more than 100 digits before or after the point, or
 *   has no currency; also rejects with any error of the items
 */
export async function sumByCurrency<Item>(
  items: AsyncIterable<Item> | Iterable<Item>,
  select: (item: Item) => { readonly amount: number | string; readonly currency: string } | null | undefined,
): Promise<Map<string, string>> {
  if (!isObject(items) || !(Symbol.iterator in items || Symbol.asyncIterator in items))
    throw new InvalidInputError(
      `The items must be iterable; got ${describeType(items)}. Pass a connection or its nodes.`,
    );
  const sums = new Map<string, SharedBig>();
  let index = -1;
  for await (const item of items) {
    index++;
    const { amount, currency } = select(item) ?? {};
    // The types promise an amount, but a server that doesn't know it may send null.
    if (amount === null || amount === undefined) continue;
    if (typeof currency !== "string" || currency === "")
      throw invalidAmount(index, "currency", "a currency code if there is an amount");
    const exact = decimalOf(amount);
    if (exact === undefined) throw invalidAmount(index, "amount", DECIMAL);
    sums.set(currency, exact.plus(sums.get(currency) ?? 0));
  }
  return new Map([...sums].map(([currency, sum]) => [currency, sum.toFixed()]));
}

function decimalOf(amount: unknown): SharedBig | undefined {
  if (typeof amount !== "number" && typeof amount !== "string") return undefined;
  try {
    const exact = new Big(amount);
    const { e: exponent, c: digits } = exact;
    return exponent < MAX_DIGITS && digits.length - exponent <= MAX_DIGITS ? exact : undefined;
  } catch {
    return undefined;
  }
}

function invalidAmount(index: number, path: string, expected: string): InvalidInputError {
  return new InvalidInputError(`The ${path} of item ${index} must be ${expected}.`, {
    issues: [{ index, path, expected }],
  });
}
