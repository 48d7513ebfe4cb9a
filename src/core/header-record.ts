import type { ConfigurationError, InvalidInputError } from "./errors/index.js";
import { given } from "./given.js";

/**
 * A copy of headers as a caller gives them. A `Headers`, a Map or a list of pairs has nothing in its own fields, or not
 * what was meant: sent without a word they would be missing.
 * @throws what `Refusal` makes: they are no plain object, or a value is no text
 */
export function readHeaderRecord(
  headers: unknown,
  Refusal: typeof ConfigurationError | typeof InvalidInputError,
): Readonly<Record<string, string>> {
  if (headers === undefined) return {};
  try {
    return recordOf(headers, Refusal);
  } catch (cause) {
    if (cause instanceof Refusal) throw cause;
    // A getter or a proxy of the caller's may throw anything.
    throw new Refusal("headers cannot be read: reading one of them threw an exception.", { cause });
  }
}

function recordOf(
  headers: unknown,
  Refusal: typeof ConfigurationError | typeof InvalidInputError,
): Readonly<Record<string, string>> {
  if (!isPlain(headers)) {
    throw new Refusal(`headers must be a plain object of names and texts, got ${kindOf(headers)}.`);
  }
  const texts: [string, string][] = [];
  for (const [name, value] of Object.entries(headers)) {
    if (typeof value !== "string")
      throw new Refusal(`headers: each value must be a text, got ${given(value)}.`);
    texts.push([name, value]);
  }
  return Object.fromEntries(texts);
}

/** Of another realm too: the prototype is the root, or there is none. */
function isPlain(value: unknown): value is object {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

function kindOf(value: unknown): string {
  const tag = /^\[object (Headers|Map|Set|URLSearchParams)\]$/.exec(
    Object.prototype.toString.call(value),
  )?.[1];
  return tag === undefined ? given(value) : `a ${tag}`;
}
