/** Hostile input must lead to a result or an SDK error, and change no shared prototype. */
import { SaasManagementError } from "@saas-management/sdk";
import fc from "fast-check";
import { expect } from "vitest";

export type Outcome<T> =
  | { readonly value: T; readonly error?: undefined }
  | { readonly error: SaasManagementError };

/** Characters that must not appear in a log line. */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u;

const SHARED = [Object.prototype, Array.prototype, Function.prototype, Promise.prototype];
const before = keysOfShared();

/**
 * Returns the outcome of a call. Fails the test if the call throws anything but an SDK error, or changes a prototype.
 * @param allowed recognizes the test's own errors; the SDK rethrows them unchanged
 */
export async function outcomeOf<T>(
  call: () => T | Promise<T>,
  allowed: (reason: unknown) => boolean = (reason) => reason instanceof Ended,
): Promise<Outcome<T> | undefined> {
  try {
    return { value: await call() };
  } catch (reason) {
    if (allowed(reason)) return undefined;
    expectOwn(reason);
    return { error: reason };
  } finally {
    expect(keysOfShared()).toBe(before);
  }
}

function expectOwn(reason: unknown): asserts reason is SaasManagementError {
  if (!(reason instanceof SaasManagementError)) throw foreign(reason);
  expect(reason.code).toMatch(/^[A-Z_]+$/);
  expect(reason.message).not.toMatch(UNPRINTABLE);
  // Serializing an error must not fail.
  expect(typeof JSON.stringify(reason)).toBe("string");
}

function foreign(reason: unknown): Error {
  return new Error(`Not an SDK error: ${reason instanceof Error ? reason.stack : typeof reason}`, {
    cause: reason,
  });
}

function keysOfShared(): string {
  return SHARED.map((prototype) => Reflect.ownKeys(prototype).map(String).join()).join(";");
}

/** An error that a test's hostile values throw. */
export class Thrown extends Error {}

/** The reason of a test's signal. */
export class Ended extends Error {}

/** Values of every type, but no objects that throw when they are read. */
const listed: readonly unknown[] = [
  null,
  true,
  false,
  0,
  -0,
  -1,
  1.5,
  Number.NaN,
  Number.POSITIVE_INFINITY,
  Number.MAX_VALUE,
  Number.MIN_VALUE,
  2 ** 31,
  2 ** 53,
  10n,
  "",
  " ",
  "x",
  "a\r\nb: c",
  "\u0000",
  "\u001b[31m",
  "\ud800",
  "\u202e",
  "__proto__",
  "constructor",
  "Infinity",
  "é".repeat(5000),
  Symbol("s"),
  [],
  [null],
  ["a", "b"],
  {},
  JSON.parse('{"__proto__":{"polluted":true}}'),
  { constructor: { prototype: { polluted: true } } },
  new Date(Number.NaN),
  new Map(),
  new Uint8Array(3),
  new Error("x"),
  /x/,
  Promise.resolve(1),
  () => undefined,
  () => "x",
  class Model {},
  { addEventListener: () => {}, removeEventListener: () => {}, aborted: "no" },
  AbortSignal.abort(new Ended("by the caller")),
];

/** Hides a value from fast-check, which inspects what it generates. */
export class Boxed<T> {
  readonly #open: () => T;
  readonly #label: string;

  constructor(label: string, open: () => T) {
    this.#label = label;
    this.#open = open;
  }

  open(): T {
    return this.#open();
  }

  /** The text that a counterexample shows. */
  [fc.toStringMethod](): string {
    return this.#label;
  }
}

export const hostileValue: fc.Arbitrary<Boxed<unknown>> = fc.oneof(
  {
    weight: 10,
    arbitrary: fc.nat({ max: listed.length - 1 }).map((i) => new Boxed(`listed[${i}]`, () => listed[i])),
  },
  {
    weight: 3,
    arbitrary: fc
      .oneof(fc.anything({ withBigInt: true, withDate: true }), fc.string({ unit: "binary" }))
      .map((value) => new Boxed(fc.stringify(value), () => value)),
  },
);

/**
 * The object with up to three properties replaced by hostile values.
 * @param paths names of properties; `a/b` is a property of a nested object
 */
export function hostileVariant(base: object, paths: readonly string[]): fc.Arbitrary<Boxed<object>> {
  const change = fc.tuple(fc.constantFrom(...paths), hostileValue);
  return fc.array(change, { maxLength: 3 }).map((changes) => {
    const label = changes.map(([path, value]) => `${path}=${value[fc.toStringMethod]()}`);
    return new Boxed(label.join(", "), () =>
      changes.reduce((target, [path, value]) => replace(target, path.split("/"), value.open()), base),
    );
  });
}

function replace(target: object, [name = "", ...rest]: readonly string[], value: unknown): object {
  const inner: unknown = rest.length === 0 ? undefined : Object.getOwnPropertyDescriptor(target, name)?.value;
  const nested = typeof inner === "object" && inner !== null && !listed.includes(inner) ? inner : {};
  // Assignment would set the prototype for __proto__.
  return Object.defineProperty({ ...target }, name, {
    value: rest.length === 0 ? value : replace(nested, rest, value),
    enumerable: true,
    configurable: true,
    writable: true,
  });
}
