/** What ends a block of records: values that the encoder of single records takes or refuses. */
import type { Draw } from "./plain-records.js";

const ODD_LETTERS = ["\u0080", "é", "ÿ", "Ā", "語", "\uffff", "👩‍👩‍👧‍👦", "\ud83d", "\udc00", "\u{10ffff}"];

/** A text with a letter beyond ASCII somewhere, or half of one at its end, or a long text. */
export function oddText(draw: Draw, letters: string): string {
  const at = draw(letters.length + 1);
  if (draw(5) === 0) return letters.padEnd(100 + draw(400), "long ");
  return letters.slice(0, at) + (ODD_LETTERS[draw(ODD_LETTERS.length)] ?? "") + letters.slice(at);
}

type Fields = Record<string, unknown>;

/** Ways of giving a record otherwise than as a plain object of strings. */
export const ODD_RECORDS: readonly ((record: Fields) => unknown)[] = [
  (record) => new Proxy(record, {}),
  (record) => Object.create(record),
  (record) => Object.freeze({ ...record }),
  (record) => Object.assign(Object.create(null), record),
  (record) => Object.assign(new (classOf(record))()),
  (record) => ({ ...record, extra: 1 }),
  (record) => ({ ...record, extra: undefined }),
  (record) => Object.assign(Object.create({ extra: 1 }), record),
  (record) => withGetter(record, (value) => value),
  (record) =>
    withGetter(record, () => {
      throw new Error("a getter");
    }),
  (record) => changeFirst(record, 1),
  (record) => changeFirst(record, ""),
  (record) => changeFirst(record, new String("text")),
  (record) => changeLast(record, Number.NaN),
  (record) => changeLast(record, [1]),
  (record) => changeLast(record, { a: 1 }),
  (record) => changeLast(record, new Date(Number.NaN)),
  (record) => [record],
  () => null,
  () => undefined,
  () => "record",
];

function changeFirst(record: Fields, value: unknown): Fields {
  return { ...record, [Object.keys(record)[0] ?? ""]: value };
}

function changeLast(record: Fields, value: unknown): Fields {
  return { ...record, [Object.keys(record).at(-1) ?? ""]: value };
}

function withGetter(record: Fields, read: (value: unknown) => unknown): Fields {
  const [name = "id"] = Object.keys(record);
  return Object.defineProperty({ ...record }, name, { get: () => read(record[name]), enumerable: true });
}

/** A class whose objects have the values as accessors of their prototype. */
function classOf(record: Fields): new () => object {
  class Row {}
  for (const [name, value] of Object.entries(record))
    Object.defineProperty(Row.prototype, name, { get: () => value });
  return Row;
}
