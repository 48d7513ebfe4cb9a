import type { Portfolio } from "./portfolio.js";
import { shapeProblem } from "./portfolio-shape.js";

/**
 * Reads a portfolio from JSON text, which may begin with a byte order mark. Only names and types are checked: the
 * server checks the values when it starts.
 * @throws TypeError that says what is wrong with the text.
 */
export function parsePortfolio(text: string): Portfolio {
  let value: unknown;
  try {
    value = JSON.parse(text.replace(/^\ufeff/, ""));
  } catch {
    throw new TypeError("it is not JSON.");
  }
  requirePortfolio(value);
  return value;
}

function requirePortfolio(value: unknown): asserts value is Portfolio {
  const problem = shapeProblem(value);
  if (problem !== undefined) throw new TypeError(problem);
}
