/** Arbitraries for what people pass as records by mistake: valid records with one or a few changes. */
import fc from "fast-check";
import { attributes, moment, text } from "./value-arbitraries.js";

const lone = fc.constantFrom(
  "\ud800",
  "a\udc00b",
  `${"x".repeat(40)}\ud83d`,
  `\udc00${"é".repeat(70)}`,
  `${"日".repeat(5000)}\ud800`,
);

class Row {
  readonly id = "row";
  get name(): string {
    return "Ada";
  }
}

const oddValues: readonly unknown[] = [
  undefined,
  null,
  true,
  false,
  Number.NaN,
  Number.POSITIVE_INFINITY,
  0,
  -0,
  1,
  1.5,
  -1,
  2 ** 31 - 1,
  2 ** 31,
  -(2 ** 31) - 1,
  2 ** 32,
  2 ** 53 - 1,
  2 ** 53,
  -(2 ** 53),
  0n,
  2n ** 63n - 1n,
  2n ** 63n,
  -(2n ** 63n) - 1n,
  "",
  " ",
  "12.50",
  "-0",
  "1e5",
  "1.",
  ".5",
  "12\n",
  "EUR",
  "eur",
  "EUR\n",
  "SEAT_BASED",
  "UNSPECIFIED",
  "SUBSCRIPTION_MODEL_SEAT_BASED",
  "toString",
  "2026-01-31",
  "2026-01-31T09:30:00",
  "0000-12-31T23:30:00-01:00",
  "9999-12-31T23:30:00-01:00",
  "1900-02-29T00:00:00Z",
  "2000-02-29T00:00:00.Z",
  "2026-01-31T09:30:00.1234567890Z",
  "2026-01-31t09:30:00z",
  "2026-01-31T24:00:00Z",
  "2026-01-31T23:59:60Z",
  "2026-01-31T09:30:00+24:00",
  new Date(Number.NaN),
  new Date(0),
  new Date(-1),
  new Date(-62_135_596_800_000),
  new Date(-62_135_596_800_001),
  new Date(253_402_300_799_999),
  new Date(253_402_300_800_000),
  Object.create(Date.prototype),
  [],
  [""],
  ["a", undefined],
  // biome-ignore lint/suspicious/noSparseArray: a hole is one of the mistakes.
  [, "a"],
  ["a", 1],
  ["\ud800"],
  {},
  { a: 1 },
  { a: undefined },
  { a: "\ud800" },
  { "\ud800": "a" },
  { generic: {} },
  { generic: undefined },
  { microsoft: {} },
  { hasTeams: "yes" },
  { model: "SEAT_BASED" },
  { model: "SEAT_BASED", seatBased: undefined },
  { model: "SEAT_BASED", seatBased: {} },
  Object.create({ inherited: "x" }),
  new Map([["a", "b"]]),
  new Row(),
  new String("text"),
  new Number(1),
  Symbol("s"),
  () => "x",
];

/** An ISO time with a letter changed, lost or doubled. */
const misspelledTime = fc
  .tuple(
    moment.map((value) => (typeof value === "string" ? value : value.toISOString())),
    fc.nat({ max: 40 }),
    fc.constantFrom("", "0", "1", "9", "-", "+", ":", ".", "T", "Z", "z", " ", "00"),
    fc.boolean(),
  )
  .map(([iso, at, letter, replaces]) => iso.slice(0, at) + letter + iso.slice(at + (replaces ? 1 : 0)));

const number = (max: number, digits = 2) =>
  fc.nat({ max }).map((value) => String(value).padStart(digits, "0"));

/** A day at or after the end of any month, in years that are leap years by one rule but not by another. */
const dayThatMayNotBe = fc
  .tuple(
    fc.oneof(number(9999, 4), fc.constantFrom("0000", "1900", "2000", "2023", "2024", "2100")),
    number(13),
    fc.constantFrom("00", "01", "28", "29", "30", "31", "32"),
    number(24),
    number(60),
    number(60),
  )
  .map(([year, month, day, ...time]) => `${year}-${month}-${day}T${time.join(":")}Z`);

/** An ISO time, or almost one. */
export const almostIsoTime = fc.oneof(
  { weight: 10, arbitrary: misspelledTime },
  { weight: 10, arbitrary: dayThatMayNotBe },
  {
    weight: 1,
    arbitrary: fc.constantFrom("1900", "2000", "2023", "2024").map((year) => `${year}-02-29T12:00:00Z`),
  },
);

