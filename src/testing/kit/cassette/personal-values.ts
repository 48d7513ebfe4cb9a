import type { PersonalKind } from "./personal-fields.js";

/** Words that name roles and machines rather than persons. */
const GENERIC: ReadonlySet<string> = new Set(
  "admin administrator user users test demo service system support info guest root owner member team api bot account default unknown none null true false anonymous everyone nobody public private internal external group robot app me self all the and of".split(
    " ",
  ),
);
/** A value of several kinds has the fake of the first of them. */
const ORDER: readonly PersonalKind[] = [
  "login",
  "name",
  "phone",
  "text",
  "picture",
  "ip",
  "date",
  "coordinate",
];
/** Shorter values occur by chance. */
const MIN_LENGTH = 3;
const STARTS_WITH_LETTER = /^[\p{L}\p{M}\p{N}]/u;
const WORD = /[\p{L}\p{M}\p{N}]+/gu;

/** Length of a value, and of what stands in it before its first word, as in +49. */
interface Shape {
  readonly offset: number;
  readonly length: number;
}

/** The personal values of a recording, which may occur anywhere in it: in paths, in ids, in other fields. */
export class PersonalValues {
  readonly #kinds = new Map<string, PersonalKind>();
  readonly #texts = new Set<string>();
  /** Those that are replaced wherever they are. */
  readonly #anywhere = new Map<string, PersonalKind>();
  /** Shapes of these by their first word, the longest first. */
  readonly #shapes = new Map<string, Shape[]>();

  add(text: string, kind: PersonalKind): void {
    if (!isPersonal(text, kind)) return;
    const key = text.toLowerCase();
    const before = this.#kinds.get(key);
    if (before === undefined || ORDER.indexOf(kind) < ORDER.indexOf(before)) this.#kinds.set(key, kind);
    this.#texts.add(text);
  }

  kindOf(text: string): PersonalKind | undefined {
    return this.#kinds.get(text.toLowerCase());
  }

  /** @param vocabulary Names of fields and parts of paths: they are not replaced where they are no values. */
  index(vocabulary: ReadonlySet<string>): void {
    for (const text of this.#texts) {
      const kind = this.kindOf(text);
      const first = text.match(WORD)?.[0]?.toLowerCase();
      const isLocal =
        kind === "coordinate" || kind === "date" || text.length < MIN_LENGTH || vocabulary.has(text);
      if (kind === undefined || first === undefined || isLocal) continue;
      this.#anywhere.set(keyOf(text), kind);
      const [offset, length] = [text.search(WORD), text.length];
      const shapes = this.#shapes.get(first) ?? [];
      if (!shapes.some((shape) => shape.offset === offset && shape.length === length))
        shapes.push({ offset, length });
      this.#shapes.set(first, shapes);
    }
    for (const shapes of this.#shapes.values()) shapes.sort((a, b) => b.length - a.length);
  }

  /** Replaces the values in a text, the longest first, where they are not parts of words. */
  replace(text: string, fake: (kind: PersonalKind, value: string) => string): string {
    let replaced = "";
    let from = 0;
    for (const { 0: word, index } of text.matchAll(WORD)) {
      if (index < from) continue;
      for (const { offset, length } of this.#shapes.get(word.toLowerCase()) ?? []) {
        const begin = index - offset;
        const end = begin + length;
        const value = text.slice(Math.max(begin, 0), end);
        const kind = begin < from ? undefined : this.#anywhere.get(keyOf(value));
        if (kind === undefined || STARTS_WITH_LETTER.test(text.slice(end, end + 2))) continue;
        replaced += text.slice(from, begin) + fake(kind, value);
        from = end;
        break;
      }
    }
    return replaced + text.slice(from);
  }
}

/** Whether a field of a personal kind holds such a value at all. */
function isPersonal(text: string, kind: PersonalKind): boolean {
  if (kind === "phone") return (text.match(/\d/g) ?? []).length >= 5;
  if (kind === "ip") return /[.:]/.test(text);
  if (kind === "coordinate") return text !== "";
  // The login of some vendors is a number, which is an id.
  if (kind === "login" && /^\d*$/.test(text)) return false;
  if (kind === "login" && /^\d{4}-\d{2}-\d{2}T/.test(text)) return false;
  const words = text.toLowerCase().match(WORD) ?? [];
  return words.some((word) => !GENERIC.has(word));
}

/** Values of several words are found in any case; single words, which may mean something else, in their own. */
function keyOf(text: string): string {
  return text.includes(" ") ? text.toLowerCase() : text;
}
