import type { Portfolio } from "./portfolio.js";

/** Lists of a portfolio, and the name that every entry has. */
const LISTS = [
  ["applications", "name"],
  ["planPrices", "planName"],
  ["contracts", "planName"],
] as const;

const KEYS: readonly string[] = [
  ...LISTS.map(([list]) => list),
  "unusedAfterDays",
] satisfies (keyof Portfolio)[];

/**
 * Reads a portfolio from JSON text. Only its structure is checked: the server checks the values when it starts.
 * @throws TypeError that says what is wrong with the text.
 */
export function parsePortfolio(text: string): Portfolio {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new TypeError("it is not JSON");
  }
  requirePortfolio(value);
  return value;
}

function requirePortfolio(value: unknown): asserts value is Portfolio {
  if (!isObject(value)) throw new TypeError("it must hold a JSON object");
  const unknown = Object.keys(value).find((key) => !KEYS.includes(key));
  if (unknown !== undefined) {
    throw new TypeError(`a portfolio has no "${unknown}"; it has ${KEYS.join(", ")}`);
  }
  for (const [list, name] of LISTS) {
    const entries = value[list] ?? [];
    if (!Array.isArray(entries)) throw new TypeError(`${list} must be a list`);
    for (const [index, entry] of entries.entries()) {
      if (!isObject(entry)) throw new TypeError(`${list}[${index}] must be an object`);
      if (typeof entry[name] !== "string") throw new TypeError(`${list}[${index}].${name} must be a string`);
    }
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
