import { isPlainObject } from "../../../core/validate.js";
import { getOrAdd } from "../../../reference-server/values.js";
import { isPlain } from "./fakes.js";

/** What a value of an enum looks like. */
const ENUM = /^(?:[A-Z]?[a-z]+(?:[A-Z][a-z]+)*|[A-Z]+)(?:[_.:/-](?:[A-Za-z][a-z]*|[A-Z]+))*\d{0,2}$/;
const LONGEST_ENUM = 20;
const MOST_VALUES = 8;
/** How often each value of an enum must occur, on average. */
const REPEATED = 3;
/** What a field's name looks like; any other key of an object is a value. */
const NAME = /^[@$_]{0,2}[a-z][\w.:$[\]-]{0,59}$/i;
const MOST_DIGITS = 4;

interface Known {
  readonly enums: ReadonlySet<string>;
  /** Strings of answers that must be replaced, in lower case. */
  readonly values: ReadonlySet<string>;
}

/** Decides by field which strings of a recording are kept (an enum's values) and which must be replaced. */
export class Fields {
  /** Kept strings, by field. */
  readonly kept = new Map<string, Set<string>>();
  readonly #keep: ReadonlySet<string>;
  readonly #counts = new Map<string, Map<string, number>>();
  /** Maps each field to the strings that it had in answers, in lower case. Plain strings are left out. */
  readonly #answered = new Map<string, Set<string>>();
  readonly #shapes = new Map<string, number>();
  #known: Known | undefined;

  constructor(keep: readonly string[]) {
    this.#keep = new Set(keep.map((name) => name.toLowerCase()));
  }

  /** Records a string. Call this for all strings before any other method. @returns the string, unchanged */
  note(text: string, field: string, by: "sent" | "answered", isFirst: boolean): string {
    if (isPlain(text)) return text;
    const counts = getOrAdd(this.#counts, field, () => new Map<string, number>());
    // A string that the second run repeats isn't counted again.
    if (isFirst || !counts.has(text)) counts.set(text, (counts.get(text) ?? 0) + 1);
    if (by === "answered") getOrAdd(this.#answered, field, () => new Set<string>()).add(text.toLowerCase());
    return text;
  }

  /** Whether a value is kept because of its field. A kept value is added to `kept`. */
  keeps(text: string, field: string): boolean {
    const isValue = this.#known?.enums.has(field) === true && this.#counts.get(field)?.has(text) === true;
    if (!this.isKept(field) && !isValue) return false;
    getOrAdd(this.kept, field, () => new Set<string>()).add(text);
    return true;
  }

  isKept(field: string): boolean {
    return this.#keep.has(field.toLowerCase());
  }

  /** Whether an answer has this string as a value that must be replaced. */
  isValue(text: string): boolean {
    return this.#known?.values.has(text.toLowerCase()) === true;
  }

  /**
   * Whether an object's keys are values, such as logins. In that case, few objects have the same keys, and either the
   * values are objects of one shape, or at least half of the keys occur as values elsewhere.
   */
  isMap(object: object): boolean {
    const keys = Object.keys(object);
    const shape = keys.join("\n");
    if (this.#known === undefined) {
      this.#shapes.set(shape, (this.#shapes.get(shape) ?? 0) + 1);
      return false;
    }
    if (keys.length < 2 || (this.#shapes.get(shape) ?? 0) > 2) return false;
    const shapes = new Set(
      Object.values(object).map((value) => isPlainObject(value) && Object.keys(value).join("\n")),
    );
    const isAlike = shapes.size === 1 && !shapes.has(false);
    return isAlike || keys.filter((key) => this.isValue(key)).length * 2 >= keys.length;
  }

  static isName(text: string): boolean {
    return NAME.test(text) && (text.match(/\d/g) ?? []).length <= MOST_DIGITS;
  }

  /** Finds the enums. Call this once all strings are recorded. */
  settle(): void {
    const enums = new Set([...this.#counts.keys()].filter((field) => this.#isEnum(field)));
    const others = [...this.#answered].filter(([field]) => !enums.has(field) && !this.isKept(field));
    this.#known = { enums, values: new Set(others.flatMap(([, values]) => [...values])) };
  }

  #isEnum(field: string): boolean {
    const counts = this.#counts.get(field) ?? new Map<string, number>();
    if (counts.size > MOST_VALUES || !isRepeating(counts)) return false;
    // A value that also occurs in a field without repetitions is an id or a login.
    const others = [...this.#counts].filter(([other, values]) => other !== field && !isRepeating(values));
    return [...counts.keys()].every(
      (value) =>
        value.length <= LONGEST_ENUM && ENUM.test(value) && !others.some(([, values]) => values.has(value)),
    );
  }
}

function isRepeating(counts: ReadonlyMap<string, number>): boolean {
  const total = [...counts.values()].reduce((sum, count) => sum + count, 0);
  return total >= REPEATED * counts.size;
}
