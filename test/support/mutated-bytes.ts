/** Arbitraries of damaged bytes. */
import fc from "fast-check";

/** One change; `at` and `length` are fractions of the original's length. */
interface Change {
  readonly kind: "flip" | "drop" | "insert" | "repeat" | "cut" | "swap";
  readonly at: number;
  readonly length: number;
  readonly bytes: Uint8Array;
}

/** A number from 0 to 1. fast-check's `double` would mostly draw values close to 0. */
const share = fc.nat({ max: 1_000_000 }).map((parts) => parts / 1_000_000);
const change: fc.Arbitrary<Change> = fc.record({
  kind: fc.constantFrom("flip", "drop", "insert", "repeat", "cut", "swap"),
  at: share,
  length: fc.oneof(fc.constant(0), share),
  bytes: fc.oneof(
    fc.uint8Array({ maxLength: 6 }),
    fc.constantFrom(
      ...['"', "\\", "\n", "\r", "{", "]", ",", "null", "\0", "\ufeff", "é", "-1e999"].map(utf8),
    ),
  ),
});

function utf8(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

/** One of the originals with up to four changes. */
export function mutatedBytes(originals: readonly Uint8Array[]): fc.Arbitrary<Buffer<ArrayBuffer>> {
  return fc
    .tuple(fc.constantFrom(...originals), fc.array(change, { maxLength: 4 }))
    .map(([original, changes]) => changes.reduce(apply, Buffer.from(original)));
}

/** One of the originals with one to three flipped bits. */
export function flippedBits(originals: readonly Uint8Array[]): fc.Arbitrary<Buffer<ArrayBuffer>> {
  const bit = fc.record({ at: share, bit: fc.nat({ max: 7 }) });
  return fc
    .tuple(fc.constantFrom(...originals), fc.array(bit, { minLength: 1, maxLength: 3 }))
    .map(([original, bits]) => {
      const copy = Buffer.from(original);
      for (const { at, bit: number } of bits) {
        const position = Math.min(copy.length - 1, Math.floor(at * copy.length));
        copy.writeUInt8(copy.readUInt8(position) ^ (1 << number), position);
      }
      return copy;
    });
}

function apply(original: Buffer<ArrayBuffer>, { kind, at, length, bytes }: Change): Buffer<ArrayBuffer> {
  const from = Math.floor(at * original.length);
  const to = Math.min(original.length, from + 1 + Math.floor(length * original.length));
  const [before, middle, after] = [
    original.subarray(0, from),
    original.subarray(from, to),
    original.subarray(to),
  ];
  switch (kind) {
    case "flip": {
      const copy = Buffer.from(original);
      if (from < copy.length) copy.writeUInt8(copy.readUInt8(from) ^ (1 << (bytes.length % 8)), from);
      return copy;
    }
    case "drop":
      return Buffer.concat([before, after]);
    case "insert":
      return Buffer.concat([before, bytes, middle, after]);
    case "repeat":
      return Buffer.concat([before, middle, middle, after]);
    case "cut":
      return Buffer.from(before);
    case "swap":
      return Buffer.concat([after, middle, before]);
  }
}

const odd = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    true,
    0,
    -1,
    1.5,
    1e308,
    "",
    "\ud800",
    "a\r\nb\u001b[2J\u202e",
    [],
    {},
    [null],
    [[[[]]]],
    { message: 5 },
    { code: "A\nB" },
    { __typename: "\n" },
  ),
  fc.jsonValue(),
);

/** JSON with some values replaced, mostly by other types, and with added keys such as `__proto__`. */
export function mutatedJson(originals: readonly string[]): fc.Arbitrary<Buffer<ArrayBuffer>> {
  const steps = fc.array(fc.nat(), { minLength: 1, maxLength: 7 });
  const key = fc.constantFrom(
    "__proto__",
    "constructor",
    "toString",
    "errors",
    "data",
    "pageInfo",
    undefined,
  );
  return fc
    .tuple(fc.constantFrom(...originals), fc.array(fc.tuple(steps, odd, key), { minLength: 1, maxLength: 3 }))
    .map(([text, changes]) => {
      const value: unknown = JSON.parse(text);
      const changed = changes.reduce(
        (current, [path, put, name]) => replaceAt(current, path, put, name),
        value,
      );
      return Buffer.from(JSON.stringify(changed));
    });
}

function replaceAt(value: unknown, path: readonly number[], put: unknown, name: string | undefined): unknown {
  const [step = 0, ...rest] = path;
  if (path.length === 0 || typeof value !== "object" || value === null) return put;
  const entries = Object.entries(value);
  const chosen = entries[step % Math.max(1, entries.length)];
  if (Array.isArray(value)) {
    return value.map((item, i) => (i === step % value.length ? replaceAt(item, rest, put, name) : item));
  }
  const changed = entries.map(([key, item]) =>
    key === chosen?.[0] ? [key, replaceAt(item, rest, put, name)] : [key, item],
  );
  if (rest.length === 0 && name !== undefined) changed.push([name, put]);
  // `fromEntries` also makes __proto__ an own property.
  return Object.fromEntries(changed);
}
