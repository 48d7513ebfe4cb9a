/** What hostile input may come to: a result, or an error of the SDK's. Nothing else, and no trace in what all share. */
import { SaasManagementError } from "@saas-management/sdk";
import fc from "fast-check";
import { expect } from "vitest";

/** What a call came to. */
export type Outcome<T> =
  | { readonly value: T; readonly error?: undefined }
  | { readonly error: SaasManagementError };

/** Characters that must not reach a line of a log. */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u;

const SHARED = [Object.prototype, Array.prototype, Function.prototype, Promise.prototype];
const before = keysOfShared();

/**
 * Runs a call and tells what it came to. The test fails where that is a foreign error, or where a prototype was
 * changed.
 * @param allowed Reasons of the test's own, which come back unchanged.
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
  // Neither the log of an error nor its JSON may fail.
  expect(typeof JSON.stringify(reason)).toBe("string");
}

function foreign(reason: unknown): Error {
  return new Error(`A foreign error came out: ${reason instanceof Error ? reason.stack : typeof reason}`, {
    cause: reason,
  });
}

function keysOfShared(): string {
  return SHARED.map((prototype) => Reflect.ownKeys(prototype).map(String).join()).join(";");
}

/** An error that a test throws from within its own values. */
export class Thrown extends Error {}

/** The reason of a signal of the test's own, which comes back unchanged. */
export class Ended extends Error {}

function fails(): never {
  throw new Thrown("cannot be read\nforged line");
}

const throwing: readonly unknown[] = [
  new Proxy({}, { get: fails, ownKeys: fails, has: fails, getPrototypeOf: fails }),
  new Proxy(() => {}, { apply: fails, get: fails }),
  Object.defineProperty({}, "anything", { get: fails, enumerable: true }),
  { toString: fails, valueOf: fails, [Symbol.toPrimitive]: fails, toJSON: fails },
  { [Symbol.iterator]: fails, [Symbol.asyncIterator]: fails, length: 1e9 },
];

const odd: readonly unknown[] = [
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
  Object.create(null),
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

/** A value that the test framework must not touch: it looks into what it generates. */
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

  /** For the counterexample. */
  [fc.toStringMethod](): string {
    return this.#label;
  }
}

const listed = [...odd, ...throwing];

/** Values of wrong types, and such that cannot even be looked at. */
export const hostileValue: fc.Arbitrary<Boxed<unknown>> = fc.oneof(
  {
    weight: 10,
    arbitrary: fc.nat({ max: listed.length - 1 }).map((i) => new Boxed(`listed[${i}]`, () => listed[i])),
  },
  {
    weight: 3,
    arbitrary: fc
      .oneof(
        fc.anything({ withBigInt: true, withDate: true, withNullPrototype: true }),
        fc.string({ unit: "binary" }),
      )
      .map((value) => new Boxed(fc.stringify(value), () => value)),
  },
);

/**
 * The object with one to three of its properties replaced by hostile values, or by getters that throw.
 * @param paths Names of properties; `a/b` is that of an object within.
 */
export function hostileVariant(base: object, paths: readonly string[]): fc.Arbitrary<Boxed<object>> {
  const put = fc.oneof(
    { weight: 9, arbitrary: hostileValue },
    { weight: 1, arbitrary: fc.constant(undefined) },
  );
  const changes = fc.array(fc.tuple(fc.constantFrom(...paths), put), { minLength: 1, maxLength: 3 });
  return changes.map((all) => {
    const label = all.map(
      ([path, value]) => `${path}=${value?.[fc.toStringMethod]() ?? "a getter that throws"}`,
    );
    const apply = (target: object, [path, value]: (typeof all)[number]) =>
      replace(target, path.split("/"), value === undefined ? { get: fails } : { value: value.open() });
    return new Boxed(label.join(", "), () => all.reduce(apply, base));
  });
}

/** Options that change while they are read, and the same ones as they were when each was read first. */
export interface UnstableOptions {
  readonly unstable: object;
  readonly stable: object;
}

/**
 * The object with one to three of its properties replaced by getters that give one value when they are first read and
 * another one ever after: the right one and then a hostile one, or the other way round. What was checked is what is
 * used where both objects come to the same.
 * @param paths Names of properties; `a/b` is that of an object within.
 */
export function unstableVariant(
  base: object,
  paths: readonly string[],
): fc.Arbitrary<Boxed<UnstableOptions>> {
  const change = fc.tuple(fc.constantFrom(...paths), hostileValue, fc.boolean());
  const changes = fc.uniqueArray(change, {
    minLength: 1,
    maxLength: 3,
    selector: ([path]) => path.split("/")[0],
  });
  return changes.map((all) => {
    const label = all.map(([path, value, hostileFirst]) => {
      const hostile = value[fc.toStringMethod]();
      return `${path}=${hostileFirst ? `${hostile}, then as it was` : `as it was, then ${hostile}`}`;
    });
    const variant = (put: (first: unknown, later: unknown) => PropertyDescriptor) =>
      all.reduce((target, [path, value, hostileFirst]) => {
        const names = path.split("/");
        const right = names.reduce<unknown>((inner, name) => Reflect.get(Object(inner), name), base);
        const hostile = value.open();
        return replace(target, names, hostileFirst ? put(hostile, right) : put(right, hostile));
      }, base);
    return new Boxed(label.join("; "), () => ({
      unstable: variant((first, later) => {
        let reads = 0;
        return { get: () => (reads++ === 0 ? first : later) };
      }),
      stable: variant((first) => ({ value: first })),
    }));
  });
}

function replace(target: object, [name = "", ...rest]: readonly string[], put: PropertyDescriptor): object {
  const copy = Object.defineProperties({}, Object.getOwnPropertyDescriptors(target));
  const inner: unknown = rest.length === 0 ? undefined : Object.getOwnPropertyDescriptor(target, name)?.value;
  const nested = typeof inner === "object" && inner !== null && !listed.includes(inner) ? inner : {};
  const descriptor = rest.length === 0 ? put : { value: replace(nested, rest, put) };
  Object.defineProperty(copy, name, { ...descriptor, enumerable: true, configurable: true });
  return copy;
}
