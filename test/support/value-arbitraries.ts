/** Arbitraries of field values that codecs get wrong: strings, keys, times and numbers. */
import fc from "fast-check";

/** Combining characters, byte order marks, limits of Unicode, and names of object properties. */
const oddText = fc.constantFrom(
  "Zürich",
  "e\u0301",
  "日本語",
  "👩‍👩‍👧‍👦",
  "\ufeffmark",
  "\u0000",
  "\uffff",
  "\u{10ffff}",
  "\u2028",
  "__proto__",
  "constructor",
);

/** Lengths around which the length prefix grows by a byte. */
const longText = fc
  .tuple(fc.constantFrom("n", "é", "語", "👩"), fc.constantFrom(31, 32, 42, 43, 63, 64, 126, 127, 128, 300))
  .map(([letter, count]) => letter.repeat(count));

/** Any well-formed string. */
export const text = fc.oneof(
  { weight: 1, arbitrary: fc.constant("") },
  { weight: 3, arbitrary: fc.string({ unit: "grapheme", maxLength: 12 }) },
  { weight: 2, arbitrary: fc.string({ unit: "binary", maxLength: 12 }) },
  { weight: 2, arbitrary: oddText },
  { weight: 1, arbitrary: longText },
);

const requiredText = text.map((value) => (value === "" ? "x" : value));

const key = fc.oneof(fc.constantFrom("__proto__", "", "constructor", "hasOwnProperty", "10", "2"), text);

/** Attributes with and without a prototype, including keys such as __proto__. */
export const attributes = fc.dictionary(key, text, { maxKeys: 5 });

/** Arbitraries for the kinds of fields whose values can differ between test records. */
export interface Values {
  readonly text: fc.Arbitrary<string>;
  readonly requiredText: fc.Arbitrary<string>;
  readonly texts: fc.Arbitrary<string[]>;
  readonly attributes: fc.Arbitrary<Record<string, string>>;
  /** Whether every record inherits from Object.prototype; otherwise, some have no prototype. */
  readonly noNullPrototype: boolean;
}

export const ODD_VALUES: Values = {
  text,
  requiredText,
  texts: fc.array(text, { maxLength: 4 }),
  attributes,
  noNullPrototype: false,
};

const LETTERS = Array.from({ length: 4096 }, (_, i) => String.fromCharCode((i * 37 + (i >> 7)) % 128)).join(
  "",
);
/** Text lengths at which encoders begin to copy differently, or a message's length prefix grows by a byte. */
const EDGES = [0, 1, 3, 4, 7, 8, 9, 15, 16, 17, 100, ...Array.from({ length: 12 }, (_, i) => 116 + i)];

/** The length of a long text: a block ends at texts of more than 127 letters. */
const LONG = 250;

const letters = fc
  .tuple(
    fc.nat({ max: 4096 - LONG }),
    fc.oneof(
      { weight: 600, arbitrary: fc.nat({ max: 29 }) },
      { weight: 40, arbitrary: fc.constantFrom(...EDGES) },
      { weight: 1, arbitrary: fc.integer({ min: 128, max: LONG }) },
    ),
  )
  .map(([from, length]) => LETTERS.slice(from, from + length));

/** Short ASCII texts, which the encoders put into blocks. */
export const PLAIN_VALUES: Values = {
  text: letters,
  requiredText: letters.map((value) => (value === "" ? "x" : value)),
  texts: fc.array(letters, { maxLength: 4 }),
  attributes: fc.dictionary(
    letters.map((value) => value.slice(0, 30)),
    letters.map((value) => value.slice(-90)),
    { maxKeys: 4, noNullPrototype: true },
  ),
  noNullPrototype: true,
};

const count = fc.integer({ min: 3500, max: 4500 });

/** Lists with as many texts as a block holds, or more. */
export const MANY_VALUES: Values = {
  ...PLAIN_VALUES,
  texts: count.map((length) => LETTERS.repeat(2).slice(0, length).split("")),
  attributes: count.map((size) =>
    Object.fromEntries(Array.from({ length: size / 2 }, (_, i) => [`${i}`, "x"])),
  ),
};

export const int32 = fc.oneof(fc.integer(), fc.constantFrom(0, -1, 2 ** 31 - 1, -(2 ** 31)));

export const int64 = fc.oneof(
  fc.maxSafeInteger(),
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
  fc.constantFrom<(number | bigint)[]>(0, 0n, -1n, 2n ** 53n + 1n, 2n ** 63n - 1n, -(2n ** 63n)),
);

export const uint32 = fc.oneof(fc.nat(), fc.constantFrom(0, 2 ** 32 - 1));

export const uint64 = fc.oneof(
  fc.maxSafeNat(),
  fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
  fc.constantFrom<(number | bigint)[]>(0, 0n, 2n ** 53n + 1n, 2n ** 64n - 1n),
);

export const decimal = fc
  .tuple(fc.constantFrom("", "-"), fc.nat().map(String), fc.constantFrom("", ".5", ".00", ".000000001"))
  .map((parts) => parts.join(""));

export const currency = fc.string({ unit: fc.constantFrom(..."ABCXYZ"), minLength: 3, maxLength: 3 });

const FIRST = new Date("0001-01-01T00:00:00Z");
const LAST = new Date("9999-12-31T23:59:59.999Z");
const DAY_MS = 24 * 60 * 60 * 1000;

const date = fc.oneof(
  fc.date({ min: FIRST, max: LAST, noInvalidDate: true }),
  // Times just before 1970, where the remainder of milliseconds is negative.
  fc.integer({ min: -5000, max: 0 }).map((ms) => new Date(ms)),
  fc.constantFrom(FIRST, LAST),
);

/** A local time that stays in range for any offset. */
const localTime = fc.date({
  min: new Date(FIRST.getTime() + DAY_MS),
  max: new Date(LAST.getTime() - DAY_MS),
  noInvalidDate: true,
});
const fraction = fc.oneof(
  fc.constant(""),
  fc.string({ unit: fc.constantFrom(..."0123456789"), minLength: 1, maxLength: 9 }).map((f) => `.${f}`),
);
const twoDigits = (max: number) => fc.integer({ min: 0, max }).map((n) => String(n).padStart(2, "0"));
const offset = fc.oneof(
  fc.constant("Z"),
  fc.tuple(fc.constantFrom("+", "-"), twoDigits(23), fc.constant(":"), twoDigits(59)).map((p) => p.join("")),
);

const isoString = fc.oneof(
  { weight: 9, arbitrary: fc.tuple(localTime.map(toTheSecond), fraction, offset).map((p) => p.join("")) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      "0001-01-01T00:00:00Z",
      "9999-12-31T23:59:59.999999999Z",
      "1969-12-31T23:59:59.000000001Z",
      "1970-01-01T00:00:00+00:00",
      "2024-02-29T12:00:00-00:30",
    ),
  },
);

/** Timestamps as users write them: a Date, or an ISO 8601 string with an offset and at most nine decimals. */
export const moment = fc.oneof(date, isoString);

function toTheSecond(time: Date): string {
  return time.toISOString().replace(/\.\d+Z$/, "");
}