const value: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...oddValues) },
  { weight: 2, arbitrary: lone },
  { weight: 2, arbitrary: almostIsoTime },
  { weight: 1, arbitrary: moment },
  { weight: 1, arbitrary: text },
  { weight: 1, arbitrary: attributes },
  { weight: 1, arbitrary: fc.oneof(fc.double(), fc.bigInt(), fc.anything()) },
);

const key = fc.constantFrom(
  "id",
  "source_id",
  "name",
  "generic",
  "google",
  "extra",
  "__proto__",
  "constructor",
  "0",
);

/** One change of an object; `name` is one of its keys, if it has any. */
type Change = (target: object, name: string) => object;

const changes: readonly ((value: unknown, key: string) => Change)[] = [
  (value) => (target, name) => define(target, name, { value }),
  (value) => (target, name) => define(target, name, { value }),
  () => (target, name) => without(target, name),
  (value, key) => (target) => define(target, key, { value }),
  (value, key) => (target) => define(target, key, { value, enumerable: false }),
  (value) => (target, name) => define(target, name, { get: () => value }),
  () => (target, name) => define(target, name, { value: peek(target, name), enumerable: false }),
  () => (target) => copyTo(Object.create(null), target),
  () => (target) => Object.freeze(copyTo({}, target)),
  () => (target) => Object.create(target),
  (value, key) => (target) => copyTo(Object.create({ [key]: value }), target),
  (value) => (target) => Object.assign(copyTo({}, target), { [Symbol("extra")]: value }),
  () => (target) => Object.keys(target).map((name) => peek(target, name)),
  () => (target) => new (classOf(target))(),
];

/** A valid record with up to three changes somewhere in it. */
export function mutated(record: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  const change = fc
    .tuple(fc.constantFrom(...changes), value, key)
    .map(([make, odd, name]) => make(odd, name));
  const where = fc.array(fc.nat(), { minLength: 4, maxLength: 4 });
  const depth = fc.constantFrom(0, 1, 1, 1, 2, 2, 3);
  return fc
    .tuple(record, fc.array(fc.tuple(change, depth, where), { maxLength: 3 }))
    .map(([valid, all]) =>
      all.reduce((current, [make, deep, path]) => changeAt(current, make, deep, path), valid),
    );
}

/** Changes the record or a value at most `deep` levels down. `path` chooses among the keys of each level. */
function changeAt(current: unknown, change: Change, deep: number, path: readonly number[]): unknown {
  if (typeof current !== "object" || current === null || current instanceof Date) return current;
  const [step = 0, ...rest] = path;
  const names = Object.keys(current);
  const objects = names.filter((name) => isContainer(peek(current, name)));
  const into = objects[step % objects.length];
  if (deep === 0 || into === undefined) return change(current, names[step % names.length] ?? "id");
  return define(current, into, { value: changeAt(peek(current, into), change, deep - 1, rest) });
}

function isContainer(value: unknown): boolean {
  return typeof value === "object" && value !== null && !(value instanceof Date);
}

function peek(target: object, name: string): unknown {
  const descriptor = Object.getOwnPropertyDescriptor(target, name);
  return descriptor?.value;
}

/** A copy of the target with one property redefined. */
function define(target: object, name: string, descriptor: PropertyDescriptor): object {
  const copy = copyTo(Array.isArray(target) ? [] : Object.create(Object.getPrototypeOf(target)), target);
  const writable = "value" in descriptor ? { writable: true } : {};
  Reflect.defineProperty(copy, name, { enumerable: true, configurable: true, ...writable, ...descriptor });
  return copy;
}

function without(target: object, name: string): object {
  const copy = copyTo({}, target);
  Reflect.deleteProperty(copy, name);
  return copy;
}

/** Copies properties as they are: a getter is not called. */
function copyTo(base: object, target: object): object {
  return Object.defineProperties(base, Object.getOwnPropertyDescriptors(target));
}

/** A class whose prototype has an accessor for each value. */
function classOf(target: object): new () => object {
  class Model {}
  for (const name of Object.keys(target)) {
    const value = peek(target, name);
    Object.defineProperty(Model.prototype, name, { get: () => value, configurable: true });
  }
  return Model;
}
